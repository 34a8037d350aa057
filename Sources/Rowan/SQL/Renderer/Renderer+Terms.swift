// The terms of queries: selections, orderings, expressions. An operand is parenthesized only if it is itself an
// operation.

extension Renderer {
    package mutating func write(_ selection: SQLSelection) {
        switch selection.node {
        case .expression(let expression):
            write(expression)
        case .named(let expression, let name):
            write(expression)
            sql += " AS "
            write(identifier: name)
        case .literal(let literal):
            write(literal)
        case .allColumns(let table):
            if let table = table ?? currentName {
                write(identifier: table)
                sql += "."
            }
            sql += "*"
        case .symbol: refuse(.unresolved)
        }
    }

    package mutating func write(_ ordering: SQLOrdering) {
        switch ordering.node {
        case .expression(let expression, let direction):
            write(expression)
            sql += direction.rawValue
        case .literal(let literal):
            write(literal)
        case .symbol: refuse(.unresolved)
        }
    }

    package mutating func write(_ expression: SQLExpression) {
        switch expression.node {
        case .value(let value):
            write(value: value)
        case .constant(let value):
            sql += value.sqlLiteral
        case .column(let name, let table):
            write(column: name, of: table)
        case .literal(let literal):
            write(literal)
        case .unary(let op, let operand):
            sql += op.rawValue
            write(operand: operand)
        case .binary(let op, let a, let b):
            if op.isComparison { write(comparison: a, op.rawValue, b) } else { write(a, op.rawValue, b) }
        case .associative(let op, let operands):
            write(operands.all, op)
        case .equal(let a, let b, let isNegated):
            writeEqual(a, b, isNegated: isNegated)
        case .between(let a, let b, let c, let isNegated):
            write(a, isNegated ? "NOT BETWEEN" : "BETWEEN", b)
            sql += " AND "
            write(operand: c)
        case .isIn(let a, let container, let isNegated):
            write(operand: a)
            sql += isNegated ? " NOT IN " : " IN "
            write(container)
        case .like(let a, let b, let escape, let isNegated):
            write(a, isNegated ? "NOT LIKE" : "LIKE", b)
            if let escape {
                sql += " ESCAPE "
                write(operand: escape)
            }
        case .collated(let a, let collation):
            write(operand: a)
            write(collation: collation)
        case .function(let call):
            write(call)
        case .windowed(let a, let window):
            write(a)
            sql += " OVER "
            write(window)
        case .conditional(let conditional):
            write(conditional)
        case .cast(let a, let type):
            sql += "CAST("
            write(a)
            sql += " AS \(type))"
        case .subquery(let subquery):
            write(parenthesised: subquery)
        case .exists(let subquery, let isNegated):
            sql += isNegated ? "NOT EXISTS " : "EXISTS "
            write(parenthesised: subquery)
        case .tuple(let elements):
            write(.expressions(elements))
        case .storable(let value):
            write(value: value.databaseValue)
        case .bound(let a, let bindings):
            write(a, bindings)
        case .symbol(.tooDeep): refuse(.tooDeep(levels: Int(expression.depth)))
        case .symbol: refuse(.unresolved)
        }
    }

    private mutating func write(column name: String, of table: TableReference) {
        switch table {
        case .none: break
        case .current: write(qualifier: currentName)
        case .alias(let alias):
            // The name of an alias may be defined by SQL text.
            guard let known = aliasNames[alias] ?? alias.name else { return refuse(.unknownAlias) }
            write(qualifier: known)
        }
        write(identifier: name)
    }

    private mutating func write(qualifier: String?) {
        guard let qualifier else { return }
        write(identifier: qualifier)
        sql += "."
    }

    private mutating func write(_ expression: SQLExpression, _ bindings: [AliasBinding]) {
        let names = aliasNames
        for binding in bindings { aliasNames[binding.alias] = names[binding.stands] }
        write(expression)
        aliasNames = names
    }

    private mutating func write(_ a: SQLExpression, _ op: String, _ b: SQLExpression) {
        write(operand: a)
        write(operator: op)
        write(operand: b)
    }

