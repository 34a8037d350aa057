// The access methods, on every kind of connection: their results, their restrictions, and the state that they leave.

import Foundation
import Rowan
import Testing

@Suite(.tags(.runsOnClusters))
struct ReadWriteTests {
    struct Refusal: Error, Equatable {}

    @Test(arguments: ConnectionKind.allCases)
    func writesAreCommitted(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let count = try writer.write { db in
                #expect(db.isInsideTransaction)
                try db.insert(3)
                return try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            }
            #expect(count == 3)
            try #expect(writer.values() == [1, 2, 3])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func anErrorRollsTheWriteBack(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            #expect(throws: Refusal()) {
                try writer.write { db in
                    try db.insert(3)
                    throw Refusal()
                }
            }
            try #expect(writer.values() == [1, 2])
            // The connection is usable again.
            try writer.write { try $0.insert(4) }
            try #expect(writer.values() == [1, 2, 4])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func readsAreTransactionsWithoutWrites(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.read { db in
                #expect(db.isInsideTransaction)
                for sql in [
                    "INSERT INTO t VALUES (3)", "DELETE FROM t", "CREATE TABLE u(x)", "PRAGMA user_version = 3",
                    "INSERT INTO t VALUES (3) RETURNING x",
                ] {
                    let error = expectError(.SQLITE_READONLY, "attempt to write a readonly database") {
                        try db.execute(sql: sql)
                    }
                    #expect(error?.sql == sql)
                }
                #expect(throws: DatabaseError.self) { try Row.fetchOne(db, sql: "DELETE FROM t RETURNING x") }
            }
            try #expect(writer.values() == [1, 2])
            try writer.write { try $0.insert(3) }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func unsafeReadsHaveNoTransaction(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.unsafeRead { db in
                #expect(!db.isInsideTransaction)
                try #expect(db.values() == [1, 2])
                #expect(throws: DatabaseError.self) { try db.insert(3) }
            }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func writesWithoutTransaction(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            #expect(throws: Refusal()) {
                try writer.writeWithoutTransaction { db in
                    #expect(!db.isInsideTransaction)
                    try db.insert(3)
                    throw Refusal()
                }
            }
            try #expect(writer.values() == [1, 2, 3])
            // `writeWithoutTransaction` rethrows only the closure's errors.
            let isInside = writer.writeWithoutTransaction { $0.isInsideTransaction }
            #expect(!isInside)
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func barrierWrites(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try #expect(writer.values() == [1, 2])
            let values = try writer.barrierWriteWithoutTransaction { db in
                #expect(!db.isInsideTransaction)
                try db.insert(3)
                return try db.values()
            }
            #expect(values == [1, 2, 3])
            try #expect(writer.values() == [1, 2, 3])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func reentrantAccesses(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.write { db in
                try db.insert(3)
                try writer.unsafeReentrantWrite { inner in
                    #expect(inner === db)
                    try inner.insert(4)
                }
            }
            let values = try writer.read { db in
                try writer.unsafeReentrantRead { inner in
                    #expect(inner === db)
                    return try inner.values()
                }
            }
            #expect(values == [1, 2, 3, 4])
            let again = try writer.unsafeReentrantRead { try $0.values() }
            #expect(again == values)
            try writer.unsafeReentrantWrite { db in
                #expect(!db.isInsideTransaction)
                try db.insert(5)
            }
            try #expect(writer.values() == [1, 2, 3, 4, 5])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func nestedAccessesAreErrors(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            func expectNested(_ access: () throws -> Void) {
                let error = #expect(throws: DatabaseError.self) { try access() }
                #expect(error?.resultCode == .SQLITE_MISUSE)
                #expect(error?.message?.contains("not reentrant") == true)
            }
            try writer.write { db in
                try db.insert(3)
                expectNested { try writer.write { _ in } }
                expectNested { try writer.barrierWriteWithoutTransaction { _ in } }
                expectNested { try writer.vacuum() }
                expectNested { try writer.close() }
                if !kind.isConcurrent { expectNested { try writer.read { _ in } } }
            }
            try writer.read { _ in
                expectNested { try writer.read { _ in } }
                expectNested { try writer.unsafeRead { _ in } }
                expectNested { try writer.close() }
            }
            try writer.barrierWriteWithoutTransaction { _ in
                expectNested { try writer.read { _ in } }
                expectNested { try writer.write { _ in } }
            }
            try #expect(writer.values() == [1, 2, 3])
        }
    }

    @Test(arguments: ConnectionKind.concurrent)
    func aWriterOfAPoolMayRead(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            try writer.write { db in
                try db.insert(3)
                // The last committed state.
                try #expect(writer.values() == [1, 2])
            }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func callbacks(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let written = await withCheckedContinuation { continuation in
                writer.asyncWrite { db in
                    try db.insert(3)
                    return try db.values()
                } completion: { db, result in
                    #expect(!db.isInsideTransaction)
                    continuation.resume(returning: result.map { $0 })
                }
            }
            try #expect(written.get() == [1, 2, 3])
            let failed: Result<Void, any Error> = await withCheckedContinuation { continuation in
                writer.asyncWrite { db in
                    try db.insert(4)
                    throw Refusal()
                } completion: { _, result in
                    continuation.resume(returning: result)
                }
            }
            #expect(throws: Refusal()) { try failed.get() }
            await withCheckedContinuation { continuation in
                writer.asyncWriteWithoutTransaction { db in
                    #expect(!db.isInsideTransaction)
                    #expect(throws: Never.self) { try db.insert(5) }
                    continuation.resume()
                }
            }
            let barrier = await withCheckedContinuation { continuation in
                writer.asyncBarrierWriteWithoutTransaction { result in
                    continuation.resume(returning: Result { try result.get().values() })
                }
            }
            try #expect(barrier.get() == [1, 2, 3, 5])
            for read in [writer.asyncRead, writer.asyncUnsafeRead] {
                let values = await withCheckedContinuation { continuation in
                    read { result in
                        continuation.resume(
                            returning: Result {
                                #expect(throws: DatabaseError.self) { try result.get().insert(6) }
                                return try result.get().values()
                            })
                    }
                }
                try #expect(values.get() == [1, 2, 3, 5])
            }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func asynchronousAccesses(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { try $0.insert(3) }
            await #expect(throws: Refusal()) {
                try await writer.write { db in
                    try db.insert(4)
                    throw Refusal()
                }
            }
            try await writer.writeWithoutTransaction { db in
                #expect(!db.isInsideTransaction)
                try db.insert(5)
            }
            try await writer.barrierWriteWithoutTransaction { try $0.insert(6) }
            try await #expect(writer.values() == [1, 2, 3, 5, 6])
            let unsafe = try await writer.unsafeRead { try $0.values() }
            #expect(unsafe == [1, 2, 3, 5, 6])
            await expectError(.SQLITE_READONLY) { try await writer.read { try $0.insert(7) } }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func erasedReaders(_ kind: ConnectionKind) throws {
        try withTable(kind) { writer in
            let reader = AnyDatabaseReader(writer)
            try #expect(reader.values() == [1, 2])
            let values = try reader.unsafeRead { try $0.values() }
            #expect(values == [1, 2])
            #expect(reader.path == writer.path)
            #expect(reader.configuration.maximumReaderCount == writer.configuration.maximumReaderCount)
            try reader.close()
            #expect(throws: DatabaseError.self) { try writer.read { _ in } }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aTransactionIsNotLeftOpen(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            await expectError(.SQLITE_MISUSE) {
                try await writer.writeWithoutTransaction { db in
                    try db.beginTransaction()
                    try db.insert(3)
                }
            }
            await expectError(.SQLITE_MISUSE) {
                try await writer.barrierWriteWithoutTransaction { db in
                    try db.execute(sql: "BEGIN")
                    try db.insert(3)
                }
            }
            await expectError(.SQLITE_MISUSE) {
                try await writer.unsafeRead { db in
                    try db.execute(sql: "BEGIN")
                    _ = try db.values()
                }
            }
            // It was rolled back, and the connection is usable again.
            try await writer.write { try $0.insert(4) }
            try await #expect(writer.values() == [1, 2, 4])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func aTransactionMayBeLeftOpen(_ kind: ConnectionKind) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        try withTable(kind, configuration) { writer in
            try writer.writeWithoutTransaction { db in
                try db.beginTransaction()
                try db.insert(3)
            }
            try writer.writeWithoutTransaction { db in
                #expect(db.isInsideTransaction)
                try db.commit()
            }
            try #expect(writer.values() == [1, 2, 3])
        }
    }

    /// The end of an asynchronous access preserves the program's hooks.
    @Test(arguments: ConnectionKind.allCases)
    func aBusyTimeoutThatTheProgramSets(_ kind: ConnectionKind) async throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA busy_timeout = 1234") }
        let seen = try await withTable(kind, configuration) { writer in
            let a = try await writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") }
            let b = try await writer.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") }
            return [a, b]
        }
        #expect(seen == [1234, 1234])
    }

    /// A kept cursor was interrupted in its own access, and interrupts no other access.
    @Test(arguments: ConnectionKind.allCases)
    func anInterruptionEndsWithItsAccess(_ kind: ConnectionKind) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        try withTable(kind, configuration) { writer in
            let kept = Kept<DatabaseValueCursor<Int>>()
            try writer.unsafeRead { db in
                kept.value = try Int.fetchCursor(
                    db, sql: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT 100) SELECT x FROM c")
                _ = try kept.value!.next()
                writer.interrupt()
            }
            try #expect(writer.values() == [1, 2])
            kept.value = nil
        }
    }
}

/// An object kept by a function or a test. Only one access at a time uses it.
private final class Kept<T>: @unchecked Sendable {
    var value: T?
    init(_ value: T? = nil) { self.value = value }
}
