// checkSchema for macro records: their stored types, keys and references.

import Foundation
import Rowan
import RowanRecords
import Testing

@Record private struct Owner {
    var id: Int64?
}

@Record private struct Thing {
    var id: Int64?
    @References(Owner.self, onDelete: .cascade, onUpdate: .restrict) var ownerID: Int64
    @References(Owner.self) var userID: Int64
    @References(Owner.self, onDelete: .setNull) @Column("the maker") var makerID: Int64?
}

@Record private struct Stored {
    enum Kind: String, DatabaseValueConvertible { case draft, done }
    enum Level: Int, Codable, DatabaseValueConvertible { case low = 1 }
    var id: Int64?
    var date: Date
    var uuid: UUID
    var data: Data
    var url: URL
    var decimal: Decimal
    var kind: Kind
    var level: Level
    var tags: [String]
    @Column(as: .unixTime) var unixTime: Date
    var note: String?
    @Column(as: .uuidText) var uuidText: UUID
}

/// A type whose code must not run.
private struct Trapping: DatabaseValueConvertible, Codable {
    let text: String
    init(_ text: String) {
        precondition(text.count == 2)
        self.text = text
    }
    init(from decoder: any Decoder) throws { fatalError("checkSchema calls init(from:)") }
    var databaseValue: DatabaseValue { text.databaseValue }
    static func fromDatabaseValue(_ value: DatabaseValue) -> Trapping? {
        String.fromDatabaseValue(value).map { Trapping($0) }
    }
}

private struct TrappingStorage: ColumnStorage {
    func databaseValue(of value: Trapping) -> DatabaseValue { value.databaseValue }
    func value(from column: ColumnValue) -> Trapping? { column.string.map { Trapping($0) } }
}

@Record("own") private struct OwnTypes {
    enum Level: Int, Codable { case low, high }
    struct Options: OptionSet, Codable { let rawValue: Int }
    var id: Int64
    var level: Level
    var options: Options
    var code: Trapping
    @Column(as: .json) var number: Int
    @Column(as: .json) var uuid: UUID
    var value: DatabaseValue
    @Column(as: TrappingStorage()) var secret: Trapping
}

@Record("strict") private struct Strict {
    var id: Int64
    var tags: [String]
    var at: Date
    var any: String
}

@Record("coded") struct HiddenID {
    private var id: Int64
    var uid: Int
}

@Record("coded") private struct RenamedID {
    @Column("uid") var id: Int64
    @Column("id") var other: Int
}

@Record private struct Keyed {
    @PrimaryKey var first: String
    @PrimaryKey var second: String
    var third: String
}

@Record private struct OwnReading {
    var id: Int64?
    var name: String?

    init(row: Row) throws { (id, name) = (row["id"], row["name"]) }
}

