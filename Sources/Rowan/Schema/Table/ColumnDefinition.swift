// A column of CREATE TABLE or ALTER TABLE: the public builder of the value that is written.

/// The definition of a column.
///
/// Article: <doc:DesigningSchemas>.
public final class ColumnDefinition {
    /// Whether a generated column is stored. <https://sqlite.org/gencol.html>
    public enum GeneratedColumnQualification: Sendable {
        /// The value is computed on each read.
        case virtual
        /// The value is computed and stored when the row is written.
        case stored
    }

    private(set) var syntax: ColumnSyntax

    init(name: String, type: Database.ColumnType?) { syntax = ColumnSyntax(name: name, type: type?.rawValue) }

    /// Makes the column the primary key: `PRIMARY KEY`.
    @discardableResult
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil, autoincrement: Bool = false
    ) -> Self {
        syntax.primaryKeySQL = " PRIMARY KEY\(conflictResolution.onConflictSQL)\(autoincrement ? " AUTOINCREMENT" : "")"
        return self
    }

    /// Rejects NULL: `NOT NULL`.
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        syntax.notNullSQL = " NOT NULL\(conflictResolution.onConflictSQL)"
        return self
    }

    /// Rejects duplicate values: `UNIQUE`.
    @discardableResult
    public func unique(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        syntax.index = .unique(conflictResolution)
        return self
    }

    /// Adds an index on the column, which is created with the table.
    @discardableResult
    public func indexed() -> Self {
        if case .none = syntax.index { syntax.index = .plain }
        return self
    }

    /// Adds a check constraint: `t.column("score", .integer).check { $0 >= 0 }`.
    @discardableResult
    public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
        // As a selection, which writes a single expression without parentheses.
        syntax.checks.append("\(condition(Column(syntax.name)).sqlExpression.sqlSelection)")
        return self
    }

    /// Adds a check constraint in SQL.
    @discardableResult
    public func check(sql: String) -> Self {
        syntax.checks.append(SQL(sql: sql))
        return self
    }

    /// Sets the default value.
    @discardableResult
    public func defaults(to value: some DatabaseValueConvertible) -> Self {
        let value = value.databaseValue
        let literal = SQL(segments: [.expression(SQLExpression(.value(value)))])
        // Its literal is an expression.
        syntax.defaultValue = value.hasNUL ? "(\(literal))" : literal
        return self
    }

    /// Sets the default value in SQL: `defaults(sql: "CURRENT_TIMESTAMP")`.
    @discardableResult
    public func defaults(sql: String) -> Self {
        // An expression requires parentheses; literals and the current times accept them.
        syntax.defaultValue = SQL(sql: sql.isDefaultLiteral ? sql : "(\(sql))")
        return self
    }

    /// Sets the collation of the column: `COLLATE NOCASE`.
    @discardableResult
    public func collate(_ collation: Database.CollationName) -> Self {
        syntax.collation = collation.rawValue
        return self
    }

    /// Sets a custom collation for the column.
    @discardableResult
    public func collate(_ collation: DatabaseCollation) -> Self {
        syntax.collation = collation.name
        return self
    }

    /// Makes the column a generated column, in SQL. <https://sqlite.org/gencol.html>
    @discardableResult
    public func generatedAs(sql: String, _ qualification: GeneratedColumnQualification = .virtual) -> Self {
        syntax.generated = (SQL(sql: sql), qualification)
        return self
    }

    /// Makes the column a generated column. <https://sqlite.org/gencol.html>
    @discardableResult
    public func generatedAs(
        _ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual
    ) -> Self {
        syntax.generated = ("\(expression.sqlExpression.sqlSelection)", qualification)
        return self
    }

    /// Adds a foreign key. <https://sqlite.org/foreignkeys.html>
    ///
    /// - Parameters:
    ///   - table: the referenced table.
    ///   - column: the referenced column; nil for the primary key of the other table.
    ///   - deleteAction: what happens to the row when the referenced row is deleted. By default, SQLite rejects the
    ///     deletion.
    ///   - updateAction: what happens to the row when the referenced key is updated. By default, SQLite rejects the
    ///     update.
    ///   - isDeferred: whether the constraint is checked at the end of the transaction.
    @discardableResult
    public func references(
        _ table: String, column: String? = nil, onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
    ) -> Self {
        syntax.references.append(
            ForeignKeyReference(
                table: table, columns: column.map { [$0] }, onDelete: deleteAction, onUpdate: updateAction,
                isDeferred: isDeferred))
        return self
    }
}

extension String {
    /// Whether DEFAULT accepts the text without parentheses.
    fileprivate var isDefaultLiteral: Bool {
        ["CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "NULL", "TRUE", "FALSE"].contains(uppercased())
            || (Double(self) != nil && utf8.allSatisfy { !($0 | 0x20 == 0x78 || $0 | 0x20 == 0x6E) })
            || isTextLiteral
    }

    /// Whether the text is a single text literal. `'x' || 'y'` begins and ends like one, but is an expression.
    private var isTextLiteral: Bool {
        guard utf8.count >= 2, hasPrefix("'"), hasSuffix("'") else { return false }
        return !dropFirst().dropLast().replacing("''", with: "").contains("'")
    }
}
