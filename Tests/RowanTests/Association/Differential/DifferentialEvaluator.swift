// The naive evaluation of descriptions: loops over arrays, implemented from the documentation of requests.

import Rowan

extension Differential {
    struct Evaluator {
        typealias Value = Differential.Value
        /// The rows found so far, by slot.
        typealias Slots = [Values?]

        let content: Content

        /// The rows of a relation, with the rows joined to them.
        func rows(of relation: Relation, _ slots: Slots) -> [Slots] {
            content[relation.table].flatMap { row -> [Slots] in
                var slots = slots
                slots[relation.slot] = row
                return joined(relation, slots).filter { matches(relation, row, $0) }
            }
        }

        private func matches(_ relation: Relation, _ row: Values, _ slots: Slots) -> Bool {
            relation.filters.allSatisfy { value($0, row, slots).truth == true }
                && relation.conditions.allSatisfy { value($0, row, slots).truth == true }
        }

        /// The row of a relation, with all combinations of the rows joined to it.
        private func joined(_ relation: Relation, _ slots: Slots) -> [Slots] {
            var result = [slots]
            for join in relation.joins {
                result = result.flatMap { steps(join, 0, from: $0[relation.slot], $0) }
            }
            return result
        }

        private func steps(_ join: Join, _ index: Int, from origin: Values?, _ slots: Slots) -> [Slots] {
            let result = step(join.rows, index, from: origin, slots) { row, slots in
                if index < join.rows.link.steps.count - 1 { return steps(join, index + 1, from: row, slots) }
                var slots = slots
                slots[join.rows.relation.slot] = row
                // The filters of a joined relation are part of its condition, so they apply before its own joins.
                guard matches(join.rows.relation, row, slots) else { return [] }
                return joined(join.rows.relation, slots)
            }
            return result.isEmpty && !join.isRequired ? [slots] : result
        }

        /// The results of one step.
        private func step<Result>(
            _ rows: AssociatedRows, _ index: Int, from origin: Values?, _ slots: Slots,
            _ body: (Values, Slots) -> [Result]
        ) -> [Result] {
            guard let origin else { return [] }
            let step = rows.link.steps[index]
            return content[step.table].flatMap { row -> [Result] in
                let isLinked = step.pairs.allSatisfy { !origin[$0].isNull && origin[$0].isSame(row[$1]) }
                guard isLinked else { return [] }
                if index == rows.link.steps.count - 2, let filter = rows.pivotFilter,
                    value(filter, row, slots).truth != true
                {
                    return []
                }
                return body(row, slots)
            }
        }

        /// The rows that an association leads to, once per path.
        private func followed(
            _ rows: AssociatedRows, _ index: Int, from origin: Values?, _ slots: Slots
        ) -> [Slots] {
            step(rows, index, from: origin, slots) { row, slots in
                if index < rows.link.steps.count - 1 { return followed(rows, index + 1, from: row, slots) }
                var slots = slots
                slots[rows.relation.slot] = row
                return joined(rows.relation, slots).filter { matches(rows.relation, row, $0) }
            }
        }

        /// The rows that an association leads to, each once.
        func associated(_ rows: AssociatedRows, _ origin: Values?, _ slots: Slots) -> [Values] {
            var known: Set<Values> = []
            return followed(rows, 0, from: origin, slots).compactMap { found in
                let row = found[rows.relation.slot]!
                return known.insert(tables[rows.relation.table].key.map { row[$0] }).inserted ? row : nil
            }
        }
    }
}

// MARK: - Rows as text

extension Differential {
    /// A row with its scopes and prefetched rows, independent of the order of columns.
    struct Tree {
        var columns: [String] = []
        var scopes: [String: Tree] = [:]
        var prefetched: [String: [String]] = [:]

        var text: String {
            var parts = columns.sorted()
            parts += scopes.sorted { $0.key < $1.key }.map { "\($0.key): {\($0.value.text)}" }
            parts += prefetched.sorted { $0.key < $1.key }.map { "\($0.key): [\($0.value.joined(separator: "; "))]" }
            return parts.joined(separator: " ")
        }

        /// The text of rows distinguished by their values: 1 equals 1.0.
        var looseText: String { Tree(columns: looseColumns).text }

        /// The values that distinguish such rows, in selection order, which the text does not keep: two columns with
        /// the same name may have swapped values.
        var looseColumns: [String] { columns.map { $0.hasSuffix(".0") ? String($0.dropLast(2)) : $0 } }

        var isEmpty: Bool { columns.isEmpty && scopes.isEmpty && prefetched.isEmpty }
    }
}

extension Differential.Evaluator {
    typealias Tree = Differential.Tree

    /// The rows of a request as texts: in the request's order if it has one, else sorted.
    func texts(_ request: Differential.Request) -> [String] {
        let slots = Slots(repeating: nil, count: request.slotCount)
        let relation = request.relation
        var found = rows(of: relation, slots)
        if let grouping = request.grouping { return groups(grouping, found, relation).sorted() }
        if request.isTotallyOrdered { found = ordered(found, relation) }
        let windows = columns(request.windows, found, relation)
        var texts = zip(found, windows).map { slots, columns in
            var tree = tree(relation, slots)
            tree.columns += columns
            return tree.text
        }
        if request.isDistinct {
            var known: Set<[String]> = []
            texts = found.map { tree(relation, $0) }.filter { known.insert($0.looseColumns).inserted }.map(\.looseText)
        }
        if let limit = request.limit { texts = Array(texts.dropFirst(limit.offset ?? 0).prefix(limit.count)) }
        return request.isTotallyOrdered ? texts : texts.sorted()
    }