@Suite("checkSchema of records by macro")
struct GeneratedCheckTests {
    @Test("checkSchema compares references with foreign keys")
    func references() throws {
        try inDatabase(
            """
            CREATE TABLE owner (id INTEGER PRIMARY KEY);
            CREATE TABLE thing (id INTEGER PRIMARY KEY, ownerID INTEGER NOT NULL REFERENCES owner ON DELETE SET NULL,
                userID INTEGER NOT NULL REFERENCES owner, "the maker" INTEGER);
            CREATE INDEX thing_owner ON thing(ownerID); CREATE INDEX thing_user ON thing(userID);
            """
        ) { db in
            let thing = try db.checkSchema(of: Thing.self).map(\.description)
            #expect(
                thing == [
                    "Thing: the foreign key of the column \"ownerID\" of \"thing\" has ON DELETE SET NULL, and its property "
                        + "declares ON DELETE CASCADE: change one of them",
                    "Thing: the foreign key of the column \"ownerID\" of \"thing\" has ON UPDATE NO ACTION, and its property "
                        + "declares ON UPDATE RESTRICT: change one of them",
                    "Thing: the column \"the maker\" of \"thing\" has no foreign key: add it to the table, or remove "
                        + "@References from the property",
                ])
            try db.execute(
                sql: """
                    DROP TABLE thing;
                    CREATE TABLE thing (id INTEGER PRIMARY KEY,
                        ownerID INTEGER NOT NULL REFERENCES owner ON DELETE CASCADE ON UPDATE RESTRICT,
                        userID INTEGER NOT NULL REFERENCES owner, "the maker" INTEGER REFERENCES owner ON DELETE SET NULL);
                    CREATE INDEX thing_owner ON thing(ownerID); CREATE INDEX thing_user ON thing(userID);
                    CREATE INDEX thing_maker ON thing("the maker");
                    """)
            #expect(try db.checkSchema(of: Thing.self).isEmpty)
        }
    }

    @Test("checkSchema finds a column's foreign key, and its table, among several")
    func referencedTables() throws {
        try inDatabase(
            """
            CREATE TABLE owner (id INTEGER PRIMARY KEY, second INTEGER, UNIQUE (id, second));
            CREATE TABLE other (id INTEGER PRIMARY KEY);
            CREATE TABLE thing (id INTEGER PRIMARY KEY,
                ownerID INTEGER NOT NULL REFERENCES owner ON DELETE CASCADE ON UPDATE RESTRICT,
                userID INTEGER NOT NULL REFERENCES other, "the maker" INTEGER REFERENCES owner ON DELETE SET NULL,
                FOREIGN KEY (ownerID, "the maker") REFERENCES owner(id, second) ON DELETE RESTRICT);
            CREATE INDEX thing_owner ON thing(ownerID, "the maker"); CREATE INDEX thing_user ON thing(userID);
            CREATE INDEX thing_maker ON thing("the maker");
            """
        ) { db in
            let found = try db.checkSchema(of: Thing.self).map(\.description)
            #expect(
                found == [
                    "Thing: the foreign key of the column \"userID\" of \"thing\" refers to \"other\", and its property "
                        + "declares \"owner\": change one of them"
                ])
        }
    }

    @Test("checkSchema compares the stored types of generated records with the column types")
    func storedTypes() throws {
        try inDatabase(
            """
            CREATE TABLE stored (id INTEGER PRIMARY KEY, date INTEGER NOT NULL, uuid TEXT NOT NULL, data TEXT NOT NULL,
                url INTEGER NOT NULL, decimal INTEGER NOT NULL, kind INTEGER NOT NULL, level TEXT NOT NULL,
                tags INTEGER NOT NULL, unixTime TEXT NOT NULL, note BLOB, uuidText BLOB NOT NULL);
            """
        ) { db in
            let found = try db.checkSchema(of: Stored.self).compactMap { mismatch -> String? in
                guard case .type(let property, let column) = mismatch.kind else { return mismatch.description }
                return "\(mismatch.column ?? "") \(property) \(column)"
            }
            #expect(
                found == [
                    "date TEXT INTEGER", "uuid BLOB TEXT", "data BLOB TEXT", "url TEXT INTEGER",
                    "decimal TEXT INTEGER", "kind TEXT INTEGER", "level INTEGER TEXT", "tags TEXT INTEGER",
                    "unixTime INTEGER TEXT", "note TEXT BLOB",
                ])
            try db.execute(
                sql: """
                    DROP TABLE stored;
                    CREATE TABLE stored (id INTEGER PRIMARY KEY, date DATETIME NOT NULL, uuid BLOB NOT NULL,
                        data BLOB NOT NULL, url TEXT NOT NULL, decimal TEXT NOT NULL, kind TEXT NOT NULL,
                        level INTEGER NOT NULL, tags JSON NOT NULL, unixTime INTEGER NOT NULL, note TEXT,
                        uuidText TEXT NOT NULL)
                    """)
            #expect(try db.checkSchema(of: Stored.self).isEmpty)
        }
    }

    @Test("checkSchema determines how the program's types are stored without running their code")
    func ownTypes() throws {
        try inDatabase(
            """
            CREATE TABLE own (id INTEGER PRIMARY KEY, level INTEGER NOT NULL, options INTEGER NOT NULL, code TEXT NOT NULL,
                number TEXT NOT NULL, uuid TEXT NOT NULL, value TEXT, secret INTEGER NOT NULL);
            CREATE TABLE strict (id INTEGER PRIMARY KEY, tags BLOB NOT NULL, at BLOB NOT NULL, any ANY NOT NULL) STRICT;
            """
        ) { db in
            #expect(try db.checkSchema(of: OwnTypes.self).isEmpty)
            let own = OwnTypes(
                id: 1, level: .high, options: .init(rawValue: 3), code: Trapping("ab"), number: 7, uuid: UUID(),
                value: "a".databaseValue, secret: Trapping("cd"))
            try own.insert(db)
            #expect(try OwnTypes.fetchAll(db).map(\.options) == [.init(rawValue: 3)])
            try db.execute(
                sql: "ALTER TABLE own RENAME level TO other; ALTER TABLE own ADD level TEXT NOT NULL DEFAULT ''")
            let found = try db.checkSchema(of: OwnTypes.self)
            #expect(found.map(\.kind) == [.type(property: "INTEGER", column: "TEXT"), .unstoredColumn])
            // A strict table rejects values that others convert.
            let strict = try db.checkSchema(of: Strict.self)
            #expect(strict.map(\.column) == ["tags", "at"])
            try db.execute(
                sql: "DROP TABLE strict; CREATE TABLE strict (id INTEGER PRIMARY KEY, tags BLOB, at BLOB, any ANY)")
            // Its affinity is NUMERIC, so '007' becomes 7.
            let any = try db.checkSchema(of: Strict.self).filter { $0.kind != .nullableColumn }
            #expect(any.map(\.column) == ["any"])
        }
    }

    @Test("checkSchema finds a property `id` that is not the key")
    func otherIDs() throws {
        try inDatabase("CREATE TABLE coded (code TEXT NOT NULL PRIMARY KEY, id INTEGER NOT NULL, uid INTEGER NOT NULL)")
        { db in
            let hidden = try db.checkSchema(of: HiddenID.self).map(\.kind)
            #expect(hidden == [.unstoredKey, .primaryKey(declared: ["id"], found: ["code"])])
            let renamed = try db.checkSchema(of: RenamedID.self).map(\.kind)
            #expect(renamed == [.unstoredKey, .identity(primaryKey: ["code"])])
        }
    }

    @Test("checkSchema compares the declared primary key")
    func primaryKeys() throws {
        try inDatabase(
            "CREATE TABLE keyed (second TEXT NOT NULL, first TEXT NOT NULL, third TEXT NOT NULL, PRIMARY KEY (first, third))"
        ) { db in
            let sentence =
                "Keyed: the primary key of \"keyed\" is \"first\", \"third\", and @PrimaryKey declares \"first\", "
                + "\"second\": change one of them"
            #expect(try db.checkSchema(of: Keyed.self).map(\.description) == [sentence])
            try db.execute(
                sql: """
                    DROP TABLE keyed;
                    CREATE TABLE keyed (first TEXT NOT NULL, SECOND TEXT NOT NULL, third TEXT NOT NULL,
                        PRIMARY KEY (second, first))
                    """)
            #expect(try db.checkSchema(of: Keyed.self).isEmpty)
        }
    }

    @Test("checkSchema examines the stored columns of a type with its own init(row:)")
    func ownReading() throws {
        try inDatabase("CREATE TABLE ownReading (id INTEGER PRIMARY KEY, name INTEGER, other TEXT NOT NULL)") { db in
            let found = try db.checkSchema(of: OwnReading.self).map(\.description)
            #expect(
                found == [
                    "OwnReading: the column \"other\" of \"ownReading\" is NOT NULL without a default, and is never "
                        + "stored: store it, or add a default",
                    "OwnReading: not completely examined, because it has its own init(row:): what it reads is unknown",
                ])
        }
    }
}
