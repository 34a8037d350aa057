// The only renderer: it writes queries as SQL text and collects the arguments in textual order. It runs no SQL and does
// not read the schema. Errors are reported at the end, with the arguments.

/// Writes SQL.
package struct Renderer {
    package internal(set) var sql: SQLText
    package internal(set) var arguments = StatementArguments()
    /// The error of the first term that has no SQL.
    private var error: RequestError?
    let values: Values
    /// The number of elements from which a list of values becomes a single argument.
    package var largeListCount = Self.largeListCount
    /// Whether the text comes from the user, in which case its parameters may be numbered.
    private(set) var isInLiteral = false
    /// The names of the visible aliases, those of outer queries first.
    var aliasNames: [TableAliasID: String] = [:]
    /// The qualifier of the current source's columns; nil for a single source.
    var currentName: String?

    package enum Values {
        /// Values become arguments: `?`.
        case bound
        /// Values become literals, for statements that accept no arguments, such as CREATE TABLE.
        case literal
    }

    package init(values: Values = .bound) {
        self.values = values
        sql = SQLText(capacity: 240)
    }

    /// Creates a renderer that reuses a buffer, which all queries of a connection share.
    package init(over text: SQLText) {
        values = .bound
        sql = text
        sql.removeAll()
    }

    /// The rendered SQL.
    package var text: String { sql.string }

    /// The arguments of the statement.
    ///
    /// - Throws: a `RequestError` if a term has no SQL: two SQL texts define the same argument differently, an
    ///   expression is nested too deeply, or a term depends on the schema.
    package func statementArguments() throws -> StatementArguments {
        if let error { throw error }
        return arguments
    }

    /// Records the error of a term that has no SQL.
    mutating func refuse(_ error: RequestError) {
        if self.error == nil { self.error = error }
        sql += "NULL"
    }

    package mutating func write(_ text: String) { sql += text }

    package mutating func write(identifier: String) { sql.append(identifier: identifier) }

    /// `"schema"."table"`
    package mutating func write(_ table: TableName) {
        if let schema = table.schema {
            write(identifier: schema)
            sql += "."
        }
        write(identifier: table.name)
    }

    package mutating func write(value: DatabaseValue) {
        if value.isNull {
            sql += "NULL"
        } else if case .literal = values, value.bindingRefusal == nil {
            sql += value.sqlLiteral
        } else {
            sql += "?"
            if arguments.values.isEmpty { arguments.values.reserveCapacity(4) }
            arguments.values.append(value)
        }
    }

    /// Appends the arguments of an SQL text. A name can have only one value per statement.
    private mutating func append(_ arguments: StatementArguments) {
        for (name, value) in self.arguments.append(contentsOf: arguments) where value != arguments.namedValues[name] {
            if error == nil { error = .ambiguousArgument(name) }
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
    package mutating func write(_ update: UpdateQuery) {
        let target = declare(update.target)
        write(with: update.target.commonTables)
        sql += "UPDATE "
        if let resolution = update.conflictResolution { sql += "OR \(resolution) " }
        write(update.target.source, as: target, isTarget: true)
        sql += " SET "
        write(list: update.assignments) { $0.write($1) }
        write(clause: " WHERE ", update.target.filters)
        write(returning: update.returning)
    }

    package mutating func write(_ delete: DeleteQuery) {
        let target = declare(delete.target)
        write(with: delete.target.commonTables)
        sql += "DELETE FROM "
        write(delete.target.source, as: target, isTarget: true)
        write(clause: " WHERE ", delete.target.filters)
        write(returning: delete.returning)
    }

    /// The parameters of the values come first, in column order.
    package mutating func write(_ insert: InsertQuery) {
        sql += "INSERT "
        if let resolution = insert.conflictResolution { sql += "OR \(resolution) " }
        sql += "INTO "
        write(insert.table)
        // In an upsert, the name would mean both the row that could not be inserted and the stored row.
        if insert.upsert != nil, insert.table.name.isSameDatabaseName(as: "excluded") { sql += " AS \"rowan target\"" }
        if insert.columns.isEmpty {
            sql += " DEFAULT VALUES"
        } else {
            sql += " ("
            write(list: insert.columns) { $0.write(identifier: $1) }
            sql += ") VALUES "
            let row = "(" + databaseQuestionMarks(count: insert.columns.count) + ")"
            write(list: 0..<insert.rowCount, separator: ",") { renderer, _ in renderer.sql += row }
        }
        if let upsert = insert.upsert { write(upsert) }
        write(insert.returning, of: insert.table)
    }

    private mutating func write(_ upsert: InsertQuery.Upsert) {
        sql += " ON CONFLICT"
        if !upsert.conflictTarget.isEmpty {
            sql += "("
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
        sql += " = "
        write(assignment.value ?? SQLExpression(.column(assignment.column, .none)))
    }

    /// Writes the columns that a statement returns for the rows it changes.
    package mutating func write(_ returning: ReturnedColumns, of table: TableName) {
        for alias in returning.aliases { aliasNames[alias] = table.name }
        write(returning: returning.selection)
    }

    private mutating func write(returning selection: [SQLSelection]) {
        guard !selection.isEmpty else { return }
        sql += " RETURNING "
        write(list: selection) { $0.write($1) }
    }

    package mutating func write(_ subquery: SQLSubquery) {
        switch subquery.content {
        case .literal(let literal):
            // The text names its own tables: the columns of a request don't belong to the enclosing query.
            let outer = currentName
            currentName = nil
            write(literal)
            currentName = outer
        case .select(let select): write(select)
        case .relation(let relation):
            if let select = Select(relation) { write(select) } else { refuse(.unresolved) }
        case .compound(let compound): write(compound)
        }
    }

    package mutating func write(_ literal: SQL) {
        let outer = isInLiteral
        defer { isInLiteral = outer }
        isInLiteral = true
        for segment in literal.segments {
            switch segment {
            case .text(let text, let arguments):
                sql += text
                if !arguments.isEmpty { append(arguments) }
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
        if let columns = table.columns, !columns.isEmpty {
            sql += "("
            write(list: columns) { $0.write(identifier: $1) }
            sql += ")"
        }
        sql += " AS ("
        write(table.query)
        sql += ")"
    }

    mutating func write(with tables: [CommonTable]) {
        guard !tables.isEmpty else { return }
        sql += tables.contains(where: \.isRecursive) ? "WITH RECURSIVE " : "WITH "
        write(list: tables) { $0.writeDefinition(of: $1) }
        sql += " "
    }

    /// Declares the target of an UPDATE or a DELETE: a single table, whose columns need no qualification.
    private mutating func declare(_ target: MutationTarget) -> String {
        let name = target.aliases.lazy.compactMap(\.name).first ?? target.source.name
        for alias in target.aliases { aliasNames[alias] = name }
        return name
    }

    mutating func write(clause keyword: String, _ conditions: [SQLExpression]) {
        guard !conditions.isEmpty else { return }
        sql += keyword
        write(conditions.first(where: \.isFalse) ?? .joined(conditions, by: .and))
    }

    mutating func write(_ limit: Relation.Limit?) {
        guard let limit else { return }
        sql += " LIMIT "
        sql.append(decimal: limit.count)
        guard let offset = limit.offset else { return }
        sql += " OFFSET "
        sql.append(decimal: offset)
    }
}

/// A list of question marks for arguments: `databaseQuestionMarks(count: 3)` is `?,?,?`.
public func databaseQuestionMarks(count: Int) -> String {
    repeatElement("?", count: count).joined(separator: ",")
}
