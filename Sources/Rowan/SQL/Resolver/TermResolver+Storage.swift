// Encodes values compared with a column in the form that the column's record type stores: identifiers as texts, dates
// as numbers…

extension TermResolver {
    /// A comparison with a column, with values encoded as the column's record type stores them.
    func stored(_ expression: SQLExpression) -> SQLExpression {
        switch expression.node {
        case .binary(let op, let a, let b):
            SQLExpression(.binary(op, stored(a, like: b), stored(b, like: a)))
        case .equal(let a, let b, let isNegated):
            SQLExpression(.equal(stored(a, like: b), stored(b, like: a), isNegated: isNegated))
        case .between(let a, let b, let c, let isNegated):
            SQLExpression(.between(stored(a, like: b), stored(b, like: a), stored(c, like: a), isNegated: isNegated))
        case .isIn(let a, .expressions(let values), let isNegated):
            SQLExpression(
                .isIn(
                    stored(a, likeFirstOf: values), .expressions(values.map { stored($0, like: a) }),
                    isNegated: isNegated))
        case .isIn(let a, .rows(let rows), let isNegated):
            SQLExpression(.isIn(a, .rows(rows.map { stored($0, like: a) }), isNegated: isNegated))
        case .isIn(let a, .subquery(let subquery), let isNegated):
            SQLExpression(.isIn(stored(a, likeColumnOf: subquery), .subquery(subquery), isNegated: isNegated))
        case .function(let call) where call.result == .firstArgument: SQLExpression(.function(stored(call)))
        // Not a comparison.
        case .isIn(_, .table, _), .isIn(_, .values, _), .value, .constant, .column, .literal, .unary, .associative,
            .like,
            .collated, .function, .windowed, .conditional, .cast, .subquery, .exists, .tuple, .storable, .bound,
            .symbol:
            expression
        }
    }

    /// Encodes a value as the record type of a column stores it, or several values like several columns.
    func stored(_ value: SQLExpression, like column: SQLExpression) -> SQLExpression {
        if case .storable(let storable) = value.node, let (name, storage) = storage(of: column) {
            return SQLExpression(.value(storage.encode(storable, forColumn: name)))
        }
        // Only a column marked as converting converts values: others are compared with the given values.
        if case .value(let plain) = value.node, column.isSymbolic, let (name, storage) = storage(of: column),
            let converted = storage.convert(plain, forColumn: name)
        {
            return SQLExpression(.value(converted))
        }
        if case .tuple(let values) = value.node, case .tuple(let columns) = column.node, values.count == columns.count {
            return SQLExpression(.tuple(zip(values, columns).map { stored($0, like: $1) }))
        }
        return value
    }

    private func stored(_ row: [SQLExpression], like columns: SQLExpression) -> [SQLExpression] {
        guard case .tuple(let values) = stored(SQLExpression(.tuple(row)), like: columns).node else { return row }
        return values
    }

    private func stored(_ call: SQLExpression.FunctionCall) -> SQLExpression.FunctionCall {
        var result = call
        result.arguments = call.arguments.map { stored($0, likeFirstOf: call.arguments) }
        return result
    }

    private func stored(_ value: SQLExpression, likeFirstOf columns: [SQLExpression]) -> SQLExpression {
        guard value.isPlain, let column = columns.first(where: { storage(of: $0) != nil }) else { return value }
        return stored(value, like: column)
    }

    private func stored(_ value: SQLExpression, likeColumnOf subquery: SQLSubquery) -> SQLExpression {
        guard value.isPlain else { return value }
        return stored(value, like: SQLExpression(.subquery(subquery)))
    }

    /// The column that provides the values of an expression, and the storage of its record type.
    private func storage(of expression: SQLExpression) -> (column: String, storage: RecordStorage)? {
        switch expression.node {
        case .column(let name, .alias(let alias)): resolver.sources[alias]?.storage.map { (name, $0) }
        case .column(let name, _): current?.storedSource.storage.map { (name, $0) }
        case .collated(let operand, _): storage(of: operand)
        case .function(let call) where call.result != .own:
            call.arguments.lazy.compactMap { storage(of: $0) }.first
        case .subquery(let subquery): storage(of: subquery)
        case .symbol(.aggregate(let value)):
            if case .call(let function, let argument) = value.function, function.result == .argument {
                resolver.terms(of: value.path.last.relation).storage(of: argument)
            } else {
                nil
            }
        // These produce new values.
        case .value, .constant, .literal, .unary, .binary, .associative, .equal, .between, .isIn, .like, .function,
            .windowed, .conditional, .cast, .exists, .tuple, .storable, .bound, .symbol:
            nil
        }
    }

    private func storage(of subquery: SQLSubquery) -> (column: String, storage: RecordStorage)? {
        guard case .relation(let relation) = subquery.content, relation.selection.count == 1,
            case .expression(let column) = relation.selection[0].node
        else { return nil }
        return resolver.terms(of: relation).storage(of: column)
    }
}

extension SQLExpression {
    /// Whether the expression is a single value.
    fileprivate var isPlain: Bool {
        switch node {
        case .value, .storable: true
        default: false  // An expression has its own type.
        }
    }

    /// The expression without the conversion of compared values, which are stored values already.
    package var comparedAsStored: SQLExpression {
        guard isSymbolic else { return self }
        return replacing { if case .column = $0.node { SQLExpression($0.node) } else { nil } }
    }
}
