// The one renderer: it writes resolved queries as SQL text, and collects the arguments in the order of the text.
// It runs no SQL, asks no schema, and does not fail.

/// Writes SQL.
package struct Renderer {
    package private(set) var sql = ""
    package private(set) var arguments = StatementArguments()
    private let values: Values
    /// The names of the aliases in scope, outer queries first.
    private var aliasNames: [TableAliasID: String] = [:]

    package enum Values {
        /// Values are bound: `?`.
        case bound
        /// Values are written as literals, for the statements that take no arguments: CREATE TABLE and its kin.
        case literal
    }

    package init(values: Values = .bound) {
        self.values = values
        sql.reserveCapacity(128)
    }

    package mutating func write(_ text: String) { sql += text }

    package mutating func write(identifier: String) {
        // Inlined quoting: the common case has no quote inside.
        guard identifier.utf8.contains(UInt8(ascii: "\"")) else {
            sql += "\""
            sql += identifier
            sql += "\""
            return
        }
        sql += identifier.quotedDatabaseIdentifier
    }

    package mutating func write(value: DatabaseValue) {
        if value.isNull {
            sql += "NULL"
        } else if case .literal = values {
            sql += value.sqlLiteral
        } else {
            sql += "?"
            arguments.values.append(value)
        }
    }

    package mutating func write<C: Collection>(
        list: C, separator: String = ", ", _ body: (inout Renderer, C.Element) -> Void
    ) {
        var isFirst = true
        for element in list {
            if !isFirst { sql += separator }
            isFirst = false
            body(&self, element)
        }
    }
}

// MARK: - Queries

extension Renderer {
    package mutating func write(_ relation: Relation) {
        let outerAliasNames = aliasNames
        defer { aliasNames = outerAliasNames }
        declareAlias(of: relation)
        write(with: relation.commonTables)
        sql += relation.isDistinct ? "SELECT DISTINCT " : "SELECT "
        let selection = relation.selection.compactMap(\.term)
        if selection.isEmpty { sql += "*" } else { write(list: selection) { $0.write($1) } }
        sql += " FROM "
        writeSource(of: relation)
        write(clause: " WHERE ", relation.filters)
        let groups = relation.groups.compactMap(\.term)
        if !groups.isEmpty {
            sql += " GROUP BY "
            write(list: groups) { $0.write($1) }
        }
        write(clause: " HAVING ", relation.havings)
        writeOrderAndLimit(of: relation)
    }

    package mutating func write(_ update: UpdateQuery) {
        declareAlias(of: update.relation)
        write(with: update.relation.commonTables)
        sql += "UPDATE "
        if let resolution = update.conflictResolution { sql += "OR \(resolution) " }
        writeSource(of: update.relation)
        sql += " SET "
        write(list: update.assignments) { $0.write($1) }
        write(clause: " WHERE ", update.relation.filters)
        write(returning: update.returning)
    }

    package mutating func write(delete relation: Relation, returning: [SQLSelection] = []) {
        declareAlias(of: relation)
        write(with: relation.commonTables)
        sql += "DELETE FROM "
        writeSource(of: relation)
        write(clause: " WHERE ", relation.filters)
        write(returning: returning)
    }

    /// The parameters of the values come first, in the order of the columns.
    package mutating func write(_ insert: InsertQuery) {
        sql += "INSERT "
        if let resolution = insert.conflictResolution { sql += "OR \(resolution) " }
        sql += "INTO "
        write(identifier: insert.table)
        if insert.columns.isEmpty {
            sql += " DEFAULT VALUES"
        } else {
            sql += " ("
            write(list: insert.columns) { $0.write(identifier: $1) }
            sql += ") VALUES (" + databaseQuestionMarks(count: insert.columns.count) + ")"
        }
        if let upsert = insert.upsert { write(upsert) }
        write(returning: insert.returning)
    }

    private mutating func write(_ upsert: InsertQuery.Upsert) {
        sql += " ON CONFLICT"
        if !upsert.conflictTarget.isEmpty {
            sql += " ("
            write(list: upsert.conflictTarget) { $0.write(identifier: $1) }
            sql += ")"
        }
        guard !upsert.assignments.isEmpty else {
            sql += " DO NOTHING"
            return
        }
        sql += " DO UPDATE SET "
        write(list: upsert.assignments) { $0.write($1) }
    }

    package mutating func write(_ assignment: ColumnAssignment) {
        write(identifier: assignment.column)
        sql += "="
        write(assignment.value ?? SQLExpression(.column(assignment.column, .none)))
    }

    package mutating func write(returning selection: [SQLSelection]) {
        guard !selection.isEmpty else { return }
        sql += " RETURNING "
        write(list: selection) { $0.write($1) }
    }

    package mutating func write(_ subquery: SQLSubquery) {
        switch subquery.content {
        case .literal(let literal): write(literal)
        case .relation(let relation): write(relation)
        }
    }

    package mutating func write(_ literal: SQL) {
        for segment in literal.segments {
            switch segment {
            case .text(let text, let arguments):
                sql += text
                if !arguments.isEmpty { self.arguments.append(contentsOf: arguments) }
            case .expression(let expression): write(operand: expression)
            case .selection(let selection): write(selection)
            case .ordering(let ordering): write(ordering)
            case .subquery(let subquery): write(subquery)
            case .cte(let table): writeDefinition(of: table)
            }
        }
    }

    package mutating func writeDefinition(of table: CommonTable) {
        write(identifier: table.name)
        if let columns = table.columns {
            sql += "("
            write(list: columns) { $0.write(identifier: $1) }
            sql += ")"
        }
        sql += " AS ("
        write(table.query)
        sql += ")"
    }

