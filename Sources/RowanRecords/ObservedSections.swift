// Observed rows in sections, and how they change.

public import Observation
public import Rowan

/// Consecutive rows with the same value.
public struct RowSection<Key: Hashable & Sendable, Element: Sendable>: Sendable {
    /// The value.
    public let key: Key
    /// The rows.
    public let elements: [Element]

    /// Creates a section.
    public init(key: Key, elements: [Element]) { (self.key, self.elements) = (key, elements) }
}

extension RowSection: Equatable where Element: Equatable {}

/// The difference of two lists of sections, for a list on a screen.
///
/// The places of deletions, the starts of moves and the deleted sections refer to the sections before the changes, all
/// others to those after them. The rows of a section that appears or disappears are among the insertions, deletions and
/// moves.
public struct SectionDelta<Key: Hashable & Sendable>: Hashable, Sendable {
    /// The place of a row.
    public struct Place: Hashable, Sendable {
        /// The index of the section.
        public let section: Int
        /// The index of the row in the section.
        public let index: Int

        /// Creates a place.
        public init(section: Int, index: Int) { (self.section, self.index) = (section, index) }
    }

    /// A row that is in another section, or at another place among those that stay.
    public struct Move: Hashable, Sendable {
        /// The place before the changes.
        public let from: Place
        /// The place after the changes.
        public let to: Place

        /// Creates a move.
        public init(from: Place, to: Place) { (self.from, self.to) = (from, to) }
    }

    /// The indices of the sections that have disappeared, in ascending order.
    public let deletedSections: [Int]
    /// The indices of the sections that have appeared, in ascending order.
    public let insertedSections: [Int]
    /// The places of the rows that have disappeared, in ascending order.
    public let deletions: [Place]
    /// The places of the rows that have appeared, in ascending order.
    public let insertions: [Place]
    /// The moved rows, in the order of their places after the changes.
    public let moves: [Move]
    /// The places of the rows with other content, in ascending order.
    public let updates: [Place]

    /// Whether nothing has changed.
    public var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty && moves.isEmpty
            && updates.isEmpty
    }

    /// - Complexity: O(N log N), where N is the number of rows.
    init<Element: Identifiable & Equatable & Sendable>(
        from old: [RowSection<Key, Element>], to new: [RowSection<Key, Element>]
    ) where Element.ID: Sendable {
        let (oldPlaces, newPlaces) = (Self.places(old), Self.places(new))
        let rows = ArrayDelta(
            from: old.flatMap(\.elements), to: new.flatMap(\.elements), by: \.id, areEqual: { $0 == $1 })
        // A section that has moved disappears and appears.
        let sections = ArrayDelta(from: old.map(\.key), to: new.map(\.key), by: \.self, areEqual: { $0 == $1 })
        deletedSections = (sections.deletions.map(\.index) + sections.moves.map(\.from)).sorted()
        insertedSections = (sections.insertions.map(\.index) + sections.moves.map(\.to)).sorted()
        deletions = rows.deletions.map { oldPlaces[$0.index] }
        insertions = rows.insertions.map { newPlaces[$0.index] }
        updates = rows.updates.map { newPlaces[$0.index] }
        // Rows that keep their order may yet be in another section.
        let leaving = Set(rows.deletions.map(\.index) + rows.moves.map(\.from))
        let arriving = Set(rows.insertions.map(\.index) + rows.moves.map(\.to))
        let (gone, come) = (Set(deletedSections), Set(insertedSections))
        let staying = zip(
            oldPlaces.indices.filter { !leaving.contains($0) }, newPlaces.indices.filter { !arriving.contains($0) })
        let crossing = staying.filter { from, to in
            let (from, to) = (oldPlaces[from].section, newPlaces[to].section)
            return old[from].key != new[to].key || gone.contains(from) || come.contains(to)
        }
        moves = (rows.moves.map { ($0.from, $0.to) } + crossing).sorted { $0.1 < $1.1 }
            .map { Move(from: oldPlaces[$0], to: newPlaces[$1]) }
    }

    private static func places<Element>(_ sections: [RowSection<Key, Element>]) -> [Place] {
        sections.enumerated().flatMap { section, rows in
            rows.elements.indices.map { Place(section: section, index: $0) }
        }
    }
}

/// The rows of an ``ObservedQuery`` in sections.
///
/// Article: <doc:ObservedModels>.
@MainActor @Observable
public final class ObservedSections<
    Key: Hashable & Sendable, Element: FetchableRecord & Identifiable & Equatable & Sendable
>
where Element.ID: Sendable {
    /// The sections, in the order of their first rows.
    public private(set) var sections: [RowSection<Key, Element>] = []

    /// How the sections have changed last. Set before ``onDelta`` is called.
    public private(set) var delta: SectionDelta<Key>

    /// A function that is called after each change, such as the update of a list on a screen.
    @ObservationIgnored public var onDelta: ((SectionDelta<Key>) -> Void)?

    /// The rows without sections. Change its request, or load more of its pages.
    public let query: ObservedQuery<Element>

    init(_ query: ObservedQuery<Element>, by key: @escaping (Element) -> Key) {
        self.query = query
        delta = SectionDelta(from: [RowSection<Key, Element>](), to: [])
        query.addListener { [weak self] rows in self?.receive(rows, key) != nil }
    }

    private func receive(_ rows: [Element], _ key: (Element) -> Key) {
        let old = sections
        var (order, groups) = ([Key](), [Key: [Element]]())
        for row in rows {
            let key = key(row)
            if groups[key] == nil { order.append(key) }
            groups[key, default: []].append(row)
        }
        let new = order.map { RowSection(key: $0, elements: groups[$0]!) }
        let delta = SectionDelta(from: old, to: new)
        guard !delta.isEmpty else { return }
        (sections, self.delta) = (new, delta)
        onDelta?(delta)
    }
}

extension ObservedQuery where Element: Identifiable & Equatable, Element.ID: Sendable {
    /// The rows in sections.
    ///
    /// ```swift
    /// let teams = ObservedQuery(dbPool, Player.order { [$0.team, $0.name] }).sectioned(by: \.team)
    /// teams.onDelta = { delta in
    ///     for move in delta.moves { list.move(from: move.from, to: move.to) }
    /// }
    /// ```
    ///
    /// The rows of a section keep the order of the request. If it does not order by the value first, the sections are in
    /// the order of their first rows.
    ///
    /// - Complexity: O(N log N) for each change, where N is the number of loaded rows.
    public func sectioned<Key: Hashable & Sendable>(
        by key: @escaping (Element) -> Key
    ) -> ObservedSections<Key, Element> {
        ObservedSections(self, by: key)
    }
}
