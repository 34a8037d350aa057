// Copies of the databases of a cluster, as files.

import RowanPlatform
import Rowan

extension DatabaseCluster {
    /// Copies the database into a local SQLite file: a backup of its last committed state.
    ///
    /// ```swift
    /// try await cluster.dump(to: "/backups/app.sqlite")
    /// let copy = try DatabaseQueue(path: "/backups/app.sqlite")
    /// ```
    ///
    /// Meanwhile, the whole database is in memory, on the leader as well. The copy also contains the table
    /// `rowan_client`, in which transactions store their tickets.
    ///
    /// - Parameter path: the path of the copy. The file must not exist.
    /// - Throws: SQLITE_CANTOPEN if the file exists or can't be written; a ``Rowan/DatabaseError`` whose
    ///   `isLeaderChange` is true if no leader responds in time.
    public func dump(to path: String) async throws {
        let (directory, name) = (directory, self.path)
        try await offThread {
            guard !FileManager.default.fileExists(atPath: path) else {
                throw DatabaseError(
                    resultCode: .SQLITE_CANTOPEN,
                    message: "there is a file already: choose another path, or remove it - \(path)")
            }
            let (_, files) = try Self.ask(.files(of: ClusterSession.nameOnNodes(of: name)), directory, "Copy again")
            try DumpedFiles(files).write(to: path)
        }
    }
}

/// The files of a database, as a node sends them: the database and its write-ahead log.
struct DumpedFiles {
    private let files: [(name: String, contents: Data)]

    init(_ files: [(name: String, contents: Data)]) { self.files = files }

    /// Whether the node has no such database.
    var isEmpty: Bool { files.allSatisfy(\.contents.isEmpty) }

    /// Writes them as one database file, which is on the disk afterwards.
    ///
    /// - Parameter path: the path of a file that doesn't exist.
    /// - Throws: SQLITE_CANTOPEN if a file can't be written; an error of SQLite. No file is left.
    func write(to path: String) throws {
        do {
            for file in files where !file.contents.isEmpty {
                try Self.create(path + (file.name.hasSuffix("-wal") ? "-wal" : ""), file.contents)
            }
            // The last connection moves the log into the file.
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { db in
                try db.checkpoint(.truncate)
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
            }
            try queue.close()
            try Self.synchronize(path, O_RDWR)
        } catch {
            Self.remove(path)
            throw error
        }
    }

    /// Removes the files of a database.
    static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    private static func create(_ path: String, _ contents: Data) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        try contents.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress
                let count = RowanPlatform.write(descriptor, start, rest.count)
                guard count >= 0 || errno == EINTR else { throw failure(path) }
                rest = rest.dropFirst(max(count, 0))
            }
        }
    }

    /// Waits until a file or a folder is on the disk.
    ///
    /// - Throws: SQLITE_CANTOPEN if it can't be written.
    static func synchronize(_ path: String, _ mode: CInt = O_RDONLY) throws {
        let descriptor = open(path, mode | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path) }
    }

    /// The error of the last system call.
    static func failure(_ path: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CANTOPEN, message: "the file can't be written: \(NodeSocket.text(of: errno)) - \(path)")
    }
}
