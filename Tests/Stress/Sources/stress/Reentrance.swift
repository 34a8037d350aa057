// A custom function runs SQL on its own connection during a statement: the outer and the inner statement read all their
// rows, in whichever way they run, even if both have the same text.

import Foundation
import Rowan

extension Part {
    static let reentrance = Part(
        name: "reentrance", summary: "every execution path entered again from a function that it calls"
    ) { run in
        for kind in [Kind.queue, .pool] {
            let writer = try kind.open(run.folder.path("\(kind).sqlite"))
            let count = run.number(5...60)
            try writer.write { db in
                probe.reset()
                db.add(function: probe.function)
                try db.execute(sql: Path.schema)
                for x in 0..<count { try db.execute(sql: "INSERT INTO t(x) VALUES (?)", arguments: [x]) }
            }
            let expected = Array(0..<count)
            for outer in Path.all {
                for inner in Path.all where run.isWanted("\(kind): \(outer.name) > \(inner.name)") {
                    run.count("pairs")
                    let name = "\(kind): \(inner.name) in the midst of \(outer.name)"
                    try writer.write { db in
                        probe.reset()
                        let places: Set<Int> = [0, run.number(1...count - 1)]
                        probe.inner = {
                            let found = try inner.rows(db)
                            run.expect(
                                found == expected || found == nil,
                                "\(name): the inner one has \(found?.count ?? 0) rows")
                        }
                        probe.places = places
                        do {
                            let found = try outer.rows(db)
                            let seen = probe.outerArguments.sorted()
                            run.expect(
                                found == expected || found == nil,
                                "\(name): the outer one has \(found?.count ?? 0) rows of \(count)")
                            if found != nil {
                                run.expect(
                                    Set(seen) == Set(expected),
                                    "\(name): the outer one called the function for \(seen.count) rows of \(count)")
                            }
                            run.expect(
                                probe.error == nil, "\(name): the inner one throws \(probe.error.map { "\($0)" } ?? "")"
                            )
                        } catch { run.fail("\(name): \(error)") }
                        probe.reset()
                    }
                }
            }
            try writer.close()
        }
    }
}

/// The function, and the code that it runs when SQLite calls it.
private final class Probe: @unchecked Sendable {
    // Only one thread uses it.
    var inner: (() throws -> Void)?
    var places: Set<Int> = []
    var outerArguments: [Int] = []
    var error: (any Error)?
    private var depth = 0

    func reset() {
        (inner, places, outerArguments, error, depth) = (nil, [], [], nil, 0)
    }

    /// A statement restarted during its own execution may never finish.
    private struct Endless: Error {}

    private func called(_ value: Int) throws {
        guard depth == 0 else { return }
        outerArguments.append(value)
        if outerArguments.count > 10_000 { throw Endless() }
        guard places.contains(value), let inner else { return }
        depth = 1
        defer { depth = 0 }
        do { try inner() } catch let error as DatabaseError where Self.isRefusedBySQLite(error) {
        } catch { self.error = error }
    }

    /// SQLite opens no savepoint while a statement is writing.
    private static func isRefusedBySQLite(_ error: DatabaseError) -> Bool {
        error.resultCode == .SQLITE_BUSY && error.message?.contains("SQL statements in progress") == true
    }

    let function: DatabaseFunction

    init() {
        let call = Locked<((Int) throws -> Void)?>(nil)
        function = DatabaseFunction("probe", argumentCount: 1) { arguments in
            let value = Int.fromDatabaseValue(arguments[0]) ?? -1
            try call.current?(value)
            return value
        }
        call.with { $0 = { [unowned self] value in try called(value) } }
    }
}

private let probe = Probe()

private struct Item: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "t"
    var id: Int64
    var x: Int
    var y: Int?
}

private struct Watched: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "watched"
    var id: Int64
    var x: Int
}

/// A way to run a statement that calls the function for each row of `t`, or for some rows.
private struct Path {
    let name: String
    /// The rows in order; nil if this way has none.
    let rows: (Database) throws -> [Int]?

    static let schema = """
        CREATE TABLE t(id INTEGER PRIMARY KEY, x INTEGER, y INTEGER);
        CREATE TABLE copy(x);
        CREATE TABLE log(x);
        CREATE TABLE watched(id INTEGER PRIMARY KEY, x INTEGER);
        INSERT INTO watched VALUES (1, 1);
        CREATE TRIGGER inserted AFTER INSERT ON watched BEGIN INSERT INTO log VALUES (probe(new.x)); END;
        CREATE TRIGGER updated AFTER UPDATE ON watched BEGIN INSERT INTO log VALUES (probe(new.x)); END;
        CREATE TRIGGER deleted AFTER DELETE ON watched BEGIN INSERT INTO log VALUES (probe(old.x)); END;
        """

    private static let sql = "SELECT probe(x) AS x FROM t ORDER BY id"
    private static var nextID: Int64 {
        ids.with {
            $0 += 1; return $0
        }
    }
    private static let ids = Locked<Int64>(100)

    static var all: [Path] { reads + writes + records }

