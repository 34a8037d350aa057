// Expressions in two forms: as SQL expressions of the public API, and as plain functions of rows.

import Rowan

extension Differential {
    indirect enum Expression {
        /// A column of the current row, or of a slot's row.
        case column(slot: Int?, table: Int, Int)
        case value(Value)
        case comparison(Comparison, Expression, Expression)
        case isNull(Expression, isNegated: Bool)
        case isIn(Expression, [Value], isNegated: Bool)
        case between(Expression, Value, Value, isNegated: Bool)
        case like(Expression, String, isNegated: Bool)
        case and(Expression, Expression)
        case or(Expression, Expression)
        case not(Expression)
        case arithmetic(Arithmetic, Expression, Expression)
        case minus(Expression)
        case ifNull(Expression, Expression)
        case aggregate(AssociatedRows, Aggregate, Expression)
        /// `expression IN (SELECT column FROM ...)`
        case isInRequest(Expression, Relation, column: Int)
        case exists(Relation)
    }

    enum Comparison: CaseIterable { case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, isSame, isNot }

    /// The rows of an association, filtered.
    struct AssociatedRows {
        var link: Link
        var pivotFilter: Expression?
        var relation: Relation
    }
}

// MARK: - As SQL

extension Differential {
    /// Builds requests from descriptions.
    struct Builder {
        /// The aliases of the slots that have one.
        var aliases: [Int: TableAlias<Row>]

        func sql(_ expression: Expression) -> SQLExpression {
            switch expression {
            case .column(let slot, let table, let index):
                let name = tables[table].columns[index].name
                if let slot { return aliases[slot]![name] }
                return Column(name).sqlExpression
            case .value(let value): return value.databaseValue.sqlExpression
            case .comparison(let comparison, let a, let b): return compare(comparison, sql(a), sql(b))
            case .isNull(let a, let isNegated): return isNegated ? sql(a) != nil : sql(a) == nil
            case .isIn(let a, let values, let isNegated):
                let test = values.map(\.databaseValue).contains(sql(a))
                return isNegated ? !test : test
            case .between(let a, let lower, let upper, let isNegated):
                let test = between(sql(a), lower, upper)
                return isNegated ? !test : test
            case .like(let a, let pattern, let isNegated):
                return isNegated ? !sql(a).like(pattern) : sql(a).like(pattern)
            case .and(let a, let b): return sql(a) && sql(b)
            case .or(let a, let b): return sql(a) || sql(b)
            case .not(let a): return !sql(a)
            case .arithmetic(let op, let a, let b): return calculate(op, sql(a), sql(b))
            case .minus(let a): return -sql(a)
            case .ifNull(let a, let b): return sql(a) ?? sql(b)
            case .aggregate(let rows, let function, let argument):
                return aggregate(rows, function, argument).sqlExpression
            case .isInRequest(let a, let relation, let column):
                let request = request(relation).select(Column(tables[relation.table].columns[column].name))
                return request.contains(sql(a))
            case .exists(let relation): return request(relation).exists()
            }
        }

        private func compare(_ comparison: Comparison, _ a: SQLExpression, _ b: SQLExpression) -> SQLExpression {
            switch comparison {
            case .equal: a == b
            case .notEqual: a != b
            case .less: a < b
            case .lessOrEqual: a <= b
            case .greater: a > b
            case .greaterOrEqual: a >= b
            case .isSame: a === b
            case .isNot: a !== b
            }
        }

        private func calculate(_ op: Arithmetic, _ a: SQLExpression, _ b: SQLExpression) -> SQLExpression {
            switch op {
            case .plus: a + b
            case .minus: a - b
            case .times: a * b
            case .divided: a / b
            }
        }

        private func between(_ a: SQLExpression, _ lower: Value, _ upper: Value) -> SQLExpression {
            switch (lower, upper) {
            case (.int(let lower), .int(let upper)): (lower...upper).contains(a)
            case (.real(let lower), .real(let upper)): (lower...upper).contains(a)
            case (.text(let lower), .text(let upper)): (lower...upper).contains(a)
            default: preconditionFailure("bounds have one type")
            }
        }

        func aggregate(
            _ rows: AssociatedRows, _ function: Aggregate, _ argument: Expression
        ) -> AssociationAggregate<Row> {
            func make<A: AssociationToMany>(_ association: A) -> AssociationAggregate<Row>
            where A.OriginRowDecoder == Row, A.RowDecoder == Row {
                switch function {
                case .count: association.count
                case .isEmpty: association.isEmpty
                case .sum: association.sum(sql(argument))
                case .min: association.min(sql(argument))
                case .max: association.max(sql(argument))
                case .average: association.average(sql(argument))
                case .total: association.total(sql(argument))
                }
            }
            let association = association(rows)
            if let association = association as? HasManyAssociation<Row, Row> { return make(association) }
            return make(association as! HasManyThroughAssociation<Row, Row>)
        }

