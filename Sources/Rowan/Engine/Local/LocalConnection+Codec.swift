// Keys of encrypted files. They are passed to SQLCipher's C functions rather than through SQL, so no trace or statement
// contains them.

import RowanSQLite

extension LocalConnection {
    /// Whether the running SQLite can encrypt files.
    package static var hasCodec: Bool { rowan_has_codec() != 0 }

    /// Sets the key of the file. SQLCipher checks it on the first access to the file, not here.
    ///
    /// - Throws: SQLITE_ERROR without a codec; SQLITE_MISUSE for an empty key or outside an access.
    package func useKey(_ bytes: UnsafeRawBufferPointer) throws {
        try checkCodec(rowan_key(openPointer(), validKey(bytes), CInt(bytes.count)))
    }

    /// Encrypts the file with another key.
    ///
    /// - Throws: SQLITE_ERROR without a codec; SQLITE_MISUSE for an empty key, for an unencrypted file, or outside an
    ///   access.
    package func changeKey(_ bytes: UnsafeRawBufferPointer) throws {
        try checkCodec(rowan_rekey(openPointer(), validKey(bytes), CInt(bytes.count)))
    }

    private func validKey(_ bytes: UnsafeRawBufferPointer) throws -> UnsafeRawPointer {
        guard Self.hasCodec else {
            throw DatabaseError(
                message: "this SQLite cannot encrypt a database: link the program with SQLCipher")
        }
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the passphrase is empty: pass at least one byte")
        }
        guard bytes.count <= CInt.max else { throw DatabaseError(resultCode: .SQLITE_TOOBIG) }
        return start
    }

    /// The codec records no message, so the connection would report the message of an earlier error.
    private func checkCodec(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }
}
