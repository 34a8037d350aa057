import Rowan

/// The values fetched by a process that follows the places: the places and the last edits.
public struct FollowedPlaces: Equatable, Sendable {
    public var places: [Place]
    /// The oldest first.
    public var edits: [Edit]

    /// The places of all countries or of one, ordered by title.
    public static func fetch(_ db: Database, countryCode: String? = nil) throws -> FollowedPlaces {
        var request = Place.order { [$0.title, $0.zone] }
        if let countryCode {
            request = request.filter { $0.countryCode == countryCode }
        }
        return try FollowedPlaces(
            places: request.fetchAll(db),
            edits: Edit.order(\.id).fetchAll(db))
    }

    public var favoriteCount: Int { places.count { $0.isFavorite } }

    /// The changes since an older value.
    ///
    /// A value may be several commits newer: each edit is a separate change with its own latency. Places changed
    /// without an edit, for example by an import, have no latency.
    ///
    /// - Parameter time: the time at which the value is shown, as `Edit.now()`.
    public func changes(since older: FollowedPlaces, at time: Int64) -> [PlaceChange] {
        let (current, previous) = (places.byID, older.places.byID)
        let lastID = older.edits.last?.id ?? 0
        let newEdits = edits.filter { ($0.id ?? 0) > lastID }
        let edited = newEdits.compactMap { edit in
            current[edit.placeId].map { PlaceChange(edit, of: $0, at: time) }
        }
        let editedIDs = Set(newEdits.map(\.placeId))
        let others = places.filter { $0.id.map { !editedIDs.contains($0) } ?? false }.compactMap { place in
            let before = place.id.flatMap { previous[$0] }
            return before == place ? nil : PlaceChange(place: place, kind: before == nil ? .added : .changed)
        }
        let removed = older.places.filter { $0.id.map { current[$0] == nil } ?? false }
        return edited + others + removed.map { PlaceChange(place: $0, kind: .removed) }
    }
}

/// A place change committed by another process.
public struct PlaceChange: Equatable, Sendable {
    public enum Kind: Equatable, Sendable {
        /// The favorite was changed this long ago.
        case edited(latency: Duration)
        case added
        case changed
        case removed
    }

    public var place: Place
    public var kind: Kind

    init(place: Place, kind: Kind) {
        self.place = place
        self.kind = kind
    }

    init(_ edit: Edit, of place: Place, at time: Int64) {
        self.place = place
        self.place.isFavorite = edit.isFavorite
        kind = .edited(latency: .nanoseconds(time - edit.time))
    }

    public var latency: Duration? {
        if case .edited(let latency) = kind { latency } else { nil }
    }
}

extension [Place] {
    fileprivate var byID: [Int64: Place] {
        Dictionary(compactMap { place in place.id.map { ($0, place) } }, uniquingKeysWith: { first, _ in first })
    }
}
