// Reading and writing blobs in pieces, on all kinds of connections.

import Foundation
import Rowan
import Testing

struct DatabaseBlobTests {
    private static let schema = """
        CREATE TABLE photo (id INTEGER PRIMARY KEY, data BLOB, title TEXT, size INTEGER);
        INSERT INTO photo VALUES (1, x'000102030405', 'héllo', 6), (2, x'FFFE', NULL, 2), (3, x'', '', 0)
        """

    @Test(arguments: ConnectionKind.allCases)
    func readsAndWrites(kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try writer.write { try $0.execute(sql: Self.schema) }
        try writer.read { db throws in
            try db.withBlob(table: "photo", column: "data", rowID: 1) { blob throws in
                #expect(blob.count == 6)
                #expect(try blob.read() == Data([0, 1, 2, 3, 4, 5]))
                #expect(try blob.read(2..<4) == Data([2, 3]))
                #expect(try blob.read(6..<6) == Data())
                try blob.reopen(rowID: 2)
                #expect(try blob.read() == Data([0xFF, 0xFE]))
                try blob.reopen(rowID: 3)
                #expect(try blob.read().isEmpty)
            }
            // A text is read in its stored encoding.
            let text = try db.withBlob(table: "photo", column: "title", rowID: 1) { try $0.read() }
            #expect(text == Data("héllo".utf8))
            expectError(.SQLITE_READONLY, "attempt to write a readonly database") {
                try db.withBlob(table: "photo", column: "data", rowID: 1, access: .readWrite) { _ in }
            }
        }
        for isInTransaction in [true, false] {
            func write(_ db: Database) throws {
                try db.withBlob(table: "photo", column: "data", rowID: 1, access: .readWrite) { blob in
                    try blob.write(Data([9, 8]), at: 4)
                    try blob.write(Data([7]))
                    try blob.write(Data())
                }
            }
            try isInTransaction ? writer.write(write) : writer.writeWithoutTransaction(write)
            let data = try writer.read { try Data.fetchOne($0, sql: "SELECT data FROM photo WHERE id = 1") }
            #expect(data == Data([7, 1, 2, 3, 9, 8]))
        }
        try writer.close()
        withExtendedLifetime(folder) {}
    }

