// What the dumps of a connection print: SQL, requests with their prefetched rows, tables, and the schema.

extension DumpStream {
    mutating func dump(_ db: Database, _ sql: SQL, _ format: some DumpFormat) throws {
        let statements = try db.allStatements(literal: sql)
        while let statement = try statements.next() {
            try dump(db, RowCursor(statement, adapter: nil), format)
        }
    }

    /// Writes all rows of a cursor. A statement without columns runs but prints nothing.
    mutating func dump(
        _ db: Database, _ cursor: RowCursor, _ format: some DumpFormat, _ visit: (Statement) -> Void = { _ in }
    ) throws {
        var format = format
        try (format as? any CheckedDumpFormat)?.check()
        // The format and the progress closure may reset the statement with a rollback, which `nextRow` detects.
        while try cursor.nextRow() != nil {
            let statement = cursor.statement
            visit(statement)
            try format.writeRow(db, statement: statement, to: &self)
            try didWriteRow()
        }
        let statement = cursor.statement
        if statement.columnCount > 0 { format.finalize(db, statement: statement, to: &self) }
    }

    // MARK: Requests

    mutating func dump(_ db: Database, _ request: some FetchRequest, _ format: some DumpFormat) throws {
        try dump(db, format) { try request.makePreparedRequest(db, forSingleResult: false) }
    }

    /// Writes the rows of a request, then those of its prefetched associations.
    private mutating func dump(
        _ db: Database, _ format: some DumpFormat, _ prepare: () throws -> PreparedRequest
    ) throws {
        let previousCount = progress.rowCount
        let (prepared, keys) = try dumpRows(db, format, prepare)
        guard progress.rowCount > previousCount else { return }
        for (prefetch, keys) in zip(prepared.prefetches, keys) {
            margin()
            write((prefetch.scope + [prefetch.name]).joined(separator: ".") + "\n")
            let relation = prefetch.relation(ofKeys: keys.all)
            try dump(db, format) { try db.prepare { try Resolver(db).query(relation) } }
        }
    }

    /// Writes the rows of a request and collects the keys of their prefetched rows. If the schema changes before the
    /// first row, the request is prepared again, once.
    private mutating func dumpRows(
        _ db: Database, _ format: some DumpFormat, _ prepare: () throws -> PreparedRequest
    ) throws -> (PreparedRequest, [DistinctKeys]) {
        try SchemaMoved.retrying {
            let prepared = try prepare()
            let cursor = try RowCursor(prepared, adapter: nil)
            var keys = prepared.prefetches.map { DistinctKeys($0.key, hiddenStart: prepared.hiddenStart) }
            hiddenColumnCount = prepared.hiddenCount
            defer { hiddenColumnCount = 0 }
            try dump(db, cursor, format) { statement in
                for index in keys.indices { keys[index].insert(statement) }
            }
            return (prepared, keys)
        }
    }

    // MARK: Tables

    mutating func dump(
        _ db: Database, _ tables: [String], _ format: some DumpFormat, _ tableHeader: DumpTableHeaderOptions,
        stableOrder: Bool
    ) throws {
        let hasHeader = tableHeader == .always || tables.count > 1
        try db.inOneSnapshot {
            for (index, table) in tables.enumerated() {
                if index > 0 { margin() }
                try dump(db, table, format, hasHeader: hasHeader, stableOrder: stableOrder)
            }
        }
    }

    private mutating func dump(
        _ db: Database, _ table: String, _ format: some DumpFormat, hasHeader: Bool, stableOrder: Bool
    ) throws {
        let order: [String]
        if try db.viewExists(table) {
            order = stableOrder ? try db.columns(in: table).indices.map { "\($0 + 1)" } : []
        } else {
            order = try db.primaryKey(table).columns.map(\.quotedDatabaseIdentifier)
        }
        let clause = order.isEmpty ? "" : " ORDER BY " + order.joined(separator: ", ")
        let statement = try db.makeStatement(sql: "SELECT * FROM \(table.quotedDatabaseIdentifier)\(clause)")
        if hasHeader { write(table + "\n") }
        progress.table = table
        try dump(db, RowCursor(statement, adapter: nil), format)
    }

    // MARK: The database

    mutating func dumpSchema(_ objects: [DumpedObject]) {
        write("sqlite_master\n")
        for object in objects { write(object.definition.terminated + "\n") }
    }

    mutating func dumpContent(_ db: Database, _ format: some DumpFormat) throws {
        try db.inOneSnapshot {
            var tables: [String]
            if db.connection.isInScope {
                tables = try db.tables().map(\.name)
            } else {
                let objects = try DumpedObject.all(db)
                dumpSchema(objects)
                tables = objects.filter(\.isTable).map(\.name)
                if !tables.isEmpty { margin() }
            }
            guard !tables.isEmpty else { return }
            try dump(db, tables, format, .always, stableOrder: true)
        }
    }
}

/// An object of the main schema that the program has created.
struct DumpedObject {
    let name: String
    let isTable: Bool
    let definition: SQLDefinition

    /// The objects, by table: the table itself, its indexes, its triggers.
    static func all(_ db: Database) throws -> [DumpedObject] {
        let tables = try Row.fetchAll(db, sql: "PRAGMA main.table_list").filter { $0["schema"] == "main" }
        let shadows = Database.shadowTables(inTableList: tables)
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT type, name, tbl_name, sql FROM main.sqlite_master WHERE sql IS NOT NULL
                ORDER BY tbl_name COLLATE NOCASE, type <> 'table', type, name COLLATE NOCASE
                """)
        let hidden = db.connection.abilities.hiddenTables
        return try rows.compactMap { row in
            let name: String = row["name"]
            guard !isInternal(name), !hidden.contains(row["tbl_name"]), !shadows.contains(row["tbl_name"])
            else { return nil }
            let type: String = row["type"]
            return try DumpedObject(
                name: name, isTable: type == "table",
                definition: SQLDefinition(row["sql"], type: type, name: name))
        }
    }
}

/// The tables of SQLite and the migration table.
private func isInternal(_ name: String) -> Bool {
    let name = name.foldedDatabaseName
    return name.hasPrefix("sqlite_") || name.hasPrefix("grdb_")
}

/// The distinct keys of the rows of a request: those of its prefetched rows.
private struct DistinctKeys {
    private let columns: [Int]
    private var known: Set<[DatabaseValue]> = []
    private(set) var all: [[DatabaseValue]] = []

    init(_ key: [KeyColumn], hiddenStart: Int) {
        columns = key.map {
            switch $0 {
            case .column(let index): index
            case .hidden(let index): hiddenStart + index
            }
        }
    }

    /// Inserts the key of the current row. NULL refers to nothing.
    mutating func insert(_ statement: Statement) {
        let key = columns.map { statement.value(at: $0) }
        if !key.contains(where: \.isNull), known.insert(key).inserted { all.append(key) }
    }
}

extension Database {
    /// Runs queries that see a single state of the database.
    func inOneSnapshot(_ body: () throws -> Void) throws {
        if isInsideTransaction { try body() } else { try isolatedRead { _ in try body() } }
    }
}
