// External content: a full-text table that indexes the text of another table. Triggers repeat each change of that
// table. A trigger does not see the rows that INSERT OR REPLACE deletes, unless `PRAGMA recursive_triggers` is on.
// Sources: https://sqlite.org/fts3.html#_external_content_fts4_tables_, https://sqlite.org/fts5.html#external_content_tables

/// The location of the text of a full-text table.
enum FullTextContent {
    /// In the table itself, or as specified by the `content` option.
    case option(String?)
    /// In another table, with triggers.
    case synchronized(String)

    /// The value of the `content` option.
    var option: String? {
        switch self {
        case .option(let table): table
        case .synchronized(let table): table
        }
    }
}

/// The triggers between a content table and its full-text table.
struct FullTextSynchronization {
    /// How the full-text table removes the text of a row.
    enum Engine: Sendable {
        /// It reads the text from the content table, before the row changes.
        case fts4
        /// It gets the text from the statement.
        case fts5

        /// The suffixes of the triggers' names.
        fileprivate var events: [Event] {
            switch self {
            case .fts4: [.beforeUpdate, .beforeDelete, .afterUpdate, .afterInsert]
            case .fts5: [.afterInsert, .afterDelete, .afterUpdate]
            }
        }
    }

    fileprivate enum Event: String {
        case beforeUpdate = "bu"
        case beforeDelete = "bd"
        case afterInsert = "ai"
        case afterDelete = "ad"
        case afterUpdate = "au"

        var sql: String {
            switch self {
            case .beforeUpdate: "BEFORE UPDATE"
            case .beforeDelete: "BEFORE DELETE"
            case .afterInsert: "AFTER INSERT"
            case .afterDelete: "AFTER DELETE"
            case .afterUpdate: "AFTER UPDATE"
            }
        }
    }

    let engine: Engine
    let table: String
    let contentTable: String
    /// The schema of both tables: an index can't refer to a table of another schema.
    let schema: String
    /// The columns of the full-text table, which are columns of the content table.
    let columns: [String]
    /// The column of the content table with its rowid.
    let rowIDColumn: String

    /// Creates the triggers and indexes the rows of the content table.
    func start(_ db: Database) throws {
        let rowID = rowIDColumn.quotedDatabaseIdentifier
        let origin = contentTable.quotedDatabaseIdentifier
        for event in engine.events {
            try db.execute(
                sql: """
                    CREATE TRIGGER \(name(of: event, in: schema)) \(event.sql) ON \(origin) \
                    BEGIN \(statements(for: event, rowID)) END
                    """)
        }
        let name = table.quotedDatabaseIdentifier
        try db.execute(sql: "INSERT INTO \(schema).\(name)(\(name)) VALUES ('rebuild')")
    }

    /// Drops the triggers of a full-text table, if they exist.
    static func dropTriggers(_ engine: Engine, ofTable table: String, _ db: Database) throws {
        try db.inSavepoint {
            for event in engine.events {
                try db.execute(sql: "DROP TRIGGER IF EXISTS \(name(of: event, table))")
            }
            return .commit
        }
    }

    private static func name(of event: Event, _ table: String) -> String {
        "__\(table)_\(event.rawValue)".quotedDatabaseIdentifier
    }

    private func name(of event: Event, in schema: String) -> String { "\(schema).\(Self.name(of: event, table))" }

    private func statements(for event: Event, _ rowID: String) -> String {
        switch event {
        case .beforeUpdate, .beforeDelete, .afterDelete: deletion(rowID)
        case .afterInsert: insertion(rowID)
        case .afterUpdate: engine == .fts5 ? "\(deletion(rowID)) \(insertion(rowID))" : insertion(rowID)
        }
    }

    private func insertion(_ rowID: String) -> String {
        "INSERT INTO \(table.quotedDatabaseIdentifier)(\(list(columns, after: [key]))) "
            + "VALUES (\(list(columns, of: "new", after: ["new.\(rowID)"])));"
    }

    private func deletion(_ rowID: String) -> String {
        let name = table.quotedDatabaseIdentifier
        return switch engine {
        case .fts4: "DELETE FROM \(name) WHERE docid = old.\(rowID);"
        case .fts5:
            "INSERT INTO \(name)(\(list(columns, after: [name, key]))) "
                + "VALUES (\(list(columns, of: "old", after: ["'delete'", "old.\(rowID)"])));"
        }
    }

    /// The column with the rowid of the document.
    private var key: String { engine == .fts4 ? "docid" : "rowid" }

    private func list(_ columns: [String], of row: String? = nil, after first: [String]) -> String {
        let prefix = row.map { $0 + "." } ?? ""
        return (first + columns.map { prefix + $0.quotedDatabaseIdentifier }).joined(separator: ", ")
    }
}

extension Database {
    /// The column of a content table with its rowid: the integer primary key, or a name of the hidden rowid.
    ///
    /// - Throws: SQLITE_ERROR if the table does not exist or has no rowid that the full-text table can refer to.
    func rowIDColumn(
        ofContent table: String, in schema: String, _ engine: FullTextSynchronization.Engine
    ) throws -> String {
        func refusal(_ reason: String) -> DatabaseError {
            DatabaseError(message: "a full-text table can't be synchronized with \(table): \(reason)")
        }
        guard try !viewExists(table, in: schema) else {
            throw refusal("a view has no rowid and no triggers after its changes; synchronize it with a table")
        }
        let key = try primaryKey(table, in: schema)
        guard key.tableHasRowID else { throw refusal("it has no rowid; remove WITHOUT ROWID from its definition") }
        if let column = key.rowIDColumn { return column }
        // FTS4 supports only the first name.
        guard let name = key.hiddenRowIDName, engine != .fts4 || name == "rowid" else {
            throw refusal("a column named rowid hides its rowid; add an integer primary key")
        }
        return name
    }

    /// Deletes the triggers that synchronize an FTS4 table with its content table. Call it when you drop the full-text
    /// table: the triggers belong to the content table and would make its changes fail.
    ///
    /// ```swift
    /// try db.drop(table: "book_ft")
    /// try db.dropFTS4SynchronizationTriggers(forTable: "book_ft")
    /// ```
    ///
    /// Triggers that don't exist are ignored.
    ///
    /// - Throws: a ``DatabaseError``.
    public func dropFTS4SynchronizationTriggers(forTable tableName: String) throws {
        try FullTextSynchronization.dropTriggers(.fts4, ofTable: tableName, self)
    }

    /// Deletes the triggers that synchronize an FTS5 table with its content table. Call it when you drop the full-text
    /// table: the triggers belong to the content table and would make its changes fail.
    ///
    /// ```swift
    /// try db.drop(table: "book_ft")
    /// try db.dropFTS5SynchronizationTriggers(forTable: "book_ft")
    /// ```
    ///
    /// Triggers that don't exist are ignored.
    ///
    /// - Throws: a ``DatabaseError``.
    public func dropFTS5SynchronizationTriggers(forTable tableName: String) throws {
        try FullTextSynchronization.dropTriggers(.fts5, ofTable: tableName, self)
    }
}
