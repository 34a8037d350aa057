// A column of CREATE TABLE or ALTER TABLE.

/// The definition of a column.
public final class ColumnDefinition {
    /// Whether a generated column is stored. <https://sqlite.org/gencol.html>
    public enum GeneratedColumnQualification: Sendable {
        /// Computed when it is read.
        case virtual
        /// Computed when the row is written, and stored.
        case stored
    }

    enum Index { case none, plain, unique(Database.ConflictResolution?) }

    let name: String
    private let type: Database.ColumnType?
    private(set) var index = Index.none
    private var primaryKeySQL: String?
    private var notNullSQL: String?
    private var checks: [SQL] = []
    private var references: [ForeignKeyReference] = []
    private var defaultValue: SQL?
    private var collation: String?
    private var generated: (SQL, GeneratedColumnQualification)?

    init(name: String, type: Database.ColumnType?) {
        self.name = name
        self.type = type
    }

    /// The primary key.
    @discardableResult
    public func primaryKey(
        onConflict conflictResolution: Database.ConflictResolution? = nil, autoincrement: Bool = false
    ) -> Self {
        primaryKeySQL = " PRIMARY KEY\(conflictResolution.onConflictSQL)\(autoincrement ? " AUTOINCREMENT" : "")"
        return self
    }

    /// NOT NULL
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        notNullSQL = " NOT NULL\(conflictResolution.onConflictSQL)"
        return self
    }

    /// UNIQUE
    @discardableResult
    public func unique(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        index = .unique(conflictResolution)
        return self
    }

    /// An index on the column, created with the table.
    @discardableResult
    public func indexed() -> Self {
        if case .none = index { index = .plain }
        return self
    }

    /// A check: `t.column("score", .integer).check { $0 >= 0 }`.
    @discardableResult
    public func check(_ condition: (Column) -> any SQLExpressible) -> Self {
        // As a selection: an expression alone, without parentheses of its own.
        checks.append("\(condition(Column(name)).sqlExpression.sqlSelection)")
        return self
    }

    /// A check in SQL.
    @discardableResult
    public func check(sql: String) -> Self {
        checks.append(SQL(sql: sql))
        return self
    }

    /// The default value.
    @discardableResult
    public func defaults(to value: some DatabaseValueConvertible) -> Self {
        defaultValue = SQL(sql: value.databaseValue.sqlLiteral)
        return self
    }

    /// The default value in SQL: `defaults(sql: "CURRENT_TIMESTAMP")`.
    @discardableResult
    public func defaults(sql: String) -> Self {
        // An expression needs parentheses; a literal and the current times may have them too.
        defaultValue = SQL(sql: sql.isDefaultLiteral ? sql : "(\(sql))")
        return self
    }

    /// The collation of the column.
    @discardableResult
    public func collate(_ collation: Database.CollationName) -> Self {
        self.collation = collation.rawValue
        return self
    }

    /// The collation of the column.
    @discardableResult
    public func collate(_ collation: DatabaseCollation) -> Self {
        self.collation = collation.name
        return self
    }

    /// A generated column, in SQL. <https://sqlite.org/gencol.html>
    @discardableResult
    public func generatedAs(sql: String, _ qualification: GeneratedColumnQualification = .virtual) -> Self {
        generated = (SQL(sql: sql), qualification)
        return self
    }

    /// A generated column. <https://sqlite.org/gencol.html>
    @discardableResult
    public func generatedAs(
        _ expression: some SQLExpressible, _ qualification: GeneratedColumnQualification = .virtual
    ) -> Self {
        generated = ("\(expression.sqlExpression.sqlSelection)", qualification)
        return self
    }

    /// A foreign key. <https://sqlite.org/foreignkeys.html>
    ///
    /// - Parameter column: nil for the primary key of the other table.
    @discardableResult
    public func references(
        _ table: String, column: String? = nil, onDelete deleteAction: Database.ForeignKeyAction? = nil,
        onUpdate updateAction: Database.ForeignKeyAction? = nil, deferred isDeferred: Bool = false
    ) -> Self {
        references.append(
            ForeignKeyReference(
                table: table, columns: column.map { [$0] }, onDelete: deleteAction, onUpdate: updateAction,
                isDeferred: isDeferred))
        return self
    }

    func write(to renderer: inout Renderer) {
        renderer.write(identifier: name)
        if let type { renderer.write(" \(type.rawValue)") }
        renderer.write(primaryKeySQL ?? "")
        renderer.write(notNullSQL ?? "")
        if case .unique(let resolution) = index { renderer.write(" UNIQUE\(resolution.onConflictSQL)") }
        for check in checks { renderer.write(check, between: " CHECK (", ")") }
        if let defaultValue { renderer.write(defaultValue, between: " DEFAULT ", "") }
        if let collation { renderer.write(" COLLATE \(collation)") }
        for reference in references { renderer.write(reference.sql) }
        if let (expression, qualification) = generated {
            renderer.write(
                expression, between: " GENERATED ALWAYS AS (", qualification == .stored ? ") STORED" : ") VIRTUAL")
        }
    }
}

extension Renderer {
    fileprivate mutating func write(_ literal: SQL, between prefix: String, _ suffix: String) {
        write(prefix)
        write(literal)
        write(suffix)
    }
}

extension String {
    /// Whether DEFAULT takes the text without parentheses.
    fileprivate var isDefaultLiteral: Bool {
        ["CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "NULL", "TRUE", "FALSE"].contains(uppercased())
            || (Double(self) != nil && utf8.allSatisfy { !($0 | 0x20 == 0x78 || $0 | 0x20 == 0x6E) })
            || isTextLiteral
    }

    /// Whether the text is one text literal: `'x' || 'y'` begins and ends as one, and is an expression.
    private var isTextLiteral: Bool {
        guard utf8.count >= 2, hasPrefix("'"), hasSuffix("'") else { return false }
        return !dropFirst().dropLast().replacing("''", with: "").contains("'")
    }
}