    private static var reads: [Path] {
        let request = Item.order(Column("id")).select(probe.function(Column("x")), as: Int.self)
        return [
            Path(name: "Int.fetchAll") { try Int.fetchAll($0, sql: sql) },
            Path(name: "Row.fetchAll") { try Row.fetchAll($0, sql: sql).map { $0[0] } },
            Path(name: "Int.fetchSet") { try Int.fetchSet($0, sql: sql).sorted() },
            Path(name: "Int.fetchCursor") { try Array(Int.fetchCursor($0, sql: sql)) },
            Path(name: "Row.fetchCursor") { db in
                var found: [Int] = []
                let cursor = try Row.fetchCursor(db, sql: sql)
                while let row = try cursor.next() { found.append(row["x"]) }
                return found
            },
            Path(name: "cachedStatement") { try Int.fetchAll($0.cachedStatement(sql: sql)) },
            Path(name: "makeStatement") { try Int.fetchAll($0.makeStatement(sql: sql)) },
            Path(name: "fetchOne of an aggregate") { db in
                let count = try db.int("SELECT count(*) FROM t")
                let sum = try Int.fetchOne(db, sql: "SELECT sum(probe(x)) FROM t")
                return sum == count * (count - 1) / 2 ? Array(0..<count) : []
            },
            Path(name: "SQLRequest") { try SQLRequest<Int>(sql: sql).fetchAll($0) },
            Path(name: "request") { try request.fetchAll($0) },
            Path(name: "request.fetchCursor") { try Array(request.fetchCursor($0)) },
            Path(name: "filter") { db in
                try Item.filter(probe.function(Column("x")) >= 0).order(Column("id")).fetchAll(db).map(\.x)
            },
            Path(name: "fetchCount") { db in
                Array(0..<(try Item.filter(probe.function(Column("x")) >= 0).fetchCount(db)))
            },
            Path(name: "fetchOne") { db in try Int.fetchOne(db, sql: sql) == 0 ? nil : [] },
            Path(name: "fetchOne of a cached statement") { db in
                try Int.fetchOne(db.cachedStatement(sql: sql)) == 0 ? nil : []
            },
            Path(name: "Codable") { db in
                try Item.fetchAll(db, sql: "SELECT id, probe(x) AS x, y FROM t ORDER BY id").map(\.x)
            },
        ]
    }

    private static var writes: [Path] {
        let all = { (db: Database) in try Int.fetchAll(db, sql: "SELECT x FROM t ORDER BY id") }
        return [
            Path(name: "execute UPDATE") { db in
                try db.execute(sql: "UPDATE t SET y = probe(x)")
                return try Int.fetchAll(db, sql: "SELECT y FROM t ORDER BY id")
            },
            Path(name: "execute INSERT SELECT") { db in
                try db.execute(sql: "INSERT INTO copy SELECT probe(x) FROM t")
                return try all(db)
            },
            Path(name: "execute SELECT") { db in
                try db.execute(sql: sql)
                return try all(db)
            },
            Path(name: "execute of a cached statement") { db in
                try db.cachedStatement(sql: sql).execute()
                return try all(db)
            },
            Path(name: "execute of an update that is cached") { db in
                try db.cachedStatement(sql: "UPDATE t SET y = probe(x) WHERE 1").execute()
                return try all(db)
            },
            Path(name: "execute DELETE") { db in
                try db.execute(sql: "DELETE FROM t WHERE probe(x) < 0")
                return try all(db)
            },
            Path(name: "script") { db in
                try db.execute(sql: "DELETE FROM log; UPDATE t SET y = probe(x); DELETE FROM copy")
                return try all(db)
            },
            Path(name: "UPDATE RETURNING") { try Int.fetchAll($0, sql: "UPDATE t SET y = probe(x) RETURNING y") },
            Path(name: "updateAll") { db in
                try Item.updateAll(db, Column("y").set(to: probe.function(Column("x"))))
                return try all(db)
            },
            Path(name: "deleteAll") { db in
                try Item.filter(probe.function(Column("x")) < 0).deleteAll(db)
                return try all(db)
            },
            Path(name: "savepoint") { db in
                try db.inSavepoint {
                    try db.execute(sql: "UPDATE t SET y = probe(x)")
                    return .commit
                }
                return try all(db)
            },
        ]
    }

    /// Triggers call the function for a single row, not for those of `t`.
    private static var records: [Path] {
        [
            Path(name: "insert") { db in
                let id = nextID
                try Watched(id: id, x: 0).insert(db)
                return try Watched.exists(db, key: id) ? nil : []
            },
            Path(name: "insertAll") { db in
                let ids = [nextID, nextID, nextID]
                try Watched.insertAll(db, ids.map { Watched(id: $0, x: 0) })
                return try Watched.fetchAll(db, keys: ids).count == 3 ? nil : []
            },
            Path(name: "update") { db in
                try Watched(id: 1, x: 0).update(db)
                return try Watched.fetchOne(db, key: 1)?.x == 0 ? nil : []
            },
            Path(name: "save") { db in
                let id = nextID
                try Watched(id: id, x: 0).save(db)
                return try Watched.exists(db, key: id) ? nil : []
            },
            Path(name: "upsert") { db in
                let id = nextID
                try Watched(id: id, x: 0).upsert(db)
                return try Watched.exists(db, key: id) ? nil : []
            },
            Path(name: "delete") { db in
                let id = nextID
                try db.execute(sql: "INSERT INTO watched VALUES (?, 0)", arguments: [id])
                let isDeleted = try Watched(id: id, x: 0).delete(db)
                return try isDeleted && !Watched.exists(db, key: id) ? nil : []
            },
        ]
    }
}
