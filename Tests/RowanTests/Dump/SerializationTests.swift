import Foundation
import Rowan
import Testing

struct SerializationTests {
    @Test(arguments: ConnectionKind.allCases)
    func roundTrip(kind: ConnectionKind) throws {
        try withTable(kind) { writer throws in
            let data = try writer.serialize()
            #expect(data.starts(with: Data("SQLite format 3\0".utf8)))
            let copy = try DatabaseQueue(deserializing: data)
            #expect(try copy.values() == [1, 2])
            try copy.write { try $0.insert(3) }
            #expect(try copy.values() == [1, 2, 3])
            #expect(try writer.values() == [1, 2])
            // It grows beyond the serialized bytes.
            try copy.write { try $0.execute(sql: "INSERT INTO t SELECT zeroblob(1000) FROM t a, t b, t c, t d") }
            #expect(try copy.int("SELECT count(*) FROM t") == 84)
            // The bytes are a database file.
            let folder = try TemporaryFolder()
            let path = folder.path("copy.sqlite")
            try data.write(to: URL(fileURLWithPath: path))
            #expect(try DatabaseQueue(path: path).values() == [1, 2])
        }
    }

    @Test func uncommittedChanges() throws {
        try withTable(.memoryQueue) { writer throws in
            let data = try writer.write { db in
                try db.insert(3)
                return try db.serialize()
            }
            #expect(try DatabaseQueue(deserializing: data).values() == [1, 2, 3])
        }
    }

    @Test func emptyDatabases() throws {
        let data = try DatabaseQueue().serialize()
        let copy = try DatabaseQueue(deserializing: data)
        try copy.write { try $0.execute(sql: "CREATE TABLE t(x); INSERT INTO t VALUES (5)") }
        #expect(try copy.values() == [5])
        #expect(try DatabaseQueue(deserializing: Data()).int("SELECT count(*) FROM sqlite_master") == 0)
    }

    @Test func attachedDatabases() throws {
        try withTable(.memoryQueue) { writer throws in
            let data = try writer.serialize()
            try writer.writeWithoutTransaction { db throws in
                try db.execute(sql: "ATTACH ':memory:' AS \"an other\"")
                try db.deserialize(data, schema: "an other")
                #expect(try Int.fetchAll(db, sql: "SELECT x FROM \"an other\".t") == [1, 2])
                #expect(try !db.serialize(schema: "AN OTHER").isEmpty)
                expectError(.SQLITE_ERROR, "no such schema: nowhere") { try db.serialize(schema: "nowhere") }
                expectError(.SQLITE_ERROR, "no such schema: nowhere") { try db.deserialize(data, schema: "nowhere") }
            }
        }
    }

    @Test func refusals() throws {
        try withTable(.memoryQueue) { writer throws in
            let data = try writer.serialize()
            expectError(.SQLITE_MISUSE) { try writer.write { try $0.deserialize(data) } }
            expectError(.SQLITE_MISUSE) { try writer.read { try $0.deserialize(data) } }
            try writer.writeWithoutTransaction { db throws in
                let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
                _ = try cursor.next()
                expectError(.SQLITE_BUSY) { try db.deserialize(data) }
                #expect(try cursor.next() == 2)
            }
            #expect(try writer.values() == [1, 2])
        }
        expectError(.SQLITE_NOTADB) { try DatabaseQueue(deserializing: Data(repeating: 7, count: 5_000)) }
    }

    /// Cached statements and the schema cache detect the other schema.
    @Test func anotherSchema() throws {
        let other = try DatabaseQueue()
        try other.write { try $0.execute(sql: "CREATE TABLE t(a, b); INSERT INTO t VALUES (3, 4)") }
        try withTable(.memoryQueue) { writer throws in
            try writer.writeWithoutTransaction { db throws in
                #expect(try Row.fetchAll(db, sql: "SELECT * FROM t").count == 2)
                #expect(try db.columns(in: "t").map(\.name) == ["x"])
                try db.deserialize(other.serialize())
                #expect(try Row.fetchAll(db, sql: "SELECT * FROM t") == [["a": 3, "b": 4]])
                #expect(try db.columns(in: "t").map(\.name) == ["a", "b"])
            }
        }
    }

    /// Replacing a database counts as a change to everything.
    @Test(arguments: ConnectionKind.allCases.filter { !$0.isConcurrent })
    func observation(kind: ConnectionKind) async throws {
        let data = try withTable(.memoryQueue) { writer in
            try writer.write { try $0.insert(3) }
            return try writer.serialize()
        }
        try await withTable(kind) { writer in
            let recorder = ValueObservation.tracking { try $0.values() }.record(in: writer)
            await eventually { recorder.values == [[1, 2]] }
            let log = ChangeLog()
            try writer.subscribe(log)
            try await writer.writeWithoutTransaction { try $0.deserialize(data) }
            #expect(log.committed.map(\.region.description) == ["full database"])
            await eventually { recorder.values == [[1, 2], [1, 2, 3]] }
            #expect(recorder.values == [[1, 2], [1, 2, 3]])
            recorder.cancel()
        }
    }

    @Test func observationOfAnotherSchema() throws {
        try withTable(.memoryQueue) { writer throws in
            let data = try writer.serialize()
            try writer.writeWithoutTransaction { try $0.execute(sql: "ATTACH ':memory:' AS aux") }
            let log = ObserverLog()
            writer.add(transactionObserver: log)
            try writer.writeWithoutTransaction { try $0.deserialize(data, schema: "aux") }
            #expect(log.take() == ["change", "willCommit", "didCommit"])
            expectError(.SQLITE_NOTADB) {
                try writer.writeWithoutTransaction { try $0.deserialize(Data("no database".utf8), schema: "aux") }
            }
        }
    }
}
