// SQL that the compiler checks.

/// SQL with arguments, which SQLite has checked against the schema of the program.
///
/// ```swift
/// // SELECT id FROM place WHERE title = ?
/// let request: SQLRequest<Int64> = #sql("SELECT id FROM place WHERE title = \(title)")
/// let ids = try request.fetchAll(db)
///
/// // DELETE FROM "place" WHERE id IN (?,?)
/// try db.execute(literal: #sql("DELETE FROM \(Place.self) WHERE id IN \(ids)"))
/// ```
///
/// The schema is the nearest `schema.sql` above the source file, which `writeSchema(to:)` of a `DatabaseMigrator`
/// writes. An SQLite error is a compiler error at its position in the literal. The article "Checked SQL" has the rules.
///
/// Article: <doc:CheckedSQL>.
///
/// - Parameter sql: one or more statements. Interpolated values become arguments, sequences after `IN` become lists of
///   arguments, and record types and columns become names. Nothing else can be interpolated.
@freestanding(expression)
public macro sql(_ sql: CheckedSQL) -> SQL = #externalMacro(module: "RowanRecordsPlugin", type: "SQLMacro")

/// A request whose SQL is checked: see ``sql(_:)``.
///
/// Article: <doc:CheckedSQL>.
///
/// - Parameter sql: a single statement.
@freestanding(expression)
public macro sql<Value>(_ sql: CheckedSQL) -> SQLRequest<Value> =
    #externalMacro(module: "RowanRecordsPlugin", type: "SQLMacro")

/// The literal of `#sql`.
///
/// The overloads without a label define what may be interpolated. The macro writes the labels, which ensure that each
/// interpolation matches the checked SQL at its position.
public struct CheckedSQL: ExpressibleByStringInterpolation, Sendable {
    let sql: SQL

    /// Creates SQL without values.
    public init(stringLiteral: String) { sql = SQL(sql: stringLiteral) }

    /// Creates SQL with interpolated values.
    public init(stringInterpolation: StringInterpolation) { sql = SQL(stringInterpolation: stringInterpolation.base) }

    /// The interpolations of `#sql`.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        var base: SQLInterpolation

        /// Creates an empty interpolation.
        public init(literalCapacity: Int, interpolationCount: Int) {
            base = SQLInterpolation(literalCapacity: literalCapacity, interpolationCount: interpolationCount)
        }

        /// `SELECT id FROM place`
        public mutating func appendLiteral(_ sql: String) { base.appendLiteral(sql) }

        // MARK: What users write

        /// A value: `WHERE id = \(id)`.
        public mutating func appendInterpolation<Value: DatabaseValueConvertible>(_ value: Value?) {
            base.appendInterpolation(value)
        }

        /// Values: `WHERE id IN \(ids)`.
        public mutating func appendInterpolation<Values: Sequence>(_ values: Values)
        where Values.Element: DatabaseValueConvertible {
            base.appendInterpolation(values)
        }

        /// A value that is also a sequence, such as Data.
        public mutating func appendInterpolation<Value: DatabaseValueConvertible & Sequence>(_ value: Value)
        where Value.Element: DatabaseValueConvertible {
            base.appendInterpolation(value)
        }

        /// The table of a record type: `FROM \(Place.self)`.
        public mutating func appendInterpolation<Record: TableRecord>(_ type: Record.Type) {
            base.appendInterpolation(type)
        }

        /// A column: `SELECT \(Place.Columns.title)`.
        public mutating func appendInterpolation<Value>(_ column: TypedColumn<Value>) {
            base.appendInterpolation(column)
        }

        /// A column: `SELECT \(Column("title"))`.
        public mutating func appendInterpolation(_ column: some ColumnExpression) { base.appendInterpolation(column) }

        // MARK: What the macro writes

        /// For generated code.
        public mutating func appendInterpolation<Value: DatabaseValueConvertible>(_value: Value?) {
            base.appendInterpolation(_value)
        }

        /// For generated code.
        public mutating func appendInterpolation<Values: Sequence>(_list: Values)
        where Values.Element: DatabaseValueConvertible {
            base.appendInterpolation(_list)
        }

