// The file that all connections of a database share. The program's path may lead to another file when a later
// connection is opened, after a change of the current directory or of a symbolic link.

import RowanPlatform

/// The file of a connection, for opening further connections.
package struct DatabaseFile: Sendable {
    /// The location for further connections: the real path, with the parameters of the program's URI.
    private let location: String
    private let path: String
    /// Nil for a database that isn't a file in the file system.
    private let identity: Identity?

    /// The device and the inode of a file.
    private struct Identity: Equatable, Sendable {
        let device: UInt64
        let inode: UInt64

        init?(_ path: String) {
            guard !path.isEmpty, let status = FileStatus(path) else { return nil }
            (device, inode) = (status.device, status.inode)
        }
    }

    /// The file of an open connection.
    package init(of db: Database) {
        path = db.connection.mainFileName ?? ""
        location = path.isEmpty ? db.path : Self.location(path, like: db.path)
        identity = Identity(path)
    }

    /// The file at a path that no connection has opened yet.
    init(path: String) { (location, self.path, identity) = (path, path, nil) }

    /// Opens another connection.
    ///
    /// - Throws: SQLITE_CANTOPEN if the file can't be opened or was replaced since the first connection opened it.
    package func connect<Connection>(_ open: (_ location: String) throws -> Connection) throws -> Connection {
        let connection = try open(location)
        guard identity == nil || Identity(path) == identity else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN,
                message: "another file has replaced the open database: close the database and open it again - \(path)")
        }
        return connection
    }

    private static func location(_ path: String, like original: String) -> String {
        guard original.hasPrefix("file:") else { return path }
        let parameters = original.firstIndex(of: "?").map { original[$0...].prefix { $0 != "#" } } ?? ""
        // SQLite has decoded the path.
        return "file://\(path.percentEncoded(except: "/-._~!$&'()*+,:=@"))\(parameters)"
    }
}
