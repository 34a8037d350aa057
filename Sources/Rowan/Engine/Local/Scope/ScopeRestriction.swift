// What the statements of a scope may do. SQLite reports each action while it compiles a statement, with the name of the
// innermost view or common table that causes it. Only the scope's own common tables may read tables: they have random
// names. Source: https://sqlite.org/c3ref/set_authorizer.html
//
// SQLite reports a table whose rows are only counted as it is written in the FROM clause, whether the name is that of a
// table, a view or a common table (later versions: with its schema), and does not report the view that contains it. Such
// names, and those of views in the text, are checked once the statement is compiled.

import RowanPlatform
import RowanSQLite

/// The policy of a scope on one connection, with the statements that were compiled for it.
package final class ScopeRestriction {
    /// A table that the scope shows.
    package struct Table {
        /// The name, as spelled in the schema.
        package let name: String
        /// The query of the rows and columns that can be read.
        package let query: String
        /// The columns that can be read, in lower case.
        package let columns: Set<String>
        /// The columns that are computed when they are read, in lower case: computing one may fail.
        package var computedColumns: Set<String> = []
        /// How rows are written; nil if they can only be read.
        package var writing: Writing?

        package init(name: String, query: String, columns: Set<String>) {
            (self.name, self.query, self.columns) = (name, query, columns)
        }
    }

    /// How the rows of a table are written.
    package struct Writing {
        /// The condition of the rows.
        package let condition: String
        /// The statements that check a row, by the events of a trigger.
        package let checks: [(event: String, statement: String)]
        package let references: [Reference]

        package init(condition: String, checks: [(event: String, statement: String)], references: [Reference]) {
            (self.condition, self.checks, self.references) = (condition, checks, references)
        }
    }

    /// The columns that refer to those of another table.
    package struct Reference {
        /// The other table, in lower case.
        let parent: String
        let columns: [(child: String, parent: String)]

        package init(parent: String, columns: [(child: String, parent: String)]) {
            (self.parent, self.columns) = (parent, columns)
        }
    }

    /// What SQLite has reported about a statement.
    struct Findings {
        /// Whether a term may fail for some rows, which would reveal that they exist.
        var mayFail = false
        /// Whether an aggregate may fail. Outside subqueries, it sees only rows of the scope.
        var aggregateMayFail = false
        /// The names of tables whose rows are only counted, as written.
        var counted: Set<String> = []
        /// Whether the module of a function may declare its columns.
        let declaresFunctions: Bool
    }

    /// Identifies the scope's statements on the connection.
    let number: Int
    /// What the scope shows, by lower-case names.
    package let tables: [String: Table]
    /// The names, in lower case, that no statement may use as names of tables: those of views, and those that the
    /// queries of the scope refer to.
    private let hiddenNames: (views: Set<String>, tables: Set<String>)
    /// The names of the schemas, in lower case.
    let schemas: Set<String>
    /// The values of the scope's conditions.
    @exclusivity(unchecked) package var values: [DatabaseValue] = []

    /// The tables that the scope's common tables read, by the lower-case names of these.
    private let readers: [String: String]
    private let prefix: String
    /// Whether the statement that SQLite compiles writes: only then, it refers to a table itself.
    @exclusivity(unchecked) private var isWriting = false
    /// Whether a rollback of the transaction removes the triggers that check written rows.
    @exclusivity(unchecked) var needsTransaction = false
    @exclusivity(unchecked) private var findings: Findings?
    @exclusivity(unchecked) private var lastRefusal: String?

    // The statements for the scope while it is left, and those of the connection while it is entered.
    private var pool = TextCache<PreparedSQL>(capacity: 256)
    private var userStatements = TextCache<Statement>(capacity: 256)
    /// The epoch of the scope's statements, and that of the connection's.
    private var epochs = (own: 0, outer: 0)

    private typealias Text = UnsafePointer<CChar>

    /// - Parameters:
    ///   - views: the names of all views, in lower case.
    ///   - usedNames: the tables that the queries refer to, in lower case.
    ///   - schemas: the names of the schemas, in lower case.
    package init(tables: [Table], views: Set<String>, usedNames: Set<String>, schemas: Set<String>) {
        self.tables = Dictionary(tables.map { ($0.name.foldedDatabaseName, $0) }) { first, _ in first }
        hiddenNames = (views, usedNames)
        self.schemas = schemas
        number = Int.random(in: 1 ... .max)
        let prefix = "\(UInt64.random(in: 0 ... .max))\(UInt64.random(in: 0 ... .max))_"
        self.prefix = prefix
        readers = Dictionary(
            uniqueKeysWithValues: self.tables.keys.map { (prefix + $0, $0) })
    }

    /// The function that returns a value of the scope.
    package static let function = "rowan_scope"

    // MARK: Entering and leaving

    /// Begins to accept only statements of the scope.
    func enter(_ connection: LocalConnection) {
        if epochs.outer != connection.schemaEpoch {
            epochs.outer = connection.schemaEpoch
            connection.lastEpoch += 1
            epochs.own = connection.lastEpoch
        }
        exchangeStatements(with: connection)
        (connection.schemaEpoch, connection.scopeNumber) = (epochs.own, number)
        connection.hooks?.scope = self
    }

    /// Accepts the statements of the connection again.
    func leave(_ connection: LocalConnection) {
        connection.hooks?.scope = nil
        connection.scopeNumber = 0
        if connection.schemaEpoch == epochs.own {
            connection.schemaEpoch = epochs.outer
        } else {
            // The schema has changed in the meantime.
            connection.schemaDidMove()
        }
        exchangeStatements(with: connection)
    }

    private func exchangeStatements(with connection: LocalConnection) {
        swap(&pool, &connection.pool)
        swap(&userStatements, &connection.userStatements)
    }

    /// - Throws: SQLITE_ABORT if the written rows are no longer checked.
    func willRun(_ statement: Statement, isInsideTransaction: Bool) throws {
        isWriting = !statement.isReadonly
        guard needsTransaction, !isInsideTransaction, isWriting else { return }
        throw DatabaseError(
            resultCode: .SQLITE_ABORT, message: "the transaction of the scope has been rolled back", sql: statement.sql)
    }

    // MARK: Compiling

    /// Runs the closure, which compiles a statement of the scope.
    func compiling<T>(_ text: ScopedText, _ body: () throws -> T) rethrows -> (result: T, findings: Findings) {
        let declaresFunctions =
            !text.names.isDisjoint(with: Self.functionTables)
            && text.names.isDisjoint(with: ["sqlite_master", "sqlite_schema"])
        var recorded = Findings(declaresFunctions: declaresFunctions)
        (findings, lastRefusal, isWriting) = (recorded, nil, text.target != nil)
        defer { findings = nil }
        let result = try body()
        recorded = findings ?? recorded
        if recorded.aggregateMayFail, text.selectCount > 1 { recorded.mayFail = true }
        return (result, recorded)
    }

    /// The common tables for the names that a statement mentions.
    ///
    /// - Parameter isFenced: whether no term of the statement may be evaluated for rows outside the scope. SQLite then
    ///   can't use its conditions to find rows.
    func commonTables(for names: Set<String>, isFenced: Bool) -> [String] {
        tables.filter { names.contains($0.key) }.sorted(on: \.key).flatMap { key, table in
            let reader = (prefix + key).quotedDatabaseIdentifier
            return [
                "\(reader) AS \(isFenced ? "" : "NOT ")MATERIALIZED (\(table.query))",
                "\(table.name.quotedDatabaseIdentifier) AS NOT MATERIALIZED (SELECT * FROM \(reader))",
            ]
        }
    }

    /// The condition of the rows that a statement may update or delete, if it writes to a table of the scope.
    func condition(of text: ScopedText) -> String? {
        text.target.flatMap { tables[$0]?.writing?.condition }
    }

    /// The names and definitions of the triggers that check written rows.
    ///
    /// - Parameter checksReferences: whether foreign keys are enforced. A foreign key to a row outside the scope then
    ///   fails like one to a missing row.
    func triggers(checksReferences: Bool) -> [(name: String, sql: String)] {
        tables.sorted(on: \.key).flatMap { key, table in
            (table.writing?.checks ?? []).enumerated().map { index, check in
                let name = "\(prefix)\(key)_\(index)".quotedDatabaseIdentifier
                var statements = [check.statement]
                if checksReferences, check.event.hasPrefix("AFTER") {
                    statements += table.writing?.references.compactMap(statement(for:)) ?? []
                }
                let body = statements.joined(separator: "; ")
                let event = "\(check.event) ON main.\(table.name.quotedDatabaseIdentifier)"
                return (name, "CREATE TEMP TRIGGER \(name) \(event) BEGIN \(body); END")
            }
        }
    }

    /// The statement that checks a foreign key; nil if SQLite's own check is refused, because the scope doesn't include
    /// the other table.
    private func statement(for reference: Reference) -> String? {
        guard let parent = tables[reference.parent],
            reference.columns.allSatisfy({ parent.columns.contains($0.parent.foldedDatabaseName) })
        else { return nil }
        let isGiven = reference.columns.map { "NEW.\($0.child) IS NOT NULL" }.joined(separator: " AND ")
        let isSame = reference.columns
            .map { "parent.\($0.parent.quotedDatabaseIdentifier) = NEW.\($0.child)" }.joined(separator: " AND ")
        return """
            SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed') WHERE \(isGiven)
            AND NOT EXISTS (SELECT 1 FROM (\(parent.query)) AS parent WHERE \(isSame))
            """
    }

    /// Checks the names in a statement.
    ///
    /// - Parameter isObject: whether a name is that of a table or of a view.
    func check(_ text: ScopedText, _ findings: Findings, isObject: (String) -> Bool) throws {
        func refuse(_ message: String) throws {
            throw DatabaseError(resultCode: .SQLITE_AUTH, message: message, sql: text.sql)
        }
        if let name = text.commonTableNames.intersection(hiddenNames.tables).min() {
            try refuse("in this scope, a common table can't be called \(name): give it another name")
        }
        guard !findings.counted.isEmpty || !text.sources.isDisjoint(with: hiddenNames.views) else { return }
        if let view = text.names.intersection(hiddenNames.views).min() { try refuse(Self.unread(view, "")) }
        for name in findings.counted.sorted() where tables[name.foldedDatabaseName] == nil && isObject(name) {
            try refuse(Self.unread(name, ""))
        }
    }

    /// What the last statement was refused for, once.
    func takeRefusal() -> String? { lastRefusal.take() }

    // MARK: Actions

    /// The functions of SQLite that never fail.
    private static let safeFunctions: Set<String> = [
        "avg", "char", "coalesce", "count", "cume_dist", "date", "datetime", "dense_rank", "first_value", "ifnull",
        "iif", "instr", "julianday", "lag", "last_value", "lead", "length", "likelihood", "likely", "lower", "ltrim",
        "max", "min", "nullif", "percent_rank", "rank", "round", "row_number", "rtrim", "sign", "substr", "substring",
        "time", "total", "trim", "typeof", "unicode", "unixepoch", "unlikely", "upper",
    ]

    /// Functions that reveal what others have done on the connection or in the file, or load code.
    private static let refusedFunctions: Set<String> = [
        "changes", "total_changes", "last_insert_rowid", "sqlite_offset", "load_extension", "fts3_tokenizer",
        "sqlite_log",
    ]

    /// Pragmas that reveal nothing about rows.
    private static let readablePragmas: Set<String> = [
        "application_id", "encoding", "foreign_keys", "schema_version", "user_version",
    ]

    /// Tables that read nothing but their arguments, which may be invalid.
    private static let functionTables: Set<String> = ["json_each", "json_tree"]

    /// Whether a statement may perform an action.
    func allows(
        _ code: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
        _ schema: UnsafePointer<CChar>?, _ cause: UnsafePointer<CChar>?
    ) -> Bool {
        func text(_ text: Text?) -> String { text.map { String(cString: $0) } ?? "" }
        let name = cause.map { String(cString: $0) }
        // The queries and the checks of the scope are the program's.
        let isOwn = name?.hasPrefix(prefix) == true
        let reader = name.flatMap { readers[$0] }
        let refusal: String? =
            switch code {
            case SQLITE_READ:
                readRefusal(
                    text(first), text(second), schema.map { text($0).foldedDatabaseName },
                    reader ?? (isOwn ? "" : nil), isDirect: name == nil)
            case SQLITE_FUNCTION: isOwn ? nil : functionRefusal(text(second).lowercased())
            case SQLITE_SELECT, SQLITE_RECURSIVE: nil
            case SQLITE_PRAGMA:
                second == nil && Self.readablePragmas.contains(text(first).lowercased())
                    ? nil : "a scope can't run PRAGMA \(text(first))"
            case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
                writeRefusal(code, text(first), text(schema), isDirect: name == nil)
            case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: "a scope can't begin or end transactions"
            case SQLITE_ATTACH, SQLITE_DETACH: "a scope can't attach or detach databases"
            default: Self.schemaRefusal
            }
        guard let refusal else { return true }
        if lastRefusal == nil { lastRefusal = refusal }
        return false
    }

    /// Also for the tables of modules, which declare them.
    static let schemaRefusal = "a scope can neither read nor change the schema"

    private static func unread(_ table: String, _ column: String) -> String {
        "the scope does not include \(table)\(column.isEmpty ? "" : ".\(column)")"
    }

    private func readRefusal(
        _ table: String, _ column: String, _ schema: String?, _ reader: String?, isDirect: Bool
    ) -> String? {
        let name = table.foldedDatabaseName
        if Self.functionTables.contains(name) {
            findings?.mayFail = true
            return nil
        }
        guard let schema else {
            if readers[table] == nil, findings?.counted.contains(table) == false { findings?.counted.insert(table) }
            return nil
        }
        if let reader {
            if tables[reader]?.computedColumns.contains(column.foldedDatabaseName) == true { findings?.mayFail = true }
            return nil
        }
        // A table of which the scope's query reads no column. No other statement can name a schema.
        if column.isEmpty, schema == "main", tables[name] != nil {
            findings?.counted.insert(table)
            return nil
        }
        // The table that the statement writes, or one that is checked for a foreign key.
        if isWriting, isDirect, schema == "main", let table = tables[name],
            table.columns.contains(column.foldedDatabaseName)
        {
            if table.computedColumns.contains(column.foldedDatabaseName) { findings?.mayFail = true }
            return nil
        }
        // The module of a function declares its columns.
        if isDeclaration(of: name, column) { return nil }
        return Self.unread(schema == "main" ? table : "\(schema).\(table)", column)
    }

    private func isDeclaration(of table: String, _ column: String) -> Bool {
        table == "sqlite_master" && column == "ROWID" && findings?.declaresFunctions == true
    }

    private func writeRefusal(_ code: CInt, _ table: String, _ schema: String, isDirect: Bool) -> String? {
        if isWriting, isDirect, schema.foldedDatabaseName == "main",
            tables[table.foldedDatabaseName]?.writing != nil
        {
            return nil
        }
        if code == SQLITE_UPDATE, isDeclaration(of: table, "ROWID") { return nil }
        let isSchema = table.hasSuffix("_master") && table.hasPrefix("sqlite_")
        return isSchema ? Self.schemaRefusal : "the scope can't change \(table)"
    }

    private func functionRefusal(_ name: String) -> String? {
        if Self.refusedFunctions.contains(name) { return "a scope can't call the function \(name)" }
        switch name {
        case "sum", "group_concat": findings?.aggregateMayFail = true
        // The texts of statements can't contain it.
        case Self.function: break
        case _ where Self.safeFunctions.contains(name): break
        default: findings?.mayFail = true
        }
        return nil
    }
}
