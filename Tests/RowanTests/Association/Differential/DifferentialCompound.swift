// Compound requests, and their naive evaluation.

import Rowan

extension Differential {
    enum SetOperator: CaseIterable { case union, unionAll, intersect, except }

    /// Combined requests with the same columns.
    struct Compound {
        var first: Request
        var others: [(op: SetOperator, request: Request)]
        /// The order of the compound: for each column, whether it is descending.
        var descends: [Bool]?
        var limit: (count: Int, offset: Int?)?
        /// Requests combined with the ordered and limited result.
        var later: [(op: SetOperator, request: Request)]

        var hasOrder: Bool { descends != nil && later.isEmpty }
    }
}

extension Differential.Builder {
    func request(_ compound: Differential.Compound) -> CompoundRequest<Row>? {
        guard let (op, other) = compound.others.first else { return nil }
        var result = add(op, request(other), to: request(compound.first))
        for (op, other) in compound.others.dropFirst() { result = add(op, request(other), to: result) }
        if let descends = compound.descends {
            result = result.order(
                descends.enumerated().map { $1 ? Column("s\($0)").desc : Column("s\($0)").sqlOrdering })
        }
        if let limit = compound.limit { result = result.limit(limit.count, offset: limit.offset) }
        for (op, other) in compound.later { result = add(op, request(other), to: result) }
        return result
    }

    private func add(
        _ op: Differential.SetOperator, _ other: some FetchRequest<Row>, to request: some FetchRequest<Row>
    ) -> CompoundRequest<Row> {
        switch op {
        case .union: request.union(other)
        case .unionAll: request.unionAll(other)
        case .intersect: request.intersect(other)
        case .except: request.except(other)
        }
    }
}

extension Differential.Evaluator {
    /// The rows of a compound request as texts, in which 1 is written as 1.0: in its order if it has one, else sorted.
    func texts(_ compound: Differential.Compound) -> [String] {
        var rows = rows(of: compound.first)
        for (op, request) in compound.others { rows = combined(rows, op, self.rows(of: request)) }
        if let descends = compound.descends { rows.sort { precedes($0, $1, descends) } }
        if let limit = compound.limit { rows = Array(rows.dropFirst(limit.offset ?? 0).prefix(limit.count)) }
        for (op, request) in compound.later { rows = combined(rows, op, self.rows(of: request)) }
        let texts = rows.map(looseText)
        return compound.hasOrder ? texts : texts.sorted()
    }

    private func rows(of request: Differential.Request) -> [Differential.Values] {
        let slots = Slots(repeating: nil, count: request.slotCount)
        let relation = request.relation
        return rows(of: relation, slots).map { slots in
            relation.selection.map { value($0.expression, slots[relation.slot], slots) }
        }
    }

    private func looseText(_ row: Differential.Values) -> String {
        Tree(columns: row.enumerated().map { "s\($0)=\($1.text)" }).looseText
    }

    private func combined(
        _ rows: [Differential.Values], _ op: Differential.SetOperator, _ others: [Differential.Values]
    ) -> [Differential.Values] {
        var known: Set<String> = []
        let otherTexts = Set(others.map(looseText))
        switch op {
        case .unionAll: return rows + others
        case .union: return (rows + others).filter { known.insert(looseText($0)).inserted }
        case .intersect: known = []
        case .except: known = otherTexts
        }
        return rows.filter { row in
            let text = looseText(row)
            guard op == .except || otherTexts.contains(text) else { return false }
            return known.insert(text).inserted
        }
    }

    private func precedes(_ a: Differential.Values, _ b: Differential.Values, _ descends: [Bool]) -> Bool {
        for (index, descends) in descends.enumerated() where !a[index].isSame(b[index]) {
            return a[index].precedes(b[index]) != descends
        }
        return false
    }
}

extension Differential.Generator {
    mutating func compound() -> Differential.Compound {
        let kinds = (0..<pick([1, 2])).map { _ in chance(30) }
        start(joins: 2, aggregates: 1)
        let first = member(kinds)
        let others = (0..<pick([1, 1, 2, 3])).map { _ in
            (op: pick(Differential.SetOperator.allCases), request: member(kinds))
        }
        var compound = Differential.Compound(first: first, others: others, later: [])
        if chance(50) {
            compound.descends = kinds.map { _ in chance(50) }
            if chance(70) { compound.limit = (pick([0, 1, 2, 3, 5]), chance(40) ? pick([0, 1, 2]) : nil) }
            if chance(30) {
                compound.later = [(op: pick(Differential.SetOperator.allCases), request: member(kinds))]
            }
        }
        compound.first.slotCount = slotCount
        for index in others.indices { compound.others[index].request.slotCount = slotCount }
        for index in compound.later.indices { compound.later[index].request.slotCount = slotCount }
        return compound
    }

    /// A request of columns of the given kinds: texts or numbers.
    private mutating func member(_ kinds: [Bool]) -> Differential.Request {
        var relation = plainRelation()
        let scope = Scope(table: relation.table, aliased: relation.isAliased ? [(relation.slot, relation.table)] : [])
        relation.selection = kinds.enumerated().map { index, isText in
            Differential.Named(name: "s\(index)", expression: isText ? text(scope) : number(scope, depth: 1))
        }
        return Differential.Request(relation: relation, slotCount: 0)
    }
}
