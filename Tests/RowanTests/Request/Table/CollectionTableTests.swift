// Collections as tables: their rows, their lifetimes, and errors.

import Foundation
import Rowan
import Synchronization
import Testing

struct CollectionTableTests {
    private struct Candidate: Codable, EncodableRecord {
        var id: Int
        var name: String?
        var score: Double
        var data: Data
    }

    private static let candidates = [
        Candidate(id: 10, name: "Arthur", score: 1.5, data: Data([1])),
        Candidate(id: 20, name: nil, score: -0.5, data: Data()),
        Candidate(id: 30, name: "", score: .infinity, data: Data("\0".utf8)),
    ]

    @Test(arguments: ConnectionKind.allCases)
    func rows(kind: ConnectionKind) throws {
        try withTable(kind) { writer throws in
            try writer.unsafeRead { db throws in
                try db.register(Self.candidates, as: "candidate")
                #expect(
                    try dumped {
                        try db.dumpSQL("SELECT rowid, * FROM candidate", format: .quote(header: true), to: $0)
                    }
                        == """
                        'rowid','id','name','score','data'
                        0,10,'Arthur',1.5,X'01'
                        1,20,NULL,-0.5,X''
                        2,30,'',9.0e+999,X'00'

                        """)
                #expect(
                    try Int.fetchAll(db, sql: "SELECT x FROM t, candidate WHERE candidate.rowid = t.x ORDER BY x")
                        == [1, 2])
                #expect(try Int.fetchAll(db, sql: "SELECT id FROM candidate ORDER BY score DESC") == [30, 10, 20])
                #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM candidate a, candidate b") == 9)
                #expect(try Table<Row>("candidate").filter(Column("id") > 10).fetchAll(db).count == 2)
            }
        }
    }

    @Test func rowIDs() throws {
        try withDatabase { db throws in
            try db.register(Self.candidates, as: "candidate")
            func ids(_ condition: String) throws -> [Int] {
                try Int.fetchAll(db, sql: "SELECT id FROM candidate WHERE \(condition)")
            }
            #expect(try ids("rowid = 1") == [20])
            #expect(try ids("rowid = 3") == [])
            #expect(try ids("rowid = -1") == [])
            #expect(try ids("rowid = 1.5") == [])
            #expect(try ids("rowid = 'a'") == [])
            #expect(try ids("rowid IS NULL") == [])
            #expect(try ids("rowid = NULL") == [])
            #expect(try ids("rowid IN (2, 0, 7)").sorted() == [10, 30])
            #expect(try ids("rowid > 0") == [20, 30])
            #expect(try ids("rowid = 9223372036854775807") == [])
            let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT id FROM candidate WHERE rowid = 1")
            #expect(plan.first?["detail"] == "SCAN candidate VIRTUAL TABLE INDEX 1:")
        }
    }

    @Test func values() throws {
        try withDatabase { db throws in
            try db.register([1, 3], as: "wanted")
            try db.register(Set(["a"]).sorted(), as: "Word", column: "select")
            try db.register(5..<8, as: "range")
            try db.register([Int?](arrayLiteral: nil, 1), as: "optional")
            #expect(try Int.fetchAll(db, sql: "SELECT value FROM wanted") == [1, 3])
            #expect(try String.fetchAll(db, sql: #"SELECT "select" FROM word"#) == ["a"])
            #expect(try Int.fetchOne(db, sql: "SELECT sum(value) FROM range") == 18)
            #expect(try Int?.fetchAll(db, sql: "SELECT value FROM optional") == [nil, 1])
            try db.register([Int](), as: "none")
            #expect(try Int.fetchAll(db, sql: "SELECT value FROM none") == [])
        }
    }

    @Test func hostileNames() throws {
        try withDatabase { db throws in
            for name in ["select", "a\"b", "a'b", "é 👩‍👩‍👧", "a;--", "x.y", " "] {
                try db.register([1], as: name, column: name)
                let quoted = name.quotedDatabaseIdentifier
                #expect(try Int.fetchAll(db, sql: "SELECT \(quoted) FROM \(quoted)") == [1], "\(name)")
            }
            for name in ["", "a\0b"] {
                expectError(.SQLITE_MISUSE) { try db.register([1], as: name) }
                expectError(.SQLITE_MISUSE) { try db.register([1], as: "t", column: name) }
            }
            expectError(.SQLITE_MISUSE) { try db.register([Candidate](), as: "t") }
            expectError(.SQLITE_MISUSE) { try db.register(Self.candidates, as: "t", columns: ["id", "ID"]) }
            try db.register([Candidate](), as: "t", columns: ["id", "other"])
            #expect(try Int.fetchAll(db, sql: "SELECT other FROM t") == [])
            try db.register(Self.candidates, as: "t", columns: ["other", "id"])
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM t") == ["other": nil, "id": 10])
        }
    }

    @Test func questionsAboutTheSchema() throws {
        try withTable(.memoryQueue) { writer throws in
            try writer.write { db throws in
                try db.register([1], as: "Wanted")
                #expect(try db.tableExists("wanted") && !db.viewExists("wanted"))
                // It is not part of any schema.
                #expect(try !db.tableExists("wanted", in: "main"))
                #expect(try db.columns(in: "wanted").map(\.name) == ["value"])
                #expect(try db.primaryKey("wanted").columns == ["rowid"])
                // Another collection replaces it.
                try db.register([2], as: "wanted", column: "other")
                #expect(try db.columns(in: "Wanted").map(\.name) == ["other"])
                try db.unregister(collection: "wanted")
                #expect(try !db.tableExists("wanted"))
                expectError(.SQLITE_ERROR) { try db.columns(in: "wanted") }
                // SQLite's modules don't count.
                #expect(try !db.tableExists("json_each"))
            }
        }
    }

    @Test func existingTables() throws {
        try withTable(.memoryQueue) { writer throws in
            try writer.write { db throws in
                try db.execute(sql: "CREATE VIEW v AS SELECT 1; CREATE TEMP TABLE scratch(a)")
                for name in ["t", "T", "v", "scratch", "sqlite_master", "fts5", "JSON_EACH"] {
                    expectError(.SQLITE_MISUSE) { try db.register([1], as: name) }
                    try db.unregister(collection: name)
                }
                try db.execute(sql: "CREATE VIRTUAL TABLE f USING fts5(a)")
            }
        }
    }

    @Test func readOnly() throws {
        try withDatabase { db throws in
            try db.register([1], as: "c")
            for sql in ["INSERT INTO c VALUES (2)", "UPDATE c SET value = 2", "DELETE FROM c"] {
                expectError(.SQLITE_ERROR, "table c may not be modified") { try db.execute(sql: sql) }
            }
            expectError(.SQLITE_ERROR) { try db.execute(sql: "CREATE VIRTUAL TABLE d USING c") }
        }
    }

    // MARK: Lifetimes

    /// A record that counts its instances.
    private final class Witness: EncodableRecord, Sendable {
        let count: Counter
        init(_ count: Counter) {
            self.count = count
            count.value.withLock { $0 += 1 }
        }
        deinit { count.value.withLock { $0 -= 1 } }
        func encode(to container: inout PersistenceContainer) { container["x"] = 1 }
    }

    private final class Counter: Sendable {
        let value = Mutex(0)
        var current: Int { value.withLock { $0 } }
    }

    @Test func releases() throws {
        let counter = Counter()
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db throws in
            try db.register((0..<3).map { _ in Witness(counter) }, as: "w")
            #expect(try Int.fetchAll(db, sql: "SELECT x FROM w") == [1, 1, 1])
            #expect(counter.current == 3)
            // The cached statement of a replaced or removed collection is released with the next statement.
            try db.register([Witness(counter)], as: "w")
            #expect(try Int.fetchAll(db, sql: "SELECT x FROM w") == [1])
            db.releaseMemory()
            #expect(counter.current == 1)
            try db.unregister(collection: "w")
            expectError(.SQLITE_ERROR, "no such table: w") { try Int.fetchAll(db, sql: "SELECT x FROM w") }
            db.releaseMemory()
            #expect(counter.current == 0)
            try db.register([Witness(counter)], as: "w")
        }
        try queue.close()
        #expect(counter.current == 0)
        let other = Counter()
        try DatabaseQueue().read { db throws in
            try db.register([Witness(other)], as: "w")
            let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM w")
            _ = try cursor.next()
        }
        #expect(other.current == 0)
    }

    /// A running statement retains its collection.
    @Test func replacedDuringAStatement() throws {
        try withDatabase { db throws in
            try db.register([1, 2, 3], as: "c")
            let cursor = try Int.fetchCursor(db, sql: "SELECT value FROM c")
            #expect(try cursor.next() == 1)
            try db.register([7], as: "c")
            #expect(try cursor.next() == 2)
            #expect(try Int.fetchAll(db, sql: "SELECT value FROM c") == [7])
            try db.unregister(collection: "c")
            #expect(try cursor.next() == 3)
            #expect(try cursor.next() == nil)
            try db.unregister(collection: "nowhere")
        }
    }

    private struct Failing: EncodableRecord {
        var isFailing: Bool
        func encode(to container: inout PersistenceContainer) throws {
            if isFailing { throw Refusal() }
            container["x"] = 1
        }
    }

    @Test func encodingErrors() throws {
        try withDatabase { db throws in
            expectRefusal { try db.register([Failing(isFailing: true)], as: "f") }
            try db.register([Failing(isFailing: false), Failing(isFailing: true)], as: "f")
            #expect(try Int.fetchOne(db, sql: "SELECT x FROM f") == 1)
            expectError(.SQLITE_ERROR, "row 1 of the collection can't be encoded: Refusal()") {
                try Int.fetchAll(db, sql: "SELECT x FROM f")
            }
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM f") == 2)
        }
    }

    @Test func onEachConnectionOfAPool() async throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.register([1, 2], as: "c") }
        let pool = try DatabasePool(path: folder.path("pool.sqlite"), configuration: configuration)
        for _ in 0..<3 { #expect(try await pool.read { try Int.fetchAll($0, sql: "SELECT value FROM c") } == [1, 2]) }
        try pool.close()
    }

    /// A collection that the program changes while SQLite reads it.
    private final class Shrinking: RandomAccessCollection, Sendable {
        private let values: Synchronization.Mutex<[Int]>
        init(_ values: [Int]) { self.values = Synchronization.Mutex(values) }
        var startIndex: Int { 0 }
        var endIndex: Int { values.withLock { $0.count } }
        subscript(index: Int) -> Int { values.withLock { $0[index] } }
        func shrink(to count: Int) { values.withLock { $0.removeLast($0.count - count) } }
    }

    @Test func collectionsThatShrink() throws {
        try withDatabase { db throws in
            let collection = Shrinking([1, 2, 3, 4, 5])
            try db.register(collection, as: "c")
            let cursor = try Int.fetchCursor(db, sql: "SELECT value FROM c")
            #expect(try cursor.next() == 1)
            #expect(try cursor.next() == 2)
            collection.shrink(to: 3)
            #expect(try cursor.next() == 3)
            #expect(try cursor.next() == nil)
            #expect(try Int.fetchAll(db, sql: "SELECT value FROM c") == [1, 2, 3])
            #expect(try Int.fetchAll(db, sql: "SELECT value FROM c WHERE rowid = 4") == [])
            // Between two columns of a row.
            db.add(
                function: DatabaseFunction("shrink", argumentCount: 0) { _ in
                    collection.shrink(to: 1)
                    return 0
                })
            expectError(
                .SQLITE_ERROR, "row 2 of the collection is gone: remove no elements while SQLite reads their rows"
            ) {
                try Row.fetchAll(db, sql: "SELECT shrink(), value FROM c WHERE rowid = 2")
            }
            collection.shrink(to: 0)
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM c") == 0)
        }
    }
}
