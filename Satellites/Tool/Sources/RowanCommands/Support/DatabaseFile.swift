// Opening databases, and sentences for what prevents it.

package import ArgumentParser
import Foundation
package import Rowan

/// The file that a command looks at.
package struct DatabaseFile: ParsableArguments {
    package init() {}

    @Argument(help: "The database file.", completion: .file())
    package var database: String

    /// Reads with a connection that can't write.
    package func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await Self.read(database, body)
    }

    package static func read<T: Sendable>(
        _ path: String, _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await explaining(path) {
            let queue = try open(path, isReadOnly: true)
            return try await queue.read(body)
        }
    }

    /// Reads without a transaction, which a damaged file would end.
    func readWithoutTransaction<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try await Self.explaining(database) {
            let queue = try Self.open(database, isReadOnly: true)
            return try await queue.unsafeRead(body)
        }
    }

    /// Writes in a transaction, which Ctrl-C rolls back.
    ///
    /// - Parameter creates: whether a missing file is created.
    package func write<T: Sendable>(
        creates: Bool = false, _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writeWithoutTransaction(creates: creates) { db in
            var result: T?
            try db.inTransaction {
                result = try body(db)
                return .commit
            }
            // Invariant: the transaction has ended without an error, after the body.
            return result!
        }
    }

    package func writeWithoutTransaction<T: Sendable>(
        creates: Bool = false, _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await Self.explaining(database) {
            try await interruptible {
                let queue = try Self.open(database, isReadOnly: false, creates: creates)
                return try await queue.writeWithoutTransaction(body)
            }
        }
    }

    package static func open(
        _ path: String, isReadOnly: Bool, creates: Bool = false, trust: DatabaseTrust = .trusted,
        observesOthers: Bool = false, prepare: (@Sendable (Database) throws -> Void)? = nil
    ) throws -> DatabaseQueue {
        try requirePath(path)
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        guard exists || creates else { throw Failure(message: "there is no file \(path)") }
        guard !isFolder.boolValue else { throw Failure(message: "\(path) is a folder: pass the file of a database") }
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.trust = trust
        configuration.observesOtherProcesses = observesOthers
        configuration.busyMode = .timeout(5)
        configuration.publicStatementArguments = true
        if let prepare { configuration.prepareDatabase(prepare) }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// What SQLite keeps next to the file of a database.
    static let suffixes = ["-wal", "-shm", "-journal"]

    /// SQLite takes some names for a database in memory, or for a URI: what is written there wouldn't be in a file of this name.
    static func requirePath(_ path: String) throws {
        guard !path.isEmpty else { throw Failure.usage("the path of the database is empty: pass the path of a file") }
        guard path == ":memory:" || path.hasPrefix("file:") else { return }
        throw Failure.usage("\(path) is a special name of SQLite: pass the path of a file, as in ./\(path)")
    }

    /// Says what to do after an error of a file.
    package static func explaining<T>(_ path: String, _ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let error as DatabaseError { throw explained(error, path) }
    }

    package static func explainingSync<T>(_ path: String, _ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as DatabaseError { throw explained(error, path) }
    }

    /// Deletes a database that a command has made in vain.
    static func remove(_ path: String) {
        // Most of the files don't exist.
        for suffix in [""] + suffixes { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
}

/// A file, whatever its path.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let node: UInt64

    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, node) = (UInt64(truncatingIfNeeded: status.st_dev), UInt64(truncatingIfNeeded: status.st_ino))
    }
}

/// Runs a task, which Ctrl-C cancels.
package func interruptible<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) async throws -> T {
    let task = Task(operation: body)
    let sources = [SIGINT, SIGTERM].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { task.cancel() }
        source.resume()
        return source
    }
    defer {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
    return try await task.value
}

extension Database {
    /// The name of a table or view, as in the schema.
    package func existingTable(_ name: String) throws -> String {
        let known = try tables(in: "main") + views(in: "main")
        if let found = known.map(\.name).named(name) { return found }
        let names = known.map(\.name).filter { !$0.hasPrefix("sqlite_") }
        let list = names.isEmpty ? "the database has no tables" : "there are \(names.sorted().joined(separator: ", "))"
        throw Failure(message: "there is no table \(name): \(list)")
    }
}

extension Database {
    /// The columns that name a row of a table: the primary key or, if that can be NULL, the rowid. Empty if the rowid has no name.
    package func columnsOfKey(_ table: String) throws -> [String] {
        let key = try primaryKey(table, in: "main")
        let columns = try columns(in: table, in: "main")
        guard !key.isRowID, !columns.filter({ $0.primaryKeyIndex > 0 }).allSatisfy(\.isNotNull) else {
            return key.columns
        }
        let rowID = ["rowid", "_rowid_", "oid"].first { name in columns.map(\.name).named(name) == nil }
        guard let rowID else { return key.columns }
        // A table without rowid has no NULL in its key.
        let sql = "SELECT \(rowID) FROM \(table.quotedIdentifier) LIMIT 0"
        return (try? makeStatement(sql: sql)) == nil ? key.columns : [rowID]
    }
}

extension String {
    /// The name in quotes, for SQL.
    package var quotedIdentifier: String { "\"" + replacing("\"", with: "\"\"") + "\"" }

    /// The name of a column, for SQL. A hidden rowid has no quotes: SQLite would take it for a text, if no column had the name.
    package var quotedColumn: String { ["rowid", "_rowid_", "oid"].contains(self) ? self : quotedIdentifier }
}

extension [String] {
    /// The name that SQLite takes a name for: it compares bytes, apart from the case of ASCII letters.
    package func named(_ name: String) -> String? {
        func folded(_ name: String) -> [UInt8] { name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 } }
        return first { $0.utf8.elementsEqual(name.utf8) } ?? first { folded($0) == folded(name) }
    }
}
