import Dispatch
import Rowan

/// A change of a favorite, with its time: other processes that follow the places measure how quickly they detect it.
public struct Edit: Codable, Hashable, Identifiable, Sendable {
    public var id: Int64?
    public var placeId: Int64
    public var isFavorite: Bool
    /// Just before the commit, in nanoseconds of `Edit.now()`.
    public var time: Int64

    /// The time of a clock that is shared by all processes of the system and never adjusted.
    public static func now() -> Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }
}

extension Edit: FetchableRecord, MutablePersistableRecord {
    public enum Columns {
        public static let id = Column(CodingKeys.id)
        public static let placeId = Column(CodingKeys.placeId)
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }

    /// The number of edits kept in the table.
    static let keptCount: Int64 = 100

    /// Records that the favorite of a place has changed. Call this at the end of the transaction.
    public static func record(of place: Place, _ db: Database) throws {
        guard let placeId = place.id else { return }
        var edit = Edit(id: nil, placeId: placeId, isFavorite: place.isFavorite, time: now())
        try edit.insert(db)
        let oldest = (edit.id ?? 0) - keptCount
        try Edit.filter { $0.id <= oldest }.deleteAll(db)
    }
}