    /// A large blob is written and read in pieces.
    @Test func pieces() throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(1000000))")
            let all = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })
            try db.withBlob(table: "t", column: "a", rowID: 1, access: .readWrite) { blob in
                for start in stride(from: 0, to: all.count, by: 4_096) {
                    try blob.write(all[start..<min(start + 4_096, all.count)], at: start)
                }
            }
            let read = try db.withBlob(table: "t", column: "a", rowID: 1) { blob in
                try stride(from: 0, to: blob.count, by: 3_000).reduce(into: Data()) { data, start in
                    data += try blob.read(start..<min(start + 3_000, blob.count))
                }
            }
            #expect(read == all)
        }
    }

    @Test(.disabled(if: ClusterUnderTest.isActive, "a cluster has no blob handles"))
    func errors() throws {
        try withDatabase { db throws in
            try db.execute(sql: Self.schema)
            try db.execute(
                sql: "CREATE VIEW v AS SELECT * FROM photo; CREATE TABLE w(a PRIMARY KEY, b) WITHOUT ROWID; "
                    + "CREATE INDEX photo_data ON photo(data)")
            func open(
                _ table: String = "photo", _ column: String = "data", _ rowID: Int64 = 1,
                _ access: DatabaseBlob.Access = .read
            ) throws {
                try db.withBlob(table: table, column: column, rowID: rowID, access: access) { _ in }
            }
            expectError(.SQLITE_ERROR, "no such table: main.nowhere") { try open("nowhere") }
            expectError(.SQLITE_ERROR, #"no such column: "nothing""#) { try open("photo", "nothing") }
            expectError(.SQLITE_ERROR, "no such rowid: 99") { try open("photo", "data", 99) }
            expectError(.SQLITE_ERROR, "cannot open value of type integer") { try open("photo", "size") }
            expectError(.SQLITE_ERROR, "cannot open value of type null") { try open("photo", "title", 2) }
            expectError(.SQLITE_ERROR, "cannot open view: v") { try open("v") }
            expectError(.SQLITE_ERROR, "cannot open table without rowid: w") { try open("w", "b") }
            expectError(.SQLITE_ERROR, "cannot open indexed column for writing") {
                try open("photo", "data", 1, .readWrite)
            }
            expectError(.SQLITE_ERROR) { try open("pho\0to") }
            try db.withBlob(table: "photo", column: "data", rowID: 1) { blob throws in
                let message = "the blob has 6 bytes: it has no 1 bytes at offset 6"
                expectError(.SQLITE_ERROR, message) { try blob.read(6..<7) }
                expectError(.SQLITE_ERROR) { try blob.read(0..<Int.max) }
                expectError(.SQLITE_ERROR) { try blob.read(-2..<1) }
                expectError(.SQLITE_READONLY) { try blob.write(Data([1])) }
                expectError(.SQLITE_ERROR) { try blob.write(Data([1]), at: -1) }
                expectError(.SQLITE_ERROR, "no such rowid: 99") { try blob.reopen(rowID: 99) }
                expectError(.SQLITE_ABORT) { try blob.read() }
                expectError(.SQLITE_ABORT) { try blob.reopen(rowID: 2) }
            }
            // The connection has no open blob.
            try db.execute(sql: "DROP TABLE photo")
        }
    }

    /// A blob expires with its row.
    @Test func changedRows() throws {
        try withDatabase { db throws in
            try db.execute(sql: Self.schema)
            for sql in ["UPDATE photo SET title = 'x' WHERE id = 1", "DELETE FROM photo WHERE id = 1"] {
                try db.withBlob(table: "photo", column: "data", rowID: 1) { blob throws in
                    try db.execute(sql: sql)
                    expectError(
                        .SQLITE_ABORT,
                        "the row of the blob was changed or deleted, or the transaction was rolled back: "
                            + "open the blob again"
                    ) { try blob.read() }
                }
            }
        }
    }

    /// A blob that escapes its closure is closed; errors of the closure are rethrown, and changes rolled back.
    @Test(arguments: ConnectionKind.allCases)
    func escapes(kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try writer.write { try $0.execute(sql: Self.schema) }
        var kept: DatabaseBlob?
        expectRefusal {
            try writer.write { db in
                try db.withBlob(table: "photo", column: "data", rowID: 1, access: .readWrite) { blob in
                    kept = blob
                    try blob.write(Data([42]))
                    throw Refusal()
                }
            }
        }
        expectError(.SQLITE_MISUSE) { try kept?.read() }
        #expect(kept?.count == 0)
        #expect(try writer.int("SELECT hex(data) = '000102030405' FROM photo WHERE id = 1") == 1)
        try writer.close()
        withExtendedLifetime(folder) {}
    }

    /// A write would damage the schema.
    @Test func schemaTables() throws {
        try withTable(.fileQueue) { writer throws in
            try writer.writeWithoutTransaction { db throws in
                try db.execute(sql: "CREATE TEMP TABLE s(x)")
                for (table, schema) in [
                    ("sqlite_master", "main"), ("SQLite_Schema", "main"), ("sqlite_temp_master", "temp"),
                    ("sqlite_temp_schema", "temp"), ("sqlite_master", "temp"),
                ] {
                    for access in [DatabaseBlob.Access.read, .readWrite] {
                        expectError(
                            .SQLITE_ERROR,
                            "\(table) contains the schema, which can't be opened as a blob: read it in SQL, and change "
                                + "it with statements such as CREATE and DROP"
                        ) {
                            try db.withBlob(table: table, column: "sql", rowID: 1, access: access, schema: schema) {
                                _ in
                            }
                        }
                    }
                }
                #expect(try db.integrityCheck() == [])
            }
        }
    }
}
