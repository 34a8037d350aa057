// The prefetched rows of the rows of a batch. They are assigned once, by number, and row objects are created on demand.

/// The prefetched rows of one row.
package struct PrefetchedRows {
    let tree: PrefetchTree
    /// The index of the row in its batch.
    let index: Int

    /// The prefetched rows of the row itself, by key.
    package var rows: [String: [Row]] { tree.groups.mapValues { $0.rows(of: index).all } }

    var containsRows: Bool { tree.groups.values.contains { !$0.rows(of: index).isEmpty } }

    /// The prefetched rows of the nearest scope that has the key.
    package subscript(_ key: String) -> PrefetchedGroup.Rows? { tree.group(key)?.rows(of: index) }
}

/// The prefetched rows of all rows of a batch and of their scopes.
package final class PrefetchTree {
    @exclusivity(unchecked) package var groups: [String: PrefetchedGroup] = [:]
    @exclusivity(unchecked) fileprivate(set) var scopes: [String: PrefetchTree] = [:]
    /// The scopes in the order of the request.
    private var orderedScopes: [PrefetchTree] = []

    package init() {}

    /// The prefetched rows of a scope, created if necessary.
    package func scope(_ path: some Collection<String>) -> PrefetchTree {
        guard let name = path.first else { return self }
        if let scope = scopes[name] { return scope.scope(path.dropFirst()) }
        let scope = PrefetchTree()
        scopes[name] = scope
        orderedScopes.append(scope)
        return scope.scope(path.dropFirst())
    }

    var keys: Set<String> { scopes.values.reduce(into: Set(groups.keys)) { $0.formUnion($1.keys) } }

    /// The group of the nearest scope; among scopes of the same depth, the first one.
    fileprivate func group(_ key: String) -> PrefetchedGroup? {
        if let group = groups[key] { return group }
        var level = orderedScopes
        while !level.isEmpty {
            for scope in level {
                if let group = scope.groups[key] { return group }
            }
            level = level.flatMap(\.orderedScopes)
        }
        return nil
    }

    /// The same rows, with separate objects for the state that decoders change.
    func separated() -> PrefetchTree {
        let tree = PrefetchTree()
        tree.groups = groups.mapValues { $0.separated() }
        tree.scopes = scopes.mapValues { $0.separated() }
        tree.orderedScopes = orderedScopes.compactMap { scope in
            scopes.first { $0.value === scope }.flatMap { tree.scopes[$0.key] }
        }
        return tree
    }

    /// Clears the state that decoders keep in the prefetched rows.
    func forget() {
        for group in groups.values { group.forget() }
        for scope in scopes.values { scope.forget() }
    }
}

extension Row {
    /// The prefetched rows of this row and of its scopes.
    package var prefetchedTree: PrefetchedRows? {
        // The rows of a batch are stored contiguously.
        storage.prefetched.map { PrefetchedRows(tree: $0, index: base / storage.columns.names.count) }
    }
}

/// A prefetched row, and the index of its key among the keys of the origin.
package typealias RowPlace = (place: Int32, row: Int32)

/// The rows of one association key, for all rows of a batch.
package final class PrefetchedGroup {
    private let batch: RowBatch
    /// For each row of the origin, the index of its key; -1 for none.
    private let places: [Int32]
    /// For each key, the start of its rows in `order`.
    private let starts: [Int32]
    private let order: [Int32]
    /// The row object of the last decoder, while no decoder uses it.
    @exclusivity(unchecked) private var idleRow: Row?

    /// - Parameter pairs: the rows of the batch with the indexes of their keys, in row order.
    package init(_ batch: RowBatch, places: [Int32], placeCount: Int, pairs: [RowPlace]) {
        self.batch = batch
        self.places = places
        // A counting sort, which preserves the order of the rows of each key.
        var starts = [Int32](repeating: 0, count: placeCount + 1)
        for pair in pairs { starts[Int(pair.place) + 1] += 1 }
        for place in 0..<placeCount { starts[place + 1] += starts[place] }
        var next = starts
        var order = [Int32](repeating: 0, count: pairs.count)
        for pair in pairs {
            order[Int(next[Int(pair.place)])] = pair.row
            next[Int(pair.place)] += 1
        }
        self.starts = starts
        self.order = order
    }

    private init(_ other: PrefetchedGroup) {
        batch = other.batch.separated()
        (places, starts, order) = (other.places, other.starts, other.order)
    }

    /// The same rows, with separate objects for the state that decoders change.
    fileprivate func separated() -> PrefetchedGroup { PrefetchedGroup(self) }

    func rows(of origin: Int) -> Rows {
        let place = Int(places[origin])
        return Rows(group: self, range: place < 0 ? 0..<0 : Int(starts[place])..<Int(starts[place + 1]))
    }

    func forget() {
        idleRow?.stopMoving()
        idleRow = nil
    }

    /// The prefetched rows of one row.
    package struct Rows {
        fileprivate let group: PrefetchedGroup
        fileprivate let range: Range<Int>

        package var count: Int { range.count }
        package var isEmpty: Bool { range.isEmpty }

        /// All rows, as separate objects.
        package var all: [Row] { range.map { group.batch.row(at: Int(group.order[$0])) } }
    }

    /// A row object that visits rows: decoders reuse their state from one row to the next.
    package final class Walk {
        package let rows: Rows
        @exclusivity(unchecked) private var row: Row?
        private let isKept: Bool

        /// - Parameter origin: the row that owns the rows.
        package init(_ rows: Rows, of origin: Row) {
            self.rows = rows
            isKept = origin.isMoved
            row = rows.group.idleRow
            rows.group.idleRow = nil
        }

        deinit {
            // Under a cursor, which clears the state, the next walk reuses the object.
            if isKept { rows.group.idleRow = row } else { row?.stopMoving() }
        }

        /// The row at an index. Each call returns the same object.
        package func row(at index: Int) -> Row {
            let number = Int(rows.group.order[rows.range.lowerBound + index])
            if let row {
                rows.group.batch.move(row, to: number)
                return row
            }
            let made = rows.group.batch.row(at: number)
            made.isMoved = true
            row = made
            return made
        }
    }
}
