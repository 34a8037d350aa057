// Rows made from a schema: they have the values that migrations break.

public import Rowan

extension Database {
    /// Inserts rows into each table of the main schema, made from the schema alone: NULL where a column allows it, empty
    /// and long texts, negative and large numbers, dates, JSON and UUIDs where the type or the name of a column mentions
    /// them, and children of each parent row.
    ///
    /// ```swift
    /// try db.execute(sql: "INSERT INTO city (code) VALUES ('DE-ULM')")
    /// try db.insertSampleRows()
    /// ```
    ///
    /// A table gets up to ten rows that satisfy its constraints and triggers. The rows that its triggers insert in other
    /// tables are kept, as are existing rows. Full-text tables are filled or reindexed. Views and other virtual tables are
    /// left alone. The same schema and the same existing rows give the same rows, unless a trigger uses the time or
    /// random values.
    ///
    /// - Parameter tables: the tables that get no rows.
    /// - Throws: ``/RowanTestKit/SampleRowsError`` if a table stays empty: insert a row of it first. A
    ///   ``/Rowan/DatabaseError``. In both cases, no row is inserted.
    public func insertSampleRows(except tables: Set<String> = []) throws {
        try inSavepoint {
            let wasDeferred = try Bool.fetchOne(self, sql: "PRAGMA defer_foreign_keys") ?? false
            // A cycle of foreign keys is closed by the last of its tables.
            try execute(sql: "PRAGMA defer_foreign_keys = ON")
            let result = Result { try SampleRows(self, except: tables).insert() }
            // Rolling back to the savepoint would not restore it.
            let restored = Result { if !wasDeferred { try execute(sql: "PRAGMA defer_foreign_keys = OFF") } }
            try result.get()
            try restored.get()
            return .commit
        }
    }

    /// The tables that store rows of the program: without those of SQLite, of virtual tables and of the migrator.
    func programTables() throws -> [SchemaObject] {
        let own: Set = ["grdb_migrations", "rowan_migration_checksums"]
        return try schemaObjects(in: "main").filter {
            $0.kind == .table && !$0.isShadowTable && !own.contains($0.name.foldedDatabaseName)
                && !$0.name.foldedDatabaseName.hasPrefix("sqlite_")
        }
    }
}

/// The tables for which no row could be made: no candidate satisfies their constraints.
public struct SampleRowsError: Error, CustomStringConvertible {
    /// The tables, with the error of their first row.
    public let reasons: [(table: String, reason: String)]

    /// The tables, and what to do.
    public var description: String {
        let tables = reasons.map { "table \($0.table) (\($0.reason))" }.joined(separator: ", ")
        return "no sample row fits \(tables): insert a row first, then call insertSampleRows()"
    }
}

struct SampleRows {
    let db: Database
    /// The tables in the order of insertion.
    private let tables: [SampleTable]
    private let fullTextTables: [SchemaObject]

    init(_ db: Database, except excluded: Set<String>) throws {
        self.db = db
        let objects = try db.programTables().filter { table in
            !excluded.contains(where: table.name.isSameDatabaseName)
        }
        tables = try objects.filter { try db.storesRows($0.name, in: "main") }.map { try SampleTable($0, db) }
            .inOrderOfInsertion
        fullTextTables = objects.filter(\.isFullTextTable)
    }

    func insert() throws {
        var reasons: [String: String] = [:]
        var postponed: [(table: SampleTable, reference: SampleTable.Reference)] = []
        var waiting = tables
        while let table = waiting.first {
            reasons[table.name] = try SampleTableRows(db, table, waiting: waiting).insert()
            waiting.removeFirst()
            for reference in table.references
            where waiting.contains(where: { $0.name.isSameDatabaseName(as: reference.key.destinationTable) }) {
                postponed.append((table, reference))
            }
        }
        try closeCycles(postponed)
        let empty = try tables.filter { table in
            try Row.fetchOne(db, sql: "SELECT 1 FROM main.\(table.name.quotedDatabaseIdentifier)") == nil
        }
        var missing = empty.map { (table: $0.name, reason: reasons[$0.name] ?? "a foreign key refers to no row") }
        for table in fullTextTables {
            do { try fill(table) } catch let error as DatabaseError where error.resultCode != .SQLITE_INTERRUPT {
                missing.append((table.name, error.message ?? ""))
            }
        }
        if !missing.isEmpty { throw SampleRowsError(reasons: missing) }
    }

    // MARK: Cycles

