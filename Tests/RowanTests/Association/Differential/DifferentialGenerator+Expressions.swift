// Random expressions: conditions, numbers and texts, aggregates of associations.

import Rowan

extension Differential {
    /// The columns available to an expression: those of its table, and those of aliases.
    struct Scope {
        var table: Int
        var aliased: [(slot: Int, table: Int)]
    }
}

extension Differential.Generator {
    typealias Expression = Differential.Expression
    typealias Scope = Differential.Scope
    typealias Value = Differential.Value

    mutating func column(_ scope: Scope, isText: Bool) -> Expression? {
        var places: [(slot: Int?, table: Int)] = [(nil, scope.table), (nil, scope.table)]
        places += scope.aliased.map { ($0.slot, $0.table) }
        let (slot, table) = pick(places)
        let columns = Differential.tables[table].columns
        let candidates = columns.indices.filter { (columns[$0].kind == .text) == isText }
        guard let index = candidates.randomElement(using: &random) else { return nil }
        return .column(slot: slot, table: table, index)
    }

    mutating func constant() -> Value { Differential.value(chance(60) ? .integer : .real, &random) }

    mutating func word() -> String { chance(50) ? pick(Differential.codes) : pick(Differential.words) }

    mutating func text(_ scope: Scope) -> Expression { column(scope, isText: true) ?? .value(.text(word())) }

    mutating func number(_ scope: Scope, depth: Int, dividing: Bool = true) -> Expression {
        guard depth > 0, chance(50) else {
            if chance(85), let column = column(scope, isText: false) { return column }
            return .value(constant())
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .minus(number(scope, depth: depth - 1, dividing: dividing))
        case 1:
            return .ifNull(
                number(scope, depth: depth - 1, dividing: dividing), number(scope, depth: depth - 1, dividing: dividing)
            )
        case 2 where dividing:
            return .arithmetic(.divided, number(scope, depth: depth - 1), number(scope, depth: depth - 1))
        default:
            let op = pick([Differential.Arithmetic.plus, .minus, .times])
            return .arithmetic(
                op, number(scope, depth: depth - 1, dividing: dividing),
                number(scope, depth: depth - 1, dividing: dividing))
        }
    }

    mutating func condition(_ scope: Scope, depth: Int) -> Expression {
        if depth > 0, chance(40) {
            let (a, b) = (condition(scope, depth: depth - 1), condition(scope, depth: depth - 1))
            switch Int.random(in: 0..<3, using: &random) {
            case 0: return .and(a, b)
            case 1: return .or(a, b)
            default: return .not(a)
            }
        }
        if remainingAggregates > 0, chance(25), let aggregate = aggregate(scope.table) {
            return .comparison(pick(Differential.Comparison.allCases), aggregate, .value(constant()))
        }
        if remainingSubqueries > 0, chance(50) { return subquery(scope) }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .isNull(number(scope, depth: 1), isNegated: chance(50))
        case 1: return .isNull(text(scope), isNegated: chance(50))
        case 2:
            let isText = chance(40)
            let values = (0..<Int.random(in: 0...4, using: &random)).map { _ in
                chance(8) ? Value.null : isText ? .text(word()) : constant()
            }
            return .isIn(isText ? text(scope) : number(scope, depth: 1), values, isNegated: chance(40))
        case 3:
            let isText = chance(30)
            let kind: Differential.Table.Kind = isText ? .text : chance(50) ? .integer : .real
            let bounds = [Differential.value(kind, &random), Differential.value(kind, &random)]
            // Swift and SQLite don't order all texts alike: where they differ, both bounds are equal.
            let lower = bounds[0].precedes(bounds[1]) ? bounds[0] : bounds[1]
            let upper = bounds[0].precedes(bounds[1]) ? bounds[1] : bounds[0]
            return .between(isText ? text(scope) : number(scope, depth: 1), lower, upper, isNegated: chance(40))
        case 4:
            return .like(
                text(scope), pick(["%", "a%", "%B%", "_", "__", "%a_%", "", "fr", "é", "zoo"]), isNegated: chance(40))
        case 5: return .comparison(pick(Differential.Comparison.allCases), text(scope), .value(.text(word())))
        case 6: return .comparison(pick(Differential.Comparison.allCases), text(scope), text(scope))
        case 7: return number(scope, depth: 1)
        default:
            return .comparison(
                pick(Differential.Comparison.allCases), number(scope, depth: 1),
                number(scope, depth: chance(50) ? 0 : 1))
        }
    }

    private mutating func subquery(_ scope: Scope) -> Expression {
        remainingSubqueries -= 1
        let table = Int.random(in: 0..<Differential.tables.count, using: &random)
        var relation = Differential.Relation(table: table, slot: newSlot(isAliased: false))
        let isCorrelated = !scope.aliased.isEmpty && chance(60)
        relation.filters = [condition(Scope(table: table, aliased: isCorrelated ? scope.aliased : []), depth: 1)]
        if chance(40) { return .exists(relation) }
        let columns = Differential.tables[table].columns
        let index = Int.random(in: 0..<columns.count, using: &random)
        let operand = columns[index].kind == .text ? text(scope) : number(scope, depth: 0)
        return .isInRequest(operand, relation, column: index)
    }

    // MARK: Aggregates

    /// An aggregate of an association of a table.
    mutating func aggregate(_ table: Int) -> Expression? {
        let candidates = links.filter { $0.origin == table && $0.isToMany }
        guard !candidates.isEmpty else { return nil }
        remainingAggregates -= 1
        let link = pick(candidates)
        var relation = Differential.Relation(table: link.table, slot: newSlot(isAliased: false))
        let scope = Scope(table: link.table, aliased: [])
        if chance(40) { relation.filters = [condition(scope, depth: 1)] }
        var rows = Differential.AssociatedRows(link: link, relation: relation)
        if link.steps.count > 1, chance(20) {
            rows.pivotFilter = condition(Scope(table: link.steps[link.steps.count - 2].table, aliased: []), depth: 1)
        }
        if chance(15) { addJoin(to: &rows.relation) }
        let function = pick(Differential.Aggregate.allCases)
        return .aggregate(rows, function, number(scope, depth: 1, dividing: false))
    }

    /// A required association of associated rows.
    private mutating func addJoin(to relation: inout Differential.Relation) {
        let candidates = links.filter { $0.origin == relation.table }
        guard !candidates.isEmpty else { return }
        let link = pick(candidates)
        var rows = Differential.AssociatedRows(
            link: link, relation: Differential.Relation(table: link.table, slot: newSlot(isAliased: false)))
        if chance(50) { rows.relation.filters = [condition(Scope(table: link.table, aliased: []), depth: 0)] }
        relation.joins = [
            Differential.Join(isRequired: chance(70), content: .nothing, key: nil, rows: rows, isSplit: false)
        ]
    }

    /// A condition built with the operators of aggregates.
    mutating func aggregateCondition(_ table: Int, depth: Int) -> Expression? {
        guard remainingAggregates > 0, let first = aggregate(table) else { return nil }
        let other: Expression = remainingAggregates > 0 && chance(40) ? aggregate(table) ?? first : .value(constant())
        let comparison = Expression.comparison(
            pick(Differential.Comparison.allCases),
            chance(30) ? .arithmetic(pick([.plus, .minus, .times]), first, .value(constant())) : first, other)
        let test: Expression = chance(15) ? .isNull(first, isNegated: chance(50)) : comparison
        guard depth > 0, chance(40), let second = aggregateCondition(table, depth: depth - 1) else {
            return chance(20) ? .not(test) : test
        }
        return chance(50) ? .and(test, second) : .or(second, test)
    }
}
