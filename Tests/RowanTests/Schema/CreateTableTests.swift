import Rowan
import Testing

/// Tables and their indexes, in any schema.
struct CreateTableTests {
    /// The name of the definition's index is already used.
    private func createWithTakenIndex(_ db: Database) throws {
        try db.create(table: "player") { t in
            t.primaryKey("id", .integer)
            t.column("name", .text).indexed()
        }
    }

    @Test func tablesAndIndexesAreCreatedTogether() throws {
        let (queue, _) = try loggedQueue("CREATE TABLE other (a); CREATE INDEX player_on_name ON other(a)")
        try queue.inDatabase { db throws in
            expectError(.SQLITE_ERROR, "index player_on_name already exists") { try createWithTakenIndex(db) }
            #expect(try !db.tableExists("player"))
            #expect(!db.isInsideTransaction)
            try db.drop(index: "player_on_name")
            try createWithTakenIndex(db)
            #expect(try db.indexes(on: "player").map(\.name) == ["player_on_name"])
        }
    }

    /// The program's transaction decides.
    @Test func inATransaction() throws {
        let (queue, _) = try loggedQueue("CREATE TABLE other (a); CREATE INDEX player_on_name ON other(a)")
        try queue.inDatabase { db throws in
            expectError(.SQLITE_ERROR) {
                try db.inTransaction {
                    try createWithTakenIndex(db)
                    return .commit
                }
            }
            #expect(try !db.tableExists("player"))
        }
    }

    @Test func attachedDatabases() throws {
        let (queue, log) = try loggedQueue("ATTACH ':memory:' AS \"the archive\"")
        try queue.inDatabase { db throws in
            _ = log.take()
            try db.create(table: "team", in: "the archive") { t in t.primaryKey("id", .integer) }
            try db.create(table: "player", in: "the archive", options: [.ifNotExists]) { t in
                t.primaryKey("id", .integer)
                t.belongsTo("team")
            }
            let statements = log.take()
            for sql in [
                "CREATE TABLE \"the archive\".\"team\" (\"id\" INTEGER PRIMARY KEY)",
                "CREATE TABLE IF NOT EXISTS \"the archive\".\"player\" (\"id\" INTEGER PRIMARY KEY, "
                    + "\"teamId\" INTEGER REFERENCES \"team\"(\"id\"))",
                "CREATE INDEX IF NOT EXISTS \"the archive\".\"player_on_teamId\" ON \"player\"(\"teamId\")",
            ] {
                #expect(statements.contains(sql))
            }
            #expect(try db.tableExists("player", in: "the archive"))
            #expect(try !db.tableExists("player", in: "main"))
            #expect(try db.indexes(on: "player", in: "the archive").map(\.name) == ["player_on_teamId"])
            // A foreign key can't refer to another schema.
            expectError(.SQLITE_ERROR) { try db.create(table: "player") { t in t.belongsTo("team") } }
        }
    }

    @Test func temporarySchema() throws {
        try inLoggedDatabase("") { db, _ throws in
            expectError(
                .SQLITE_MISUSE, "table t can't be temporary in the schema main: choose one of them"
            ) {
                try db.create(table: "t", in: "main", options: .temporary) { t in t.column("a") }
            }
            try db.create(table: "t", in: "temp", options: .temporary) { t in t.column("a").indexed() }
            #expect(try db.tableExists("t", in: "temp"))
            expectError(.SQLITE_ERROR, "unknown database \"nowhere\"") {
                try db.create(table: "t", in: "nowhere") { t in t.column("a") }
            }
        }
    }
}