        /// A condition on aggregates, built with the operators of aggregates.
        func predicate(_ expression: Expression) -> AssociationAggregate<Row>? {
            switch expression {
            case .aggregate(let rows, let function, let argument): return aggregate(rows, function, argument)
            case .not(let a): return predicate(a).map { !$0 }
            case .minus(let a): return predicate(a).map { -$0 }
            case .isNull(let a, let isNegated): return predicate(a).map { isNegated ? $0 != nil : $0 == nil }
            case .ifNull(let a, let b): return predicate(a).map { $0 ?? sql(b) }
            // The aggregate comes first.
            case .and(let a, let b): return combine(a, b, { $0 && $1 }, { $1 && $0 })
            case .or(let a, let b): return combine(a, b, { $0 || $1 }, { $1 || $0 })
            case .arithmetic(let op, let a, let b):
                switch op {
                case .plus: return combine(a, b, { $0 + $1 }, { $0 + $1 })
                case .minus: return combine(a, b, { $0 - $1 }, { $0 - $1 })
                case .times: return combine(a, b, { $0 * $1 }, { $0 * $1 })
                case .divided: return combine(a, b, { $0 / $1 }, { $0 / $1 })
                }
            case .comparison(let comparison, let a, let b):
                switch comparison {
                case .equal: return combine(a, b, { $0 == $1 }, { $0 == $1 })
                case .notEqual: return combine(a, b, { $0 != $1 }, { $0 != $1 })
                case .less: return combine(a, b, { $0 < $1 }, { $0 < $1 })
                case .lessOrEqual: return combine(a, b, { $0 <= $1 }, { $0 <= $1 })
                case .greater: return combine(a, b, { $0 > $1 }, { $0 > $1 })
                case .greaterOrEqual: return combine(a, b, { $0 >= $1 }, { $0 >= $1 })
                case .isSame: return combine(a, b, { $0 === $1 }, { $0 === $1 })
                case .isNot: return combine(a, b, { $0 !== $1 }, { $0 !== $1 })
                }
            case .column, .value, .isIn, .between, .like, .isInRequest, .exists: return nil
            }
        }

        private typealias Condition = AssociationAggregate<Row>

        private func combine(
            _ a: Expression, _ b: Expression, _ left: (Condition, SQLExpression) -> Condition,
            _ right: (SQLExpression, Condition) -> Condition
        ) -> Condition? {
            if let first = predicate(a) { return left(first, predicate(b)?.sqlExpression ?? sql(b)) }
            return predicate(b).map { right(sql(a), $0) }
        }
    }
}

// MARK: - As a function

extension Differential.Evaluator {
    func value(_ expression: Differential.Expression, _ row: Differential.Values?, _ slots: Slots) -> Value {
        func evaluate(_ expression: Differential.Expression) -> Value { value(expression, row, slots) }
        func negated(_ value: Value, _ isNegated: Bool) -> Value { isNegated ? Value(value.truth.map { !$0 }) : value }
        switch expression {
        case .column(nil, _, let index): return row?[index] ?? .null
        case .column(let slot?, _, let index): return slots[slot]?[index] ?? .null
        case .value(let value): return value
        case .comparison(let comparison, let a, let b): return compare(comparison, evaluate(a), evaluate(b))
        case .isNull(let a, let isNegated): return Value(evaluate(a).isNull != isNegated)
        case .isIn(let a, let values, let isNegated): return negated(isIn(evaluate(a), values), isNegated)
        case .between(let a, let lower, let upper, let isNegated):
            let value = evaluate(a)
            let result = value.isNull ? .null : Value(!value.precedes(lower) && !upper.precedes(value))
            return negated(result, isNegated)
        case .like(let a, let pattern, let isNegated): return negated(evaluate(a).like(pattern), isNegated)
        case .and(let a, let b):
            let (a, b) = (evaluate(a).truth, evaluate(b).truth)
            return a == false || b == false ? Value(false) : a == nil || b == nil ? .null : Value(true)
        case .or(let a, let b):
            let (a, b) = (evaluate(a).truth, evaluate(b).truth)
            return a == true || b == true ? Value(true) : a == nil || b == nil ? .null : Value(false)
        case .not(let a): return Value(evaluate(a).truth.map { !$0 })
        case .arithmetic(let op, let a, let b): return Value.arithmetic(op, evaluate(a), evaluate(b))
        case .minus(let a): return Value.arithmetic(.minus, .int(0), evaluate(a))
        case .ifNull(let a, let b):
            let value = evaluate(a)
            return value.isNull ? evaluate(b) : value
        case .aggregate(let rows, let function, let argument):
            guard row != nil else { return .null }
            let values = associated(rows, row, slots).map { value(argument, $0, slots) }
            return function.value(of: values)
        case .isInRequest(let a, let relation, let column):
            return isIn(evaluate(a), self.rows(of: relation, slots).map { $0[relation.slot]![column] })
        case .exists(let relation): return Value(!self.rows(of: relation, slots).isEmpty)
        }
    }

    private func compare(_ comparison: Differential.Comparison, _ a: Value, _ b: Value) -> Value {
        switch comparison {
        case .equal: a.compared(b) { $0.isSame($1) }
        case .notEqual: a.compared(b) { !$0.isSame($1) }
        case .less: a.compared(b) { $0.precedes($1) }
        case .lessOrEqual: a.compared(b) { !$1.precedes($0) }
        case .greater: a.compared(b) { $1.precedes($0) }
        case .greaterOrEqual: a.compared(b) { !$0.precedes($1) }
        case .isSame: Value(a.isSame(b))
        case .isNot: Value(!a.isSame(b))
        }
    }

    private func isIn(_ value: Value, _ values: [Value]) -> Value {
        if values.isEmpty { return Value(false) }
        if value.isNull { return .null }
        if values.contains(where: value.isSame) { return Value(true) }
        return values.contains(.null) ? .null : Value(false)
    }
}
