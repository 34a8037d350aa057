// Operations forbidden in a read, which leave no trace.

import Foundation
import Rowan
import Synchronization
import Testing

@Suite
struct ReadLimitTests {
    @Test(
        arguments: ConnectionKind.allCases,
        [
            "PRAGMA incremental_vacuum", "PRAGMA incremental_vacuum(10)", "PRAGMA optimize", "PRAGMA wal_checkpoint",
            "/* c */ PRAGMA main.wal_checkpoint(TRUNCATE)", "PRAGMA user_version = 1", "PRAGMA journal_mode = DELETE",
            "PRAGMA case_sensitive_like = 1", "INSERT INTO t VALUES (3)", "CREATE TEMP TABLE u(x)", "VACUUM",
            "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
        ])
    func whatWritesIsRefused(_ kind: ConnectionKind, _ sql: String) throws {
        try withTable(kind) { writer in
            expectError(.SQLITE_READONLY) { try writer.read { try $0.execute(sql: sql) } }
            expectError(.SQLITE_READONLY) { try writer.unsafeRead { try $0.execute(sql: sql) } }
            try #expect(writer.values() == [1, 2])
        }
    }

    @Test(
        arguments: ConnectionKind.allCases,
        ["cache_size", "foreign_keys", "recursive_triggers", "query_only", "automatic_index", "temp_store"])
    func aPragmaDoesNotOutliveTheRead(_ kind: ConnectionKind, _ name: String) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try withTable(kind, configuration) { writer in
            func value(_ db: Database) throws -> Int? { try Int.fetchOne(db, sql: "PRAGMA \(name)") }
            let before = try writer.unsafeRead(value)
            let other = before == 1 ? 0 : 1
            let during = try writer.unsafeRead { db in
                try db.execute(sql: "PRAGMA \(name) = \(other)")
                try db.execute(sql: "PRAGMA \(name) = \(other)")
                return try value(db)
            }
            #expect(during == other)
            try #expect(writer.unsafeRead(value) == before)
            try? writer.unsafeRead { db in
                try db.execute(sql: "PRAGMA \(name) = \(other)")
                throw CancellationError()
            }
            try #expect(writer.unsafeRead(value) == before)
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func pragmasThatAsk(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.read { db in
                try #expect(Row.fetchAll(db, sql: "PRAGMA table_info(t)").count == 1)
                try #expect(String.fetchOne(db, sql: "PRAGMA integrity_check(1)") == "ok")
                try #expect(String.fetchOne(db, sql: "PRAGMA journal_mode") != nil)
                try #expect(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM pragma_table_info('t')") == 1)
            }
        }
    }

    /// The pragma replaces Rowan's busy handler, and reports zero for both.
    @Test(arguments: ConnectionKind.files.filter { !$0.isConcurrent })
    func theBusyModeOutlivesThePragma(_ kind: ConnectionKind) throws {
        let tries = Log<Int>()
        var configuration = Configuration()
        configuration.busyMode = .callback { count in
            tries.append(count)
            return count < 3
        }
        try withTable(kind, configuration) { writer in
            try writer.unsafeRead { try $0.execute(sql: "PRAGMA busy_timeout = 10") }
            try DatabaseQueue(path: writer.path).write { db in
                try db.insert(3)
                expectError(.SQLITE_BUSY) { try writer.write { try $0.insert(4) } }
            }
            #expect(tries.elements == [0, 1, 2, 3])
        }
    }

    /// In a transaction, SQLite ignores the pragma that restores foreign keys.
    @Test(arguments: ConnectionKind.allCases)
    func aPragmaBeforeATransactionThatIsLeftOpen(_ kind: ConnectionKind) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try withTable(kind, configuration) { writer in
            func value(_ db: Database) throws -> Int? { try Int.fetchOne(db, sql: "PRAGMA foreign_keys") }
            try? writer.unsafeRead { db in
                try db.execute(sql: "PRAGMA foreign_keys = 0")
                try db.execute(sql: "BEGIN")
            }
            try #expect(writer.unsafeRead(value) == 1)
        }
    }

    /// The statement that calls the function is not reset during its step.
    @Test func aSuspensionInAFunction() throws {
        try withTable(.fileQueue) { writer in
            try writer.writeWithoutTransaction { db in
                let kept = Kept(db)
                defer { kept.value = nil }
                db.add(
                    function: DatabaseFunction("suspend", argumentCount: 1) { values in
                        guard let db = kept.value else { return nil }
                        db.connection.isSuspended.store(true, ordering: .relaxed)
                        expectError(.SQLITE_ABORT) { try db.insert(3) }
                        return values[0]
                    })
                try #expect(Int.fetchAll(db, sql: "SELECT suspend(x) FROM t") == [1, 2])
                expectError(.SQLITE_ABORT) { try db.values() }
                db.connection.isSuspended.store(false, ordering: .relaxed)
                try #expect(db.values() == [1, 2])
            }
        }
    }
}

/// An object kept by a function or a test. Only one access at a time uses it.
private final class Kept<T>: @unchecked Sendable {
    var value: T?
    init(_ value: T? = nil) { self.value = value }
}
