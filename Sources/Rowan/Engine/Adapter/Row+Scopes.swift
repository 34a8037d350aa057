// Adapted rows, and the views on their scopes and prefetched rows.

extension Row {
    /// The row adapted by a mapping: an owned row, which knows the row it comes from.
    @usableFromInline
    package func adapted(by mapping: RowMapping) -> Row {
        Row(
            layout: mapping.layout, values: mapping.indexes.map { column(atUncheckedIndex: $0).databaseValue },
            isStrict: isStrict, statement: statement, adaptation: Adaptation(base: self, mapping: mapping))
    }

    /// Reads the values of an adapted row again, after its base has moved to another row.
    @usableFromInline
    package func refreshAdaptation() {
        guard let adaptation else { return }
        values = adaptation.mapping.indexes.map { adaptation.base.column(atUncheckedIndex: $0).databaseValue }
    }

    /// The row with the columns of the statement, without any adapter.
    public var unadapted: Row { adaptation?.base ?? self }

    /// The row without its scopes and prefetched rows.
    public var unscoped: Row {
        guard let adaptation, !adaptation.mapping.scopes.isEmpty || !prefetched.isEmpty else {
            return prefetched.isEmpty ? self : Row(layout: layout, values: Array(databaseValues), isStrict: isStrict)
        }
        var mapping = adaptation.mapping
        mapping.scopes = [:]
        return adaptation.base.adapted(by: mapping)
    }

    /// The scopes of the row: `row.scopes["team"]`.
    public var scopes: ScopesView { ScopesView(row: self) }

    /// The scopes of the row, and those of its scopes.
    public var scopesTree: ScopesTreeView { ScopesTreeView(row: self) }

    /// The prefetched rows of associations.
    public var prefetchedRows: PrefetchedRowsView { PrefetchedRowsView(rows: prefetched) }

    /// The scopes of a row: named rows that an adapter defines.
    public struct ScopesView: Collection {
        public typealias Index = Dictionary<String, RowMapping>.Index

        let row: Row

        private var mappings: [String: RowMapping] { row.adaptation?.mapping.scopes ?? [:] }

        /// The names of the scopes.
        public var names: Dictionary<String, RowMapping>.Keys { mappings.keys }

        public var startIndex: Index { mappings.startIndex }
        public var endIndex: Index { mappings.endIndex }
        public func index(after i: Index) -> Index { mappings.index(after: i) }

        public subscript(position: Index) -> (name: String, row: Row) {
            let (name, mapping) = mappings[position]
            return (name, row.unadapted.adapted(by: mapping))
        }

        /// The row of a scope, or nil.
        public subscript(_ name: String) -> Row? {
            mappings[name].map { row.unadapted.adapted(by: $0) }
        }
    }

    /// The scopes of a row at any depth.
    public struct ScopesTreeView {
        let row: Row

        /// The names of all scopes.
        public var names: Set<String> {
            var names = Set(row.scopes.names)
            for (_, scoped) in row.scopes { names.formUnion(scoped.scopesTree.names) }
            return names
        }

        /// The row of the first scope with this name, nearest first.
        public subscript(_ name: String) -> Row? {
            var level = [row]
            while !level.isEmpty {
                for row in level {
                    if let scoped = row.scopes[name] { return scoped }
                }
                level = level.flatMap { $0.scopes.map(\.row) }
            }
            return nil
        }
    }

    /// The prefetched rows of a row, by key.
    public struct PrefetchedRowsView {
        let rows: [String: [Row]]

        /// Whether there is none.
        public var isEmpty: Bool { rows.isEmpty }

        /// The keys.
        public var keys: Set<String> { Set(rows.keys) }

        /// The rows of a key, or nil.
        public subscript(_ key: String) -> [Row]? { rows[key] }
    }
}