    private func ordered(_ rows: [Slots], _ relation: Differential.Relation) -> [Slots] {
        let keyed = rows.map { slots in
            (slots, relation.orderings.map { value($0.expression, slots[relation.slot], slots) })
        }
        return keyed.sorted { a, b in
            precedes(a.1, b.1, relation.orderings).map { $0 != relation.isReversed } ?? false
        }.map(\.0)
    }

    /// Whether values come before others in some order; nil if they are equal in it.
    func precedes(_ a: [Value], _ b: [Value], _ orderings: [Differential.Ordering]) -> Bool? {
        for (ordering, (first, second)) in zip(orderings, zip(a, b)) where !first.isSame(second) {
            var precedes = first.precedes(second)
            switch ordering.direction {
            case .none, .ascending: break
            case .descending: precedes.toggle()
            case .nullsLast: if first.isNull || second.isNull { precedes.toggle() }
            case .nullsFirst: if !first.isNull && !second.isNull { precedes.toggle() }
            }
            return precedes
        }
        return nil
    }

    func tree(_ relation: Differential.Relation, _ slots: Slots) -> Tree {
        var tree = Tree()
        let row = slots[relation.slot]
        tree.columns = columns(relation, row, slots)
        annotate(&tree, relation, slots)
        addScopes(to: &tree, relation, slots)
        for prefetch in relation.prefetches { tree.prefetched[prefetch.key] = prefetched(prefetch, row, slots) }
        return tree
    }

    /// The selected columns with the annotations; all are NULL for a missing row.
    private func columns(_ relation: Differential.Relation, _ row: Differential.Values?, _ slots: Slots) -> [String] {
        let table = Differential.tables[relation.table]
        let selected =
            relation.selection.isEmpty
            ? table.columns.indices.map { "\(table.columns[$0].name)=\((row?[$0] ?? .null).text)" } : []
        return selected
            + (relation.selection + relation.annotations).map { "\($0.name)=\(value($0.expression, row, slots).text)" }
    }

    private func annotate(_ tree: inout Tree, _ relation: Differential.Relation, _ slots: Slots) {
        for join in relation.joins where join.content != .scope {
            let joined = join.rows.relation
            if join.content == .columns { tree.columns += columns(joined, slots[joined.slot], slots) }
            annotate(&tree, joined, slots)
        }
    }

    private func addScopes(to tree: inout Tree, _ relation: Differential.Relation, _ slots: Slots) {
        for join in relation.joins {
            var scope = Tree()
            if join.content == .scope {
                scope = self.tree(join.rows.relation, slots)
            } else {
                addScopes(to: &scope, join.rows.relation, slots)
            }
            guard !scope.isEmpty else { continue }
            for name in join.names.dropFirst().reversed() { scope = Tree(scopes: [name: scope]) }
            tree.scopes[join.names[0]] = scope
        }
    }

    private func prefetched(
        _ prefetch: Differential.Prefetch, _ row: Differential.Values?, _ slots: Slots
    ) -> [String] {
        let relation = prefetch.rows.relation
        let found = followed(prefetch.rows, 0, from: row, slots)
        guard !relation.orderings.isEmpty else { return found.map { tree(relation, $0).text }.sorted() }
        return ordered(found, relation).map { tree(relation, $0).text }
    }

    // MARK: Groups

    private func groups(
        _ grouping: Differential.Grouping, _ rows: [Slots], _ relation: Differential.Relation
    ) -> [String] {
        var groups: [[Value]: [Slots]] = grouping.keys.isEmpty ? [[]: []] : [:]
        for slots in rows {
            groups[grouping.keys.map { value($0, slots[relation.slot], slots) }, default: []].append(slots)
        }
        return groups.compactMap { key, members in
            let values = grouping.values.map { group in
                group.function.value(of: members.map { value(group.expression, $0[relation.slot], $0) })
            }
            if let (index, comparison, value) = grouping.having {
                let condition = Differential.Expression.comparison(comparison, .value(values[index]), .value(value))
                guard self.value(condition, nil, []).truth == true else { return nil }
            }
            var tree = Tree()
            tree.columns = key.enumerated().map { "g\($0)=\($1.text)" }
            tree.columns += zip(grouping.values, values).map { "\($0.name)=\($1.text)" }
            return tree.text
        }
    }
}

extension Differential.GroupValue.Function {
    fileprivate func value(of values: [Differential.Value]) -> Differential.Value {
        let known = values.filter { !$0.isNull }
        return switch self {
        case .countAll: .int(Int64(values.count))
        case .count: .int(Int64(known.count))
        case .countDistinct: .int(Int64(Set(known.map(\.distinctKey)).count))
        case .sum: Differential.Aggregate.sum.value(of: values)
        case .min: Differential.Aggregate.min.value(of: values)
        case .max: Differential.Aggregate.max.value(of: values)
        case .average: Differential.Aggregate.average.value(of: values)
        case .total: Differential.Aggregate.total.value(of: values)
        }
    }
}
