// What the statements of a scope may do. SQLite reports each action while it compiles a statement, with the name of the
// innermost view or common table that causes it. Only the scope's own common tables may read tables: they have random
// names. Source: https://sqlite.org/c3ref/set_authorizer.html
//
// SQLite does not report everything: no column of USING and NATURAL JOIN, and of a table whose rows are only counted, it
// reports the name as it is written in the FROM clause. So no name in the text refers to a table or a view. Those that the
// scope does not include become common tables, too, whose use is always reported, and refused.

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
        /// Whether a column contains the rowid.
        package var showsRowID = false
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
        /// The foreign keys of other tables that refer to this one.
        package let referrers: [Referrer]
        /// The columns of tables that refer to this one, in lower case. SQLite looks for such rows, also for a new row.
        let referringColumns: Set<String>

        package init(
            condition: String, checks: [(event: String, statement: String)], references: [Reference],
            referrers: [Referrer]
        ) {
            (self.condition, self.checks, self.references) = (condition, checks, references)
            self.referrers = referrers
            referringColumns = Set(
                referrers.flatMap { key in key.columns.map { "\(key.child).\($0.child)".foldedDatabaseName } })
        }
    }

    /// A foreign key of another table.
    package struct Referrer {
        /// The other table.
        let child: String
        let columns: [(child: String, parent: String)]
        /// Whether a row can't be deleted while others refer to it.
        let keepsParents: Bool
        /// Whether the key may be checked at the end of the transaction.
        let isDeferred: Bool
        /// Whether the columns have the same affinities and no collations: then, an index of the other table can be used.
        let comparesAlike: Bool

        package init(
            child: String, columns: [(child: String, parent: String)], keepsParents: Bool, isDeferred: Bool,
            comparesAlike: Bool
        ) {
            (self.child, self.columns, self.keepsParents) = (child, columns, keepsParents)
            (self.isDeferred, self.comparesAlike) = (isDeferred, comparesAlike)
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
        /// The names, in lower case, of common tables for what the scope does not include.
        let hidden: Set<String>
        /// The one of them that the statement has used, and a column.
        var used: (name: String, column: String)?
        /// All names in the statement, in lower case.
        let names: Set<String>
        /// Whether the module of a function may declare its columns.
        let declaresFunctions: Bool
    }

    /// Identifies the scope's statements on the connection.
    let number: Int
    /// The epoch of the schema that the scope is valid for.
    package let epoch: Int
    /// What the scope shows, by lower-case names.
    package let tables: [String: Table]
    /// The names, in lower case, of the tables and views of the main schema, as spelled there; and of other tables.
    private let objects: (main: [String: String], others: Set<String>)
    /// The names, in lower case, that the queries of the scope refer to.
    private let usedNames: Set<String>
    /// The tables, in lower case, that the queries of the scope read.
    let queriedTables: Set<String>
    /// The functions, in lower case, that are not SQLite's.
    let ownFunctions: Set<String>
    /// The names of the schemas, in lower case.
    let schemas: Set<String>
    /// The values of the scope's conditions.
    @exclusivity(unchecked) package var values: [DatabaseValue] = []

    /// The tables that the scope's common tables read, by the lower-case names of these.
    let readers: [String: String]
    /// The random prefix of all names that belong to scopes of the connection.
    let secret: String
    /// Whether the statement that SQLite compiles writes: only then, it refers to a table itself.
    @exclusivity(unchecked) var isWriting = false
    /// The table in lower case into which it inserts rows, without updating any.
    @exclusivity(unchecked) var insertedTable: String?
    /// Whether a rollback of the transaction removes the triggers that check written rows.
    @exclusivity(unchecked) var needsTransaction = false
    @exclusivity(unchecked) var findings: Findings?
    @exclusivity(unchecked) var lastRefusal: String?

    // The statements for the scope while it is left, and those of the connection while it is entered.
    private var pool = TextCache<PreparedSQL>(capacity: 256)
    private var userStatements = TextCache<Statement>(capacity: 256)
    /// The epoch of the scope's statements, and that of the connection's.
    private var epochs = (own: 0, outer: 0)

    /// - Parameters:
    ///   - objects: the names of the tables and views of the main schema, and those of all others.
    ///   - usedNames: the tables that the queries refer to, in lower case.
    ///   - queriedTables: the tables that the queries read, in lower case.
    ///   - ownFunctions: the functions that are not SQLite's.
    package init(
        _ connection: LocalConnection, tables: [Table], objects: (main: [String], others: [String]),
        usedNames: Set<String>, queriedTables: Set<String>, ownFunctions: [String]
    ) throws {
        self.queriedTables = queriedTables
        self.ownFunctions = Set(ownFunctions.map { $0.lowercased() })
        self.tables = Dictionary(tables.map { ($0.name.foldedDatabaseName, $0) }) { first, _ in first }
        let main = Dictionary(objects.main.map { ($0.foldedDatabaseName, $0) }) { first, _ in first }
        self.objects = (main, Set(objects.others.map(\.foldedDatabaseName)))
        self.usedNames = usedNames
        schemas = Set(try connection.schemaNames().map(\.foldedDatabaseName) + ["main", "temp"])
        epoch = connection.schemaEpoch
        number = Int.random(in: 1 ... .max)
        let secret = try connection.openHooks().scopeSecret
        self.secret = secret
        readers = Dictionary(
            uniqueKeysWithValues: self.tables.keys.map { (secret + $0, $0) })
    }

    private static let rowIDNames: Set<String> = ["rowid", "_rowid_", "oid"]

    /// The function that returns a value of the scope, and whether a scope, as a negative number, is the current one.
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
        let profile = statement.profile
        insertedTable =
            profile.deletions.isEmpty && profile.insertions.count == 1
            ? profile.insertions.first?.name.foldedDatabaseName : nil
        guard needsTransaction, !isInsideTransaction, isWriting else { return }
        throw DatabaseError(
            resultCode: .SQLITE_ABORT, message: "the transaction of the scope has been rolled back", sql: statement.sql)
    }

    // MARK: Compiling

    /// Runs the closure, which compiles a statement of the scope.
    ///
    /// - Throws: SQLITE_AUTH if the statement uses what the scope does not include.
    func compiling<T>(_ text: ScopedText, _ body: () throws -> T) throws -> (result: T, findings: Findings) {
        let declaresFunctions = !text.names.isDisjoint(with: Self.functionTables)
        findings = Findings(hidden: hiddenNames(in: text), names: text.names, declaresFunctions: declaresFunctions)
        (lastRefusal, isWriting) = (nil, text.target != nil)
        insertedTable = text.insertsRows ? text.target : nil
        defer { findings = nil }
        let result = Result { try body() }
        if case .failure(let error as DatabaseError) = result, let message = error.message?.foldedDatabaseName,
            let name = findings?.hidden.first(where: { message == "'\($0)' is not a function" })
        {
            findings?.used = (name, "")
        }
        if let used = findings?.used {
            throw text.refusal(Self.unread(objects.main[used.name] ?? used.name, used.column))
        }
        return (try result.get(), findings!)
    }

    /// The names in a statement, in lower case, that could be those of tables that the scope does not include.
    private func hiddenNames(in text: ScopedText) -> Set<String> {
        text.names.subtracting(text.ownCommonTables).filter { name in
            guard tables[name] == nil, !isFunctionTable(name) else { return false }
            return objects.main[name] != nil || objects.others.contains(name) || name.hasPrefix("sqlite_")
                || name.hasPrefix("pragma_")
        }
    }

    /// Whether a name is that of a function that returns a table, and of nothing else.
    func isFunctionTable(_ name: String) -> Bool { Self.functionTables.contains(name) && objects.main[name] == nil }

    /// The common tables for the names that a statement mentions.
    ///
    /// - Parameter isFenced: whether no term of the statement may be evaluated for rows outside the scope. SQLite then
    ///   can't use its conditions to find rows.
    func commonTables(for text: ScopedText, isFenced: Bool) -> [String] {
        let shown = tables.filter { text.names.contains($0.key) }.sorted(on: \.key).flatMap { key, table in
            let reader = (secret + key).quotedDatabaseIdentifier
            return [
                "\(reader) AS \(isFenced ? "" : "NOT ")MATERIALIZED (\(table.query))",
                "\(table.name.quotedDatabaseIdentifier) AS NOT MATERIALIZED (SELECT * FROM \(reader))",
            ]
        }
        let hidden = hiddenNames(in: text).sorted().map { name in
            // With the columns of the table, so that the error can name one.
            let rows = objects.main[name].map { "SELECT * FROM main.\($0.quotedDatabaseIdentifier)" }
            return "\(name.quotedDatabaseIdentifier) AS (\(rows ?? "SELECT \(Self.function)(0)"))"
        }
        return shown + hidden
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
                let name = "\(secret)\(number)_\(key)_\(index)".quotedDatabaseIdentifier
                var statements = [check.statement]
                if checksReferences, check.event.hasPrefix("AFTER") {
                    statements += table.writing?.references.compactMap(statement(for:)) ?? []
                }
                if checksReferences {
                    statements +=
                        table.writing?.referrers.compactMap {
                            statement(for: $0, check.event, table)
                        } ?? []
                }
                let body = statements.joined(separator: "; ")
                let event = "\(check.event) ON main.\(table.name.quotedDatabaseIdentifier)"
                let isOfScope = "WHEN \(Self.function)(-\(number))"
                return (name, "CREATE TEMP TRIGGER IF NOT EXISTS \(name) \(event) \(isOfScope) BEGIN \(body); END")
            }
        }
    }

    /// Whether a text must not be shown in a scope.
    func isSecret(_ text: String) -> Bool { text.contains(secret) }

    static func makeSecret() -> String { "\(UInt64.random(in: 0 ... .max))\(UInt64.random(in: 0 ... .max))_" }

    /// The names of the triggers, in quotes.
    var triggerNames: [String] { triggers(checksReferences: false).map(\.name) }

    /// The statement that checks a foreign key; nil if SQLite's own check is refused, because the scope doesn't include
    /// the other table.
    private func statement(for reference: Reference) -> String? {
        guard let parent = tables[reference.parent],
            reference.columns.allSatisfy({ parent.columns.contains($0.parent.foldedDatabaseName) })
        else { return nil }
        let isGiven = reference.columns.map { "NEW.\($0.child) IS NOT NULL" }.joined(separator: " AND ")
        let isSame = reference.columns
            .map { "parent.\($0.parent.quotedDatabaseIdentifier) = +NEW.\($0.child)" }.joined(separator: " AND ")
        return """
            SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed') WHERE \(isGiven)
            AND NOT EXISTS (SELECT 1 FROM (\(parent.query)) AS parent WHERE \(isSame))
            """
    }

    /// The statement that keeps a row that others refer to.
    ///
    /// SQLite counts the references that are missing: a row outside that refers to a missing row would make up for a
    /// reference that the statement breaks, which would reveal that row, and leave the broken reference.
    private func statement(for key: Referrer, _ event: String, _ table: Table) -> String? {
        switch event {
        case "BEFORE UPDATE":
            let isChanged = key.columns
                .map {
                    "OLD.\($0.parent.quotedDatabaseIdentifier) IS NOT NEW.\($0.parent.quotedDatabaseIdentifier) COLLATE BINARY"
                }
                .joined(separator: " OR ")
            let message = "the scope can't change a key of \(table.name) to which \(key.child) refers"
            return "SELECT RAISE(ABORT, \(message.databaseValue.sqlLiteral)) WHERE \(isChanged)"
        case "BEFORE DELETE" where key.keepsParents:
            // Rows that refer to each other may be deleted together.
            guard key.isDeferred || !key.child.isSameDatabaseName(as: table.name) else { return nil }
            // As for SQLite, the column of the parent decides about the collation and the affinity.
            let isSame = key.columns
                .map { child, parent in
                    let (child, parent) = ("child.\(child.quotedDatabaseIdentifier)", parent.quotedDatabaseIdentifier)
                    return key.comparesAlike
                        ? "\(child) = OLD.\(parent)"
                        : "parent.\(parent) IS OLD.\(parent) AND parent.\(parent) = +\(child)"
                }.joined(separator: " AND ")
            let parent = key.comparesAlike ? "" : ", main.\(table.name.quotedDatabaseIdentifier) AS parent"
            return """
                SELECT RAISE(ABORT, 'FOREIGN KEY constraint failed')
                WHERE EXISTS (SELECT 1 FROM main.\(key.child.quotedDatabaseIdentifier) AS child\(parent) WHERE \(isSame))
                """
        default: return nil
        }
    }

    /// - Throws: SQLITE_AUTH if a common table takes a name that the queries of the scope use.
    func check(_ text: ScopedText) throws {
        if let name = text.commonTableNames.intersection(usedNames).min() {
            throw text.refusal("in this scope, a common table can't be called \(name): give it another name")
        }
        // SQLite does not report the rowid of an INSERT. Whether one is taken depends on rows outside.
        if let target = text.target, let table = tables[target], !table.showsRowID,
            let name = text.names.intersection(Self.rowIDNames).subtracting(table.columns).min()
        {
            throw text.refusal(Self.unread(table.name, name))
        }
        // Swift compares characters, SQLite bytes: two names that are equal here may be those of two tables.
        for name in text.nonASCIINames where !tables.values.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
            let isObject = (Array(objects.main.values) + objects.others).contains {
                $0.lowercased() == name.lowercased()
            }
            if isObject { throw text.refusal(Self.unread(name, "")) }
        }
    }

    /// What the last statement was refused for, once.
    func takeRefusal() -> String? { lastRefusal.take() }
}
