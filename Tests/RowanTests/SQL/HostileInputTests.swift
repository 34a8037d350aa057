// Names and values that would be harmful if they were read as SQL.

import Rowan
import Testing

private let hostileNames = [
    #"a"b"#, "a'b", "a`b", "a]b", "select", "order by", "👩‍👩‍👧", "é à", "", " ", ";", "--", "/* x */", "a.b", "?", ":name",
    "@x",
    "$x", "\"; DROP TABLE t; --", "'); DROP TABLE t; --", "rowid2", "a\nb", "\\", "%", "sqlite", "null", "*",
].filter { !$0.isEmpty }

private let hostileValues = [
    "", "'", "''", "\"", "'; DROP TABLE t; --", "' OR 1=1 --", "?", "?1", ":a", "\\", "\n", "👩‍👩‍👧", "a\0b", "%", "_",
]

struct HostileInputTests {
    @Test(arguments: hostileNames) func names(name: String) throws {
        try inLoggedDatabase { db, _ throws in
            try db.create(table: name) { t in
                t.column("id", .integer).primaryKey()
                t.column(name, .text).check { $0 != "forbidden" }.defaults(to: name)
            }
            let table = Table(name).all()
            let column = Column(name)
            try db.execute(literal: "INSERT INTO \(identifier: name) (id, \(identifier: name)) VALUES (1, \(name))")
            try db.execute(literal: "INSERT INTO \(identifier: name) (id) VALUES (2)")
            #expect(try table.filter(column == name).fetchCount(db) == 2)
            #expect(
                try table.select(column.forKey(name), as: String.self).order(column.desc).fetchAll(db) == [name, name])
            #expect(try table.group(column).having(count(column) == 2).fetchCount(db) == 1)
            #expect(try table.updateAll(db, column.set(to: "other")) == 2)
            #expect(try table.filter([name].contains(column)).deleteAll(db) == 0)
            #expect(try db.columns(in: name).map(\.name) == ["id", name])
            #expect(try db.primaryKey(name).columns == ["id"])
            try db.create(indexOn: name, columns: [name])
            #expect(try db.indexes(on: name).map(\.columns) == [[name]])
            try db.alter(table: name) { t in t.rename(column: name, to: "\(name)2") }
            try db.rename(table: name, to: "\(name)3")
            #expect(try db.tableExists("\(name)3"))
            try db.drop(table: "\(name)3")
        }
    }

    @Test(arguments: hostileNames) func recordColumns(name: String) throws {
        struct Hostile: MutablePersistableRecord {
            static let databaseTableName = "t"
            var name: String
            var value: String
            func encode(to container: inout PersistenceContainer) {
                container["id"] = 1
                container[name] = value
            }
        }
        try inLoggedDatabase { db, _ throws in
            try db.create(table: "t") { t in
                t.primaryKey("id", .integer)
                t.column(name, .text).unique()
            }
            var record = Hostile(name: name, value: "a")
            try record.insert(db)
            record.value = "b"
            try record.update(db)
            record.value = "c"
            try record.upsert(db)
            let value = try String.fetchOne(db, literalSelecting: name)
            #expect(value == "c")
            #expect(try Hostile.filter(key: [name: "c"]).fetchCount(db) == 1)
        }
    }

    @Test(arguments: hostileValues) func values(value: String) throws {
        try inLoggedDatabase("CREATE TABLE t (a TEXT)") { db, _ throws in
            let table = Table("t").all()
            try db.execute(literal: "INSERT INTO t VALUES (\(value)), ('plain')")
            #expect(try table.filter(Column("a") == value).fetchCount(db) == 1)
            #expect(try table.filter([value].contains(Column("a"))).fetchCount(db) == 1)
            #expect(try table.filter(sql: "a = ?", arguments: [value]).fetchCount(db) == 1)
            #expect(try table.filter(literal: "a = \(value)").fetchCount(db) == 1)
            #expect(try table.updateAll(db, Column("a").set(to: value)) == 2)
            let request: SQLRequest<String> = "SELECT a FROM t WHERE a IN \([value])"
            #expect(try request.fetchAll(db) == [value, value])
            #expect(try db.tableExists("t"))
        }
    }

    @Test(arguments: hostileValues) func valuesInDefinitions(value: String) throws {
        guard !value.contains("\0") else { return }
        try inLoggedDatabase { db, _ throws in
            try db.create(table: "t") { t in
                t.column("id", .integer)
                t.column("a", .text).defaults(to: value)
                t.check(Column("a") == value)
            }
            try db.create(index: "i", on: "t", columns: ["id"], condition: Column("a") == value)
            try db.execute(sql: "INSERT INTO t (id) VALUES (1)")
            #expect(try String.fetchOne(db, sql: "SELECT a FROM t") == value)
            #expect(
                databaseError { try db.execute(sql: "INSERT INTO t VALUES (1, 'unlike ' || 'all')") }?
                    .extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
        }
    }
}

extension String {
    fileprivate static func fetchOne(_ db: Database, literalSelecting name: String) throws -> String? {
        try SQLRequest<String>(literal: "SELECT \(Column(name)) FROM t").fetchOne(db)
    }
}