    private mutating func write(_ operands: [SQLExpression], _ op: SQLExpression.AssociativeBinaryOperator) {
        // SQLite nests a chain by one level per operand and accepts 1000 levels.
        guard operands.count > 500, op.isRegroupable else {
            let sql = op.sql
            for index in operands.indices {
                if index > 0 { write(operator: sql) }
                write(operand: operands[index])
            }
            return
        }
        let size = max(100, (operands.count + 99) / 100)
        for start in stride(from: 0, to: operands.count, by: size) {
            if start > 0 { write(operator: op.sql) }
            sql += "("
            write(Array(operands[start..<min(start + size, operands.count)]), op)
            sql += ")"
        }
    }

    // Inlined: benchmark request-build.
    @inline(__always)
    private mutating func write(operator op: String) {
        sql += " "
        sql += op
        sql += " "
    }

    private mutating func writeEqual(_ a: SQLExpression, _ b: SQLExpression, isNegated: Bool) {
        switch (a.node, b.node) {
        case (_, .value(.null)): write(comparison: a, isNegated ? "IS NOT" : "IS", b)
        case (.value(.null), _): write(comparison: b, isNegated ? "IS NOT" : "IS", a)
        default: write(comparison: a, isNegated ? "<>" : "=", b)
        }
    }

    /// Writes a comparison. An operand's collation is written after the comparison: SQLite applies it to both.
    private mutating func write(comparison a: SQLExpression, _ op: String, _ b: SQLExpression) {
        switch (a.node, b.node) {
        case (.collated, .collated): write(a, op, b)
        case (.collated(let a, let collation), _):
            write(a, op, b)
            write(collation: collation)
        case (_, .collated(let b, let collation)):
            write(a, op, b)
            write(collation: collation)
        default: write(a, op, b)
        }
    }

    mutating func write(collation: String) {
        sql += " COLLATE "
        sql += collation.quotedCollationName
    }

    mutating func write(_ call: SQLExpression.FunctionCall) {
        sql += call.name.isPlainDatabaseName ? call.name : call.name.quotedDatabaseIdentifier
        sql += call.isStar ? "(*" : (call.isDistinct ? "(DISTINCT " : "(")
        write(list: call.arguments) { $0.write($1) }
        if !call.orderings.isEmpty {
            sql += " ORDER BY "
            write(list: call.orderings) { $0.write($1) }
        }
        sql += ")"
        if let filter = call.filter {
            sql += " FILTER (WHERE "
            write(filter)
            sql += ")"
        }
    }

    private mutating func write(_ container: SQLExpression.Container) {
        switch container {
        case .expressions(let expressions):
            // SQLite accepts `()`, but other databases don't. All of them accept this empty subquery.
            guard !expressions.isEmpty else {
                sql += "(SELECT NULL WHERE NULL)"
                return
            }
            if let values = values(ofLargeList: expressions.lazy.map { [$0] }) {
                write(rows: values)
                return
            }
            sql += "("
            write(list: expressions) { $0.write($1) }
            repeatLastValue(of: expressions)
            sql += ")"
        case .subquery(let subquery): write(parenthesised: subquery)
        case .table(let name): write(identifier: name)
        case .values(let rows, let types): write(rows: rows, types: types)
        case .rows(let rows):
            if let values = values(ofLargeList: rows) {
                write(rows: values)
                return
            }
            sql += "(VALUES "
            write(list: rows) { $0.write(.expressions($1)) }
            sql += ")"
        }
    }

    private mutating func write(parenthesised subquery: SQLSubquery) {
        sql += "("
        write(subquery)
        sql += ")"
    }

    /// Writes an operand, in parentheses if it is itself an operation.
    package mutating func write(operand: SQLExpression) {
        guard operand.isOperation else {
            write(operand)
            return
        }
        sql += "("
        write(operand)
        sql += ")"
    }
}

extension SQLExpression {
    var isOperation: Bool {
        switch node {
        case .value, .storable, .constant, .column, .function, .windowed, .conditional, .cast, .subquery, .tuple:
            false
        case .bound(let expression, _): expression.isOperation
        case .literal, .unary, .binary, .associative, .equal, .between, .isIn, .like, .collated, .exists,
            .symbol:
            true
        }
    }
}

extension DatabaseValue {
    static func ~= (storage: Storage, value: DatabaseValue) -> Bool { value.storage == storage }
}

extension String {
    /// Whether the name needs no quotes in a place where no keyword is allowed.
    var isPlainDatabaseName: Bool {
        !isEmpty && !first!.isNumber && utf8.allSatisfy { $0.isASCIIDigit || $0 == 0x5F || ($0 | 0x20) &- 0x61 < 26 }
    }
}
