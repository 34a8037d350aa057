// Encrypted databases. Source: https://www.zetetic.net/sqlcipher/sqlcipher-api/

public import Foundation

extension Database {
    /// Gives the connection the passphrase of its file. A new file is encrypted with it.
    ///
    /// Call it first in ``Configuration/prepareDatabase(_:)``, before anything reads the file:
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     try db.usePassphrase(loadPassphrase())
    /// }
    /// let dbQueue = try DatabaseQueue(path: "secret.sqlite", configuration: config)
    /// ```
    ///
    /// A wrong passphrase throws SQLITE_NOTADB when the file is first read: opening the queue or the pool throws it. So
    /// does any passphrase on a file that is not encrypted.
    ///
    /// - Throws: SQLITE_ERROR if the program runs with a SQLite that has no codec; SQLITE_MISUSE if the passphrase is
    ///   empty.
    ///
    /// Source: <https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlite3_key>
    public func usePassphrase(_ passphrase: String) throws {
        var passphrase = passphrase
        try passphrase.withUTF8 { try connection.useKey(UnsafeRawBufferPointer($0)) }
    }

    /// Gives the connection the passphrase of its file, as bytes that the caller can erase. See
    /// ``usePassphrase(_:)-(String)``.
    ///
    /// ```swift
    /// config.prepareDatabase { db in
    ///     var passphrase = try loadPassphraseData()
    ///     defer { passphrase.resetBytes(in: 0..<passphrase.count) }
    ///     try db.usePassphrase(passphrase)
    /// }
    /// ```
    public func usePassphrase(_ passphrase: Data) throws {
        try passphrase.withUnsafeBytes { try connection.useKey($0) }
    }

    /// Encrypts the database with another passphrase.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try db.changePassphrase("newSecret")
    /// }
    ///
    /// // The readers of a pool must open again:
    /// try dbPool.barrierWriteWithoutTransaction { db in
    ///     try db.changePassphrase("newSecret")
    ///     dbPool.invalidateReadOnlyConnections()
    /// }
    /// ```
    ///
    /// From then on, connections that open need the new passphrase. A file that is not encrypted stays so: copy it into
    /// an encrypted one with `sqlcipher_export` instead.
    ///
    /// - Throws: SQLITE_ERROR if the program runs with a SQLite that has no codec; SQLITE_MISUSE if the passphrase is
    ///   empty; otherwise the error of SQLite.
    ///
    /// Source: <https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlite3_rekey>
    public func changePassphrase(_ passphrase: String) throws {
        var passphrase = passphrase
        try passphrase.withUTF8 { try connection.changeKey(UnsafeRawBufferPointer($0)) }
    }

    /// Encrypts the database with another passphrase, as bytes that the caller can erase. See
    /// ``changePassphrase(_:)-(String)``.
    public func changePassphrase(_ passphrase: Data) throws {
        try passphrase.withUnsafeBytes { try connection.changeKey($0) }
    }
}
