// Compound requests, and their naive evaluation.

import Rowan

extension Differential {
    enum SetOperator: CaseIterable { case union, unionAll, intersect, except }

    /// Requests with the same columns, as one.
    struct Compound {
        var first: Request
        var others: [(op: SetOperator, request: Request)]
    }
}

extension Differential.Builder {
    func request(_ compound: Differential.Compound) -> CompoundRequest<Row>? {
        var result: CompoundRequest<Row>?
        let first = request(compound.first)
        for (op, other) in compound.others {
            let other = request(other)
            switch op {
            case .union: result = result?.union(other) ?? first.union(other)
            case .unionAll: result = result?.unionAll(other) ?? first.unionAll(other)
            case .intersect: result = result?.intersect(other) ?? first.intersect(other)
            case .except: result = result?.except(other) ?? first.except(other)
            }
        }
        return result
    }
}

extension Differential.Evaluator {
    /// The rows of a compound request, as sorted texts in which 1 is 1.0.
    func texts(_ compound: Differential.Compound) -> [String] {
        var rows = looseTexts(compound.first)
        for (op, request) in compound.others {
            let others = looseTexts(request)
            switch op {
            case .union: rows = Array(Set(rows + others))
            case .unionAll: rows += others
            case .intersect: rows = Array(Set(rows).intersection(others))
            case .except: rows = Array(Set(rows).subtracting(others))
            }
        }
        return rows.sorted()
    }

    private func looseTexts(_ request: Differential.Request) -> [String] {
        let slots = Slots(repeating: nil, count: request.slotCount)
        return rows(of: request.relation, slots).map { tree(request.relation, $0).looseText }
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
        var compound = Differential.Compound(first: first, others: others)
        compound.first.slotCount = slotCount
        for index in others.indices { compound.others[index].request.slotCount = slotCount }
        return compound
    }

    /// A request of columns of some kinds: texts or numbers.
    private mutating func member(_ kinds: [Bool]) -> Differential.Request {
        var relation = plainRelation()
        let scope = Scope(table: relation.table, aliased: relation.isAliased ? [(relation.slot, relation.table)] : [])
        relation.selection = kinds.enumerated().map { index, isText in
            Differential.Named(name: "s\(index)", expression: isText ? text(scope) : number(scope, depth: 1))
        }
        return Differential.Request(relation: relation, slotCount: 0)
    }
}
