// Encrypted databases.
// Source: https://www.zetetic.net/sqlcipher/sqlcipher-api/

public import RowanPlatform

extension Database {
    /// Sets the passphrase of the connection's file. A new file is encrypted with it.
    ///
    /// Call this method first in ``Configuration/prepareDatabase(_:)``, before any statement reads the file:
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     try db.usePassphrase(loadPassphrase())
    /// }
    /// let dbQueue = try DatabaseQueue(path: "secret.sqlite", configuration: config)
    /// ```
    ///
    /// With a wrong passphrase, SQLITE_NOTADB is thrown at the first read of the file, which happens when the queue or
    /// pool is opened. The same error is thrown with any passphrase if the file is not encrypted.
    ///
    /// - Throws: SQLITE_ERROR if the running SQLite does not support encryption; SQLITE_MISUSE if the passphrase is
    ///   empty.
    ///
    /// Source: <https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlite3_key>
    public func usePassphrase(_ passphrase: String) throws {
        try passphrase.withBytes { try connection.useKey(UnsafeRawBufferPointer($0)) }
    }

    /// Sets the passphrase of the connection's file, as bytes that the caller can erase. See
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
    /// Connections opened later need the new passphrase. An unencrypted file can't be encrypted this way: copy it into
    /// an encrypted file with `sqlcipher_export`.
    ///
    /// - Throws: SQLITE_ERROR if the running SQLite does not support encryption; SQLITE_MISUSE if the passphrase is
    ///   empty; otherwise SQLite's error.
    ///
    /// Source: <https://www.zetetic.net/sqlcipher/sqlcipher-api/#sqlite3_rekey>
    public func changePassphrase(_ passphrase: String) throws {
        try passphrase.withBytes { try connection.changeKey(UnsafeRawBufferPointer($0)) }
    }

    /// Encrypts the database with another passphrase, as bytes that the caller can erase. See
    /// ``changePassphrase(_:)-(String)``.
    public func changePassphrase(_ passphrase: Data) throws {
        try passphrase.withUnsafeBytes { try connection.changeKey($0) }
    }
}
