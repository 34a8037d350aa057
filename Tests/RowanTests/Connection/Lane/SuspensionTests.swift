// Suspension: no locks are held on the file. Its notifications reach all connections of the process that observe them,
// so the tests run serially.

import Foundation
import Rowan
import Testing

@Suite(.serialized)
struct SuspensionTests {
    private func withSuspension(_ kind: ConnectionKind, _ body: (any DatabaseWriter) throws -> Void) throws {
        var configuration = Configuration()
        configuration.observesSuspensionNotifications = true
        try withTable(kind, configuration) { writer in
            // Opens a reader.
            _ = try writer.values()
            try body(writer)
        }
    }

    private func suspended(_ body: () throws -> Void) rethrows {
        NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
        defer { NotificationCenter.default.post(name: Database.resumeNotification, object: nil) }
        try body()
    }

    @Test(arguments: ConnectionKind.allCases)
    func suspensionRefusesLocks(_ kind: ConnectionKind) throws {
        try withSuspension(kind) { writer in
            let isWAL = try writer.string("PRAGMA journal_mode") == "wal"
            try suspended {
                let error = expectError(.SQLITE_ABORT) { try writer.write { _ in } }
                #expect(error?.message == "Database is suspended")
                expectError(.SQLITE_ABORT) { try writer.writeWithoutTransaction { try $0.insert(3) } }
                expectError(.SQLITE_ABORT) {
                    try writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
                }
                if isWAL {
                    try #expect(writer.values() == [1, 2])
                } else {
                    expectError(.SQLITE_ABORT) { try writer.values() }
                    expectError(.SQLITE_ABORT) { try writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN") } }
                }
            }
            try writer.write { try $0.insert(4) }
            try #expect(writer.values() == [1, 2, 4])
        }
    }

    /// Rejecting a write releases the locks of its transaction immediately.
    @Test(arguments: ConnectionKind.files)
    func aRefusedWriteLeavesNoLock(_ kind: ConnectionKind) throws {
        try withSuspension(kind) { writer in
            let other = try DatabaseQueue(path: writer.path)
            expectError(.SQLITE_ABORT) {
                try writer.write { db in
                    try db.insert(3)
                    try suspended {
                        expectError(.SQLITE_ABORT) { try db.insert(4) }
                        #expect(!db.isInsideTransaction)
                        try other.write { try $0.insert(5) }
                    }
                    expectError(.SQLITE_ABORT) { try db.insert(6) }
                }
            }
            try #expect(writer.values() == [1, 2, 5])
        }
    }
}
