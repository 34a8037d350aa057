import Rowan
import Testing

private let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, secret TEXT);
    INSERT INTO player VALUES (1, 'Arthur', 10, 's')
    """

private struct Partial: Decodable, Equatable, FetchableRecord, TableRecord {
    static let databaseTableName = "player"
    static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("name")] }
    var id: Int64
    var name: String
}

private struct Excluding: FetchableRecord, TableRecord {
    static let databaseTableName = "player"
    static var databaseSelection: [any SQLSelectable] { [.allColumns(excluding: ["SECRET", "nowhere"])] }
    var columns: [String]
    init(row: Row) { columns = Array(row.columnNames) }
}

private struct ExcludingColumns: FetchableRecord, TableRecord {
    static let databaseTableName = "player"
    static var databaseSelection: [any SQLSelectable] {
        [.allColumns(excluding: [Column("secret"), Column("id")]), .rowID]
    }
    var columns: [String]
    init(row: Row) { columns = Array(row.columnNames) }
}

struct SelectionTests {
    @Test func theSelectionOfTheTypeIsInAllRequests() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let arthur = Partial(id: 1, name: "Arthur")
            #expect(try Partial.fetchAll(db) == [arthur])
            #expect(try Partial.fetchOne(db, key: 1) == arthur)
            #expect(try Partial.filter(Column("score") == 10).fetchOne(db) == arthur)
            #expect(try Partial.fetchCount(db) == 1)
            #expect(
                log.takeExpanded() == [
                    #"SELECT "id", "name" FROM "player""#, #"SELECT "id", "name" FROM "player" WHERE "id" = 1"#,
                    #"SELECT "id", "name" FROM "player" WHERE "score" = 10 LIMIT 1"#, #"SELECT COUNT(*) FROM "player""#,
                ])
            #expect(try Partial.numberOfSelectedColumns(db) == 2)
        }
    }

    @Test func allColumnsButSome() throws {
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try Excluding.fetchOne(db)?.columns == ["id", "name", "score"])
            #expect(try ExcludingColumns.fetchOne(db)?.columns == ["name", "score", "id"])
            #expect(
                log.take() == [
                    #"SELECT "id", "name", "score" FROM "player" LIMIT 1"#,
                    #"SELECT "name", "score", "rowid" FROM "player" LIMIT 1"#,
                ])
            #expect(try Excluding.numberOfSelectedColumns(db) == 3)
            try db.alter(table: "player") { t in t.add(column: "level", .integer) }
            #expect(try Excluding.fetchOne(db)?.columns == ["id", "name", "score", "level"])
            #expect(try Excluding.filter(key: 1).fetchCount(db) == 1)
        }
    }

    @Test func excludedColumnsInReturnedRows() throws {
        struct Writer: Encodable, PersistableRecord {
            static let databaseTableName = "player"
            var id: Int64
        }
        try inLoggedDatabase(schema) { db, log throws in
            let stored = try Writer(id: 5).insertAndFetch(db, as: Excluding.self)
            #expect(stored.columns == ["id", "name", "score"])
            #expect(log.take() == [#"INSERT INTO "player" ("id") VALUES (?) RETURNING "id", "name", "score""#])
        }
    }
}
