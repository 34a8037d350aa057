// The database of a test: a fresh copy of a template, with everything that the migrations have created.

import Foundation
public import Rowan
import Synchronization
import Testing

/// The database of a test with the trait `.database(migrator)`.
///
/// ```swift
/// @Test(.database(migrator)) func insertion() throws {
///     let database = try TestDatabase.current
///     try database.writer.write { db in _ = try City(name: "Ulm", population: 129_942).inserted(db) }
/// }
/// ```
///
/// Each test, and each case of a parameterised test, has its own database: tests run in parallel without seeing each
/// other's writes. The database is not a transaction that is rolled back at the end: the code under test can open
/// transactions, use a pool with several connections, and observe its commits.
public final class TestDatabase: Sendable {
    /// The kinds of databases.
    public enum Kind: Hashable, Sendable {
        /// A ``/Rowan/DatabaseQueue`` on a file.
        case queue
        /// A ``/Rowan/DatabasePool`` on a file.
        case pool
        /// A ``/Rowan/DatabaseQueue`` in memory.
        case memory
    }

    /// The error for a test without a database.
    public struct UnavailableError: Error, CustomStringConvertible {
        /// The problem and what to do.
        public let description =
            "this code has no test database: add the trait .database(migrator) to the test or its suite, and pass the "
            + "database to detached tasks, which do not inherit it"
    }

    /// The queue or the pool.
    public let writer: any DatabaseWriter
    /// The file; nil for a database in memory. It is deleted after a test that passes.
    public let path: String?

    let recorder: QueryRecorder
    private let folder: URL?

    @TaskLocal static var ofTask: TestDatabase?

    /// The database of the running test.
    ///
    /// - Throws: ``UnavailableError`` outside a test with the trait, and in detached tasks.
    public static var current: TestDatabase {
        get throws {
            guard let ofTask else { throw UnavailableError() }
            return ofTask
        }
    }

    /// - Parameter bytes: the bytes of the file.
    init(_ kind: Kind, _ bytes: Data, _ configuration: Configuration) throws {
        let recorder = QueryRecorder()
        var configuration = configuration
        configuration.prepareDatabase { db in try recorder.listen(to: db) }
        self.recorder = recorder
        guard kind != .memory else {
            (folder, path) = (nil, nil)
            writer = try DatabaseQueue(deserializing: bytes, configuration: configuration)
            return
        }
        let folder = try createTemporaryFolder("RowanTest")
        let path = folder.appendingPathComponent("test.sqlite").path
        (self.folder, self.path) = (folder, path)
        do {
            try Self.write(bytes, to: path)
            writer = try kind.open(path, configuration)
        } catch {
            // The system deletes remaining temporary files.
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    /// Writes a new file. Unlike `Data.write`, it does not wait for the disk: a test file need not survive a power
    /// failure (benchmark test-database).
    private static func write(_ bytes: Data, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        guard file >= 0 else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    /// Closes the database and deletes its file.
    func remove() {
        // If a test still holds a cursor, its file exists until the cursor is released.
        try? writer.close()
        // The system deletes remaining temporary files.
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }
}