    private mutating func write(with tables: [CommonTable]) {
        guard !tables.isEmpty else { return }
        sql += tables.contains(where: \.isRecursive) ? "WITH RECURSIVE " : "WITH "
        write(list: tables) { $0.writeDefinition(of: $1) }
        sql += " "
    }

    private mutating func declareAlias(of relation: Relation) {
        guard let alias = relation.alias else { return }
        aliasNames[alias] = alias.name ?? relation.table
    }

    private mutating func writeSource(of relation: Relation) {
        write(identifier: relation.table)
        if let name = relation.alias?.name, !name.isSameDatabaseName(as: relation.table) {
            sql += " AS "
            write(identifier: name)
        }
    }

    private mutating func write(clause keyword: String, _ clauses: [Clause<SQLExpression>]) {
        let conditions = clauses.compactMap(\.term)
        guard !conditions.isEmpty else { return }
        sql += keyword
        write(SQLExpression.joined(conditions, by: .and))
    }

    private mutating func writeOrderAndLimit(of relation: Relation) {
        let orderings = relation.orderingTerms
        if !orderings.isEmpty {
            sql += " ORDER BY "
            write(list: orderings) { $0.write($1) }
        }
        if let limit = relation.limit {
            sql += " LIMIT \(limit.count)"
            if let offset = limit.offset { sql += " OFFSET \(offset)" }
        }
    }
}

/// Question marks for a list of arguments: `databaseQuestionMarks(count: 3)` is `?,?,?`.
public func databaseQuestionMarks(count: Int) -> String {
    repeatElement("?", count: count).joined(separator: ",")
}

// MARK: - Terms

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
            if let table {
                write(identifier: table)
                sql += "."
            }
            sql += "*"
        case .allColumnsExcluding, .primaryKey:
            preconditionFailure("the resolver replaces this selection before it is rendered")
        }
    }

    package mutating func write(_ ordering: SQLOrdering) {
        switch ordering.node {
        case .expression(let expression, let direction):
            write(expression)
            sql += direction.rawValue
        case .literal(let literal):
            write(literal)
        case .primaryKey:
            preconditionFailure("the resolver replaces this ordering before it is rendered")
        }
    }

    package mutating func write(_ expression: SQLExpression) {
        switch expression.node {
        case .value(let value):
            write(value: value)
        case .column(let name, let table):
            write(column: name, of: table)
        case .literal(let literal):
            write(literal)
        case .unary(let op, let operand):
            sql += op.rawValue
            write(operand: operand)
        case .binary(let op, let a, let b):
            write(a, op.rawValue, b)
        case .associative(let op, let operands):
            write(list: operands, separator: " \(op.sql) ") { $0.write(operand: $1) }
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
            sql += " COLLATE "
            sql += collation.isPlainDatabaseName ? collation : collation.quotedDatabaseIdentifier
        case .function(let call):
            write(call)
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
        case .primaryKey:
            preconditionFailure("the resolver replaces this expression before it is rendered")
        }
    }

    private mutating func write(column name: String, of table: TableReference) {
        if case .alias(let alias) = table {
            if let table = aliasNames[alias] ?? alias.name {
                write(identifier: table)
                sql += "."
            }
        }
        write(identifier: name)
    }

    private mutating func write(_ a: SQLExpression, _ op: String, _ b: SQLExpression) {
        write(operand: a)
        sql += " \(op) "
        write(operand: b)
    }

    private mutating func writeEqual(_ a: SQLExpression, _ b: SQLExpression, isNegated: Bool) {
        switch (a.node, b.node) {
        case (_, .value(.null)): write(a, isNegated ? "IS NOT" : "IS", b)
        case (.value(.null), _): write(b, isNegated ? "IS NOT" : "IS", a)
        default: write(a, isNegated ? "<>" : "=", b)
        }
    }

    private mutating func write(_ call: SQLExpression.FunctionCall) {
        sql += call.name.isPlainDatabaseName ? call.name : call.name.quotedDatabaseIdentifier
        sql += call.isStar ? "(*" : (call.isDistinct ? "(DISTINCT " : "(")
        write(list: call.arguments) { $0.write($1) }
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
            // SQLite accepts `()`, other databases do not; both know this empty subquery.
            guard !expressions.isEmpty else {
                sql += "(SELECT NULL WHERE NULL)"
                return
            }
            if case .bound = values, let json = Self.largeList(expressions) {
                sql += "(SELECT value FROM json_each("
                write(value: json)
                sql += "))"
                return
            }
            sql += "("
            write(list: expressions) { $0.write($1) }
            sql += ")"
        case .subquery(let subquery): write(parenthesised: subquery)
        case .table(let name): write(identifier: name)
        }
    }

    private mutating func write(parenthesised subquery: SQLSubquery) {
        sql += "("
        write(subquery)
        sql += ")"
    }

    /// Writes an operand, between parentheses if it is itself an operation.
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
    fileprivate var isOperation: Bool {
        switch node {
        case .value, .column, .function, .cast, .subquery, .tuple: false
        case .literal, .unary, .binary, .associative, .equal, .between, .isIn, .like, .collated, .exists,
            .primaryKey:
            true
        }
    }
}

extension DatabaseValue {
    static func ~= (storage: Storage, value: DatabaseValue) -> Bool { value.storage == storage }
}

extension String {
    /// Whether the name needs no quotes where a keyword can't stand.
    var isPlainDatabaseName: Bool {
        !isEmpty && !first!.isNumber && utf8.allSatisfy { $0.isASCIIDigit || $0 == 0x5F || ($0 | 0x20) &- 0x61 < 26 }
    }
}
