// Adapted rows, and the views on their scopes and prefetched rows.

extension Row {
    /// The row adapted by a mapping of the columns of the statement.
    @usableFromInline
    package func adapted(by mapping: RowMapping) -> Row {
        switch adaptation {
        case .mapped(_, let base): return base.adapted(by: mapping)
        case .slice(_, let unadapted): return part(mapping, unadapted)
        case nil: return part(mapping, layout)
        }
    }

    private func part(_ mapping: RowMapping, _ unadapted: ColumnLayout) -> Row {
        switch mapping.columns {
        case .range(let range): return Row(mapping, range, of: self, unadapted: unadapted)
        case .indexes(let indexes):
            let base = self.unadapted
            return Row(
                layout: mapping.layout, values: indexes.map { base.column(atUncheckedIndex: $0).databaseValue },
                isStrict: isStrict, statement: statement, adaptation: .mapped(mapping, base: base))
        }
    }

    /// Reads the values of an adapted row again, after its base has moved to another row.
    @usableFromInline
    package func refreshAdaptation() {
        guard case .mapped(let mapping, let base) = adaptation else { return }
        values = mapping.indexes.map { base.column(atUncheckedIndex: $0).databaseValue }
        keptScopes = []
    }

    /// The row with the columns of the statement, without any adapter.
    public var unadapted: Row {
        switch adaptation {
        case .mapped(_, let base): base
        case .slice(_, let unadapted):
            if let statement, liveStatement != nil {
                Row(statement: statement)
            } else {
                Row(layout: unadapted, values: values, base: base, isStrict: isStrict)
            }
        case nil: self
        }
    }

    /// The row without its scopes and prefetched rows.
    public var unscoped: Row {
        guard var mapping = adaptation?.mapping, !mapping.scopes.isEmpty || prefetchedTree != nil else {
            return prefetchedTree == nil
                ? self : Row(layout: layout, values: Array(databaseValues), isStrict: isStrict)
        }
        mapping.scopes = [:]
        return adapted(by: mapping)
    }

    /// The scopes of the row: `row.scopes["team"]`.
    public var scopes: ScopesView { ScopesView(row: self) }

    /// The scopes of the row, and those of its scopes.
    public var scopesTree: ScopesTreeView { ScopesTreeView(row: self) }

    /// The prefetched rows of associations.
    public var prefetchedRows: PrefetchedRowsView { PrefetchedRowsView(rows: prefetchedTree) }

    /// The row of a scope, nil if there is no such scope.
    func scope(_ name: String) -> Row? {
        for kept in keptScopes where kept.name == name { return kept.row }
        guard let mapping = adaptation?.mapping.scopes[name] else { return nil }
        let row = adapted(by: mapping)
        row.prefetchedTree = prefetchedTree?.scope(name)
        if keepsDecoding, !row.isAdapted {
            // The part of a row that a cursor moves moves with it.
            row.keepsDecoding = true
            keptScopes.append((name, row))
        }
        return row
    }

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
            let name = mappings[position].key
            return (name, row.scope(name)!)
        }

        /// The row of a scope, or nil.
        public subscript(_ name: String) -> Row? { row.scope(name) }
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
            if let scoped = row.scope(name) { return scoped }
            var level = row.scopes.map(\.row)
            while !level.isEmpty {
                for row in level {
                    if let scoped = row.scopes[name] { return scoped }
                }
                level = level.flatMap { $0.scopes.map(\.row) }
            }
            return nil
        }
    }

    /// The prefetched rows of a row, and of its scopes, by key.
    public struct PrefetchedRowsView {
        let rows: PrefetchedRows?

        /// Whether there is none.
        public var isEmpty: Bool { keys.isEmpty }

        /// The keys.
        public var keys: Set<String> { rows?.tree.keys ?? [] }

        /// The rows of a key, nearest first; nil if there is no such key.
        public subscript(_ key: String) -> [Row]? { rows?[key]?.all }
    }
}
