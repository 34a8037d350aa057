// Statements and cursors that outlive their access.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
struct KeptObjectsConcurrencyTests {
    /// A statement released outside any access is finalized without affecting other accesses.
    @Test(arguments: ConnectionKind.allCases)
    func statementsAreDroppedOutsideOfAccesses(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await onThreads(4) { index in
                for _ in 0..<100 {
                    let statement = try writer.read { try $0.makeStatement(sql: "SELECT x FROM t WHERE x > \(index)") }
                    #expect(try writer.values() == [1, 2])
                    withExtendedLifetime(statement) {}
                }
            }
            try writer.close()
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func cursorsAreDroppedOutsideOfAccesses(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await onThreads(4) { _ in
                for _ in 0..<100 {
                    let cursor = try writer.read { db in
                        let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
                        _ = try cursor.next()
                        return cursor
                    }
                    let values = try writer.read { try Int.fetchAll($0, sql: "SELECT x FROM t") }
                    #expect(values == [1, 2])
                    withExtendedLifetime(cursor) {}
                }
            }
            try writer.close()
        }
    }

    /// The cursor's statement must not hold the state of the database during later reads.
    @Test(arguments: ConnectionKind.allCases)
    func aKeptCursorDoesNotFreezeTheConnection(_ kind: ConnectionKind) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try withTable(kind, configuration) { writer in
            let cursor = try writer.read { db in
                let cursor = try Int.fetchCursor(db, sql: "SELECT x FROM t")
                #expect(try cursor.next() == 1)
                return cursor
            }
            try writer.write { try $0.insert(3) }
            #expect(try writer.values() == [1, 2, 3])
            let error = #expect(throws: DatabaseError.self) { try cursor.next() }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(error?.message?.contains("outside the access") == true)
            // It doesn't continue in another access either.
            writer.unsafeReadIgnoringResult { #expect(throws: DatabaseError.self) { try cursor.next() } }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aCursorThatHasNotStartedIsRefusedOutside(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let cursor = try writer.read { try Int.fetchCursor($0, sql: "SELECT x FROM t") }
            let error = #expect(throws: DatabaseError.self) { try cursor.next() }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(try writer.values() == [1, 2])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aStatementIsRefusedOutsideAndServesAgainInside(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let statement = try writer.write { try $0.makeStatement(sql: "INSERT INTO t VALUES (3)") }
            let error = #expect(throws: DatabaseError.self) { try statement.execute() }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            try writer.write { _ in try statement.execute() }
            #expect(try writer.values() == [1, 2, 3])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aDatabaseIsRefusedOutside(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let kept = writer.writeWithoutTransaction { db in UncheckedBox(db) }
            let error = #expect(throws: DatabaseError.self) { try kept.value.execute(sql: "DELETE FROM t") }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(throws: DatabaseError.self) { try Int.fetchOne(kept.value, sql: "SELECT 1") }
            #expect(throws: DatabaseError.self) { try kept.value.makeStatement(sql: "SELECT 1") }
            #expect(throws: DatabaseError.self) { try kept.value.checkpoint() }
        }
    }

    /// From another thread, while the access is running.
    @Test(arguments: ConnectionKind.allCases)
    func aDatabaseIsRefusedOnAnotherThread(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let done = Gate()
            let started = Gate()
            let box = Log<UncheckedBox<Database>>()
            async let access: Void = onThread {
                try writer.read { db in
                    box.append(UncheckedBox(db))
                    started.open()
                    done.wait()
                }
            }
            await started.opened()
            let db = box.elements[0].value
            let error = #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT 1") }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            done.open()
            try await access
        }
    }

    /// Accesses that can't throw, on a closed connection.
    @Test(arguments: ConnectionKind.allCases)
    func closedDatabasesAreNotShared(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try writer.close()
            let databases = Log<ObjectIdentifier>()
            let gates = [Gate(), Gate()]
            try await onThreads(2) { index in
                writer.writeWithoutTransaction { (db: Database) -> Void in
                    databases.append(ObjectIdentifier(db))
                    gates[index].open()
                    gates[1 - index].wait()
                    expectError(.SQLITE_MISUSE, "connection is closed") { try db.insert(3) }
                    #expect(!db.isInsideTransaction)
                }
            }
            #expect(Set(databases.elements).count == 2)
        }
    }

    /// The objects of a connection outlive it, and throw.
    @Test(arguments: ConnectionKind.allCases)
    func objectsOutliveTheirConnection(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        var writer: (any DatabaseWriter)? = try kind.make(in: folder)
        let (db, statement, cursor) = try writer!.writeWithoutTransaction { db in
            db.trace(options: [.statement, .profile]) { _ in }
            db.afterNextTransaction { _ in }
            let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION SELECT 2")
            _ = try cursor.next()
            return (UncheckedBox(db), try db.makeStatement(sql: "SELECT 1"), cursor)
        }
        writer = nil
        #expect(throws: DatabaseError.self) { try statement.execute() }
        #expect(throws: DatabaseError.self) { try cursor.next() }
        #expect(throws: DatabaseError.self) { try db.value.execute(sql: "SELECT 1") }
        #expect(statement.sql == "SELECT 1")
    }

    /// The last reference to a connection is released in its own access.
    @Test(arguments: ConnectionKind.files)
    func aConnectionDiesInItsOwnAccess(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        var writer: (any DatabaseWriter)? = try kind.make(path: path)
        weak let alive = writer
        try writer!.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        try writer!._routes.write.run { db in
            writer = nil
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        #expect(alive == nil)
        #expect(openFiles(under: folder.url.path) == [])
    }

    @Test(arguments: ConnectionKind.files)
    func aForgottenConnectionClosesItsFiles(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        try {
            let writer = try kind.make(in: folder)
            try writer.write { try $0.execute(sql: "CREATE TABLE t(x)") }
            #expect(try writer.values() == [])
            _ = try writer.read { try $0.cachedStatement(sql: "SELECT 1") }
            #expect(openFiles(under: folder.url.path) != [])
        }()
        #expect(openFiles(under: folder.url.path) == [])
    }

    @Test func aForgottenPoolRemovesItsLog() throws {
        let folder = try TemporaryFolder()
        try {
            let pool = try DatabasePool(path: folder.path("db.sqlite"))
            try pool.write { try $0.execute(sql: "CREATE TABLE t(x)") }
            try #expect(pool.values() == [])
        }()
        try #expect(FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["db.sqlite"])
    }

    @Test(arguments: ConnectionKind.files)
    func keptObjectsCloseTheFilesWithThem(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        try {
            var writer: (any DatabaseWriter)? = try kind.make(in: folder)
            let statement = try writer!.write { try $0.makeStatement(sql: "SELECT 1") }
            let cursor = try writer!.read { db in
                let cursor = try Int.fetchCursor(db, sql: "SELECT name FROM sqlite_master UNION SELECT 1")
                _ = try? cursor.next()
                return cursor
            }
            writer = nil
            withExtendedLifetime((statement, cursor)) {}
        }()
        #expect(openFiles(under: folder.url.path) == [])
    }
}

/// The open files of this process in a folder.
func openFiles(under path: String) -> [String] {
    let fileManager = FileManager.default
    let descriptors = (try? fileManager.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return
        descriptors
        .compactMap { try? fileManager.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") }
        .filter { $0.hasPrefix(path) }
}