        /// For generated code.
        ///
        /// - Parameter checked: the table that the macro assumed for the type, of which it sees only the name.
        public mutating func appendInterpolation<Record: TableRecord>(_table: Record.Type, _ checked: String) {
            let table = _table.databaseTableName
            guard table != checked else { return base.appendInterpolation(_table) }
            refuse(
                "#sql has checked this SQL with the table \(checked), but \(_table) is stored in the table \(table): "
                    + "declare it in schema.sql with '-- rowan: record \(_table) \(table)'")
        }

        /// For generated code.
        ///
        /// - Parameter checked: the name that the macro assumed for the column: the name of its property.
        public mutating func appendInterpolation<Value>(_column: TypedColumn<Value>, _ checked: String) {
            appendInterpolation(_column: _column.untyped, checked)
        }

        /// For generated code.
        ///
        /// - Parameter checked: the name that the macro assumed for the column: the name of its property.
        public mutating func appendInterpolation(_column: some ColumnExpression, _ checked: String) {
            guard _column.name != checked else { return base.appendInterpolation(_column) }
            refuse(
                "#sql has checked this SQL with the column \(checked), but the column is \(_column.name): write its name "
                    + "as text")
        }

        /// An interpolation can't throw, so the execution does.
        private mutating func refuse(_ message: String) {
            base.appendInterpolation(
                SQLExpression.deferred(
                    Deferred { _ in throw DatabaseError(resultCode: .SQLITE_MISUSE, message: message) }))
        }
    }
}

// What `#sql` rejects. The macro rejects labels; the compiler rejects types that the macro can't check.
extension CheckedSQL.StringInterpolation {
    /// Rejected by #sql.
    public mutating func appendInterpolation(sql: String, arguments: StatementArguments = StatementArguments()) {}

    /// Rejected by #sql.
    public mutating func appendInterpolation(literal: SQL) {}

    /// Rejected by #sql.
    public mutating func appendInterpolation(identifier: String) {}

    /// Rejected by #sql.
    @_disfavoredOverload
    public mutating func appendInterpolation(_ sql: any SQLSpecificExpressible) {}

    /// Rejected by #sql.
    @available(
        *, unavailable,
        message: "#sql checks text that it can read: it takes values, record types and columns, and no other SQL"
    )
    @_disfavoredOverload
    public mutating func appendInterpolation(_value: any SQLSpecificExpressible) {}

    /// Rejected by #sql.
    @available(*, unavailable, message: "#sql needs to read the name of a column: write 'Type.Columns.name'")
    public mutating func appendInterpolation<Value>(_value: TypedColumn<Value>) {}

    /// Rejected by #sql.
    @available(*, unavailable, message: "#sql needs to read the name of a column: write 'Type.Columns.name'")
    public mutating func appendInterpolation(_value: some ColumnExpression) {}

    /// Rejected by #sql.
    @available(*, unavailable, message: "#sql needs to read the name of a record type: write 'Type.self'")
    public mutating func appendInterpolation<Record: TableRecord>(_value: Record.Type) {}

    /// Rejected by #sql.
    @available(*, unavailable, message: "#sql checks a list only after IN: write 'IN \\(values)'")
    public mutating func appendInterpolation<Values: Sequence>(_value: Values)
    where Values.Element: DatabaseValueConvertible {}

    /// Rejected by #sql.
    @available(*, unavailable, message: "#sql checks a list after IN: write 'IN (\\(value))' for a single value")
    public mutating func appendInterpolation<Value: DatabaseValueConvertible>(_list: Value?) {}
}

/// For generated code: the SQL that `#sql` has checked.
public func _checkedSQL(_ checked: CheckedSQL, _ stamp: Any.Type) -> SQL { checked.sql }

/// For generated code: the request that `#sql` has checked.
public func _checkedSQL<Value>(_ checked: CheckedSQL, _ stamp: Any.Type) -> SQLRequest<Value> {
    SQLRequest(literal: checked.sql)
}

/// For generated code: several statements that `#sql` has checked.
public func _checkedStatements(_ checked: CheckedSQL, _ stamp: Any.Type) -> SQL { checked.sql }

/// For generated code: a request runs a single statement.
@available(
    *, unavailable, message: "a request is a single statement: run several with 'db.execute(literal: #sql(...))'"
)
public func _checkedStatements<Value>(_ checked: CheckedSQL, _ stamp: Any.Type) -> SQLRequest<Value> {
    _checkedSQL(checked, stamp)
}

/// For generated code: the schema that `#sql` has checked against. With the plugin RowanSchema, each module has its own
/// type of this name, which changes with the schema.
public typealias _SchemaStamp = Never
