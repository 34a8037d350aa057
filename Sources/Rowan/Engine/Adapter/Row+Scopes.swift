// Adapted rows, with views of their scopes and prefetched rows.

extension Row {
    /// A row that shows other columns of the same statement.
    package func adapted(to layout: ColumnLayout) -> Row {
        Row(layout: layout, storage: storage.scope(nil), base: base)
    }

    /// The row with all columns of the statement, without an adapter.
    public var unadapted: Row {
        isAdapted ? Row(layout: storage.columns, storage: storage.scope(nil), base: base) : self
    }

    /// The row without its scopes and prefetched rows.
    public var unscoped: Row {
        guard !layout.scopes.isEmpty || storage.prefetched != nil else { return self }
        let layout = layout.scopes.isEmpty ? layout : ColumnLayout(layout, scopes: [:])
        return Row(layout: layout, storage: storage.scope(nil), base: base)
    }

    /// The scopes of the row: `row.scopes["team"]`.
    public var scopes: ScopesView { ScopesView(row: self) }

    /// The scopes of the row and their nested scopes.
    public var scopesTree: ScopesTreeView { ScopesTreeView(row: self) }

    /// The prefetched rows of associations.
    public var prefetchedRows: PrefetchedRowsView { PrefetchedRowsView(rows: prefetchedTree) }

    /// The row of a scope, or nil if the scope does not exist.
    func scope(_ name: String) -> Row? {
        if let memory {
            for kept in memory.scopes where kept.name == name { return kept.row }
        }
        guard let layout = layout.scopes[name] else { return nil }
        let row = Row(layout: layout, storage: storage.scope(name), base: base)
        if isMoved {
            // A row's scope moves with the row.
            row.isMoved = true
            remembering().scopes.append((name, row))
        }
        return row
    }

    /// The scopes of a row: named rows defined by an adapter.
    public struct ScopesView: Collection {
        /// A position among the scopes.
        public typealias Index = Dictionary<String, ColumnLayout>.Index

        let row: Row

        private var layouts: [String: ColumnLayout] { row.layout.scopes }

        /// The names of the scopes.
        public var names: Dictionary<String, ColumnLayout>.Keys { layouts.keys }

        /// The position of the first scope.
        public var startIndex: Index { layouts.startIndex }
        /// The position after the last scope.
        public var endIndex: Index { layouts.endIndex }
        /// The position after another position.
        public func index(after i: Index) -> Index { layouts.index(after: i) }

        /// The name and the row of a scope.
        public subscript(position: Index) -> (name: String, row: Row) {
            let name = layouts[position].key
            return (name, row.scope(name)!)
        }

        /// The row of a scope, or nil if the scope does not exist.
        public subscript(_ name: String) -> Row? { row.scope(name) }
    }

    /// The scopes of a row, at any depth.
    public struct ScopesTreeView {
        let row: Row

        /// The names of all scopes.
        public var names: Set<String> {
            var names = Set(row.scopes.names)
            for (_, scoped) in row.scopes { names.formUnion(scoped.scopesTree.names) }
            return names
        }

        /// The row of the nearest scope with this name, or nil if it does not exist.
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

    /// The prefetched rows of a row and of its scopes, by association key.
    public struct PrefetchedRowsView {
        let rows: PrefetchedRows?

        /// Whether there are no prefetched rows.
        public var isEmpty: Bool { keys.isEmpty }

        /// The association keys.
        public var keys: Set<String> { rows?.tree.keys ?? [] }

        /// The prefetched rows of the association with this key, or nil if it does not exist: first from the row
        /// itself, then from its nearest scope, then from the first one that the request includes.
        public subscript(_ key: String) -> [Row]? { rows?[key]?.all }
    }
}