    /// Lets the foreign keys refer to rows that did not exist yet.
    private func closeCycles(_ postponed: [(table: SampleTable, reference: SampleTable.Reference)]) throws {
        var isComplete = true
        for (table, reference) in postponed {
            let key = try db.primaryKey(table.name, in: "main").columns
            let condition = key.assignments.joined(separator: " AND ")
            let update = try db.makeStatement(
                sql: """
                    UPDATE OR ABORT main.\(table.name.quotedDatabaseIdentifier) \
                    SET \(reference.key.originColumns.assignments.joined(separator: ", ")) WHERE \(condition)
                    """)
            let parents = try reference.parents(db)
            let columns = key.map { "child.\($0.quotedDatabaseIdentifier)" }.joined(separator: ", ")
            let rows = try Row.fetchAll(db, sql: "SELECT \(columns) FROM \(reference.dangling(of: table))")
            for (index, row) in rows.enumerated() {
                // Some rows keep their NULL.
                if !reference.nullable.isEmpty, index % 3 == 2 { continue }
                let isUpdated = try parents.rotated(by: index).contains { parent in
                    try db.violation { try update.execute(arguments: StatementArguments(parent + row.databaseValues)) }
                        == nil
                }
                if !isUpdated, reference.nullable.isEmpty {
                    isComplete = false
                    try db.execute(
                        sql: "DELETE FROM main.\(table.name.quotedDatabaseIdentifier) WHERE \(condition)",
                        arguments: StatementArguments(row.databaseValues))
                }
            }
        }
        while !isComplete {
            isComplete = true
            for table in tables {
                for reference in table.references {
                    let isSet = reference.key.originColumns.map { "child.\($0.quotedDatabaseIdentifier) IS NOT NULL" }
                    try db.execute(
                        sql: "DELETE FROM \(reference.dangling(of: table)) AND \(isSet.joined(separator: " AND "))")
                    if db.changesCount > 0 { isComplete = false }
                }
            }
        }
    }

    // MARK: Full-text tables

    private func fill(_ table: SchemaObject) throws {
        let name = "main.\(table.name.quotedDatabaseIdentifier)"
        if table.hasExternalContent {
            let command = table.name.quotedDatabaseIdentifier
            return try db.execute(sql: "INSERT INTO \(name)(\(command)) VALUES ('rebuild')")
        }
        // The triggers of other tables may have filled it.
        guard try Row.fetchOne(db, sql: "SELECT 1 FROM \(name)") == nil else { return }
        let columns = try db.columns(in: table.name, in: "main")
        let values = columns.map { SampleValues($0, isRowID: false, constraints: []) }
        let list = (["rowid"] + columns.map(\.name.quotedDatabaseIdentifier)).joined(separator: ", ")
        let marks = repeatElement("?", count: columns.count + 1).joined(separator: ", ")
        for row in 0..<SampleTableRows.rowCount {
            let texts = values.compactMap { $0.candidates(row: row, rotation: row).first }
            try db.execute(
                sql: "INSERT INTO \(name) (\(list)) VALUES (\(marks))",
                arguments: StatementArguments([(row + 1).databaseValue] + texts))
        }
    }
}

extension Database {
    /// The error of a statement that a row or its trigger makes fail; nil if it succeeds.
    func violation(_ body: () throws -> Void) throws -> DatabaseError? {
        do {
            try body()
            return nil
        } catch let error as DatabaseError
            where [.SQLITE_CONSTRAINT, .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_TOOBIG].contains(error.resultCode)
        {
            // RAISE(ROLLBACK) ends the transaction.
            guard isInsideTransaction else { throw error }
            return error
        }
    }
}

extension SampleTable.Reference {
    /// The keys that rows can refer to.
    func parents(_ db: Database) throws -> [[DatabaseValue]] {
        let columns = key.destinationColumns.map(\.quotedDatabaseIdentifier)
        let condition = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let list = columns.joined(separator: ", ")
        let parent = key.destinationTable.quotedDatabaseIdentifier
        let sql = "SELECT DISTINCT \(list) FROM main.\(parent) WHERE \(condition) ORDER BY \(list) LIMIT 12"
        return try Row.fetchAll(db, sql: sql).map { Array($0.databaseValues) }
    }

    /// The rows of a table that refer to no row, with the name `child`: the end of a statement.
    fileprivate func dangling(of table: SampleTable) -> String {
        let pairs = key.mapping.map { pair in
            "parent.\(pair.destination.quotedDatabaseIdentifier) = child.\(pair.origin.quotedDatabaseIdentifier)"
        }
        return """
            main.\(table.name.quotedDatabaseIdentifier) AS child WHERE NOT EXISTS (SELECT 1 \
            FROM main.\(key.destinationTable.quotedDatabaseIdentifier) AS parent WHERE \(pairs.joined(separator: " AND ")))
            """
    }
}

extension [String] {
    fileprivate var assignments: [String] { map { "\($0.quotedDatabaseIdentifier) = ?" } }
}

extension SchemaObject {
    private var moduleTokens: [SQLTokens.Token] {
        let tokens = SQLTokens(sql ?? "").tokens
        return tokens.starts(with: [.word("create"), .word("virtual")]) ? tokens : []
    }

    fileprivate var isFullTextTable: Bool {
        ["fts3", "fts4", "fts5"].contains { moduleTokens.contains(.word($0)) }
    }

    /// Whether a full-text table indexes the text of another table.
    fileprivate var hasExternalContent: Bool {
        let tokens = moduleTokens
        guard let option = tokens.firstRange(of: [.word("content"), .symbol("=")]),
            let value = tokens[option.upperBound...].first
        else { return false }
        return value != .text("''") && value != .word("")
    }
}
