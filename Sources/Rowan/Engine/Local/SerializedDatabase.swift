// A database as the bytes of its file. Sources: https://sqlite.org/c3ref/serialize.html,
// https://sqlite.org/c3ref/deserialize.html

import RowanSQLite
package import RowanPlatform

extension LocalConnection {
    /// The bytes of a file with the content of the database.
    package func serialize(_ schema: String) throws -> Data {
        let connection = try openPointer(with: schema)
        try refuseInScope("copy the database")
        try refuseRemotely("serialization", "copy it with DatabaseCluster.dump(to:)")
        var count: sqlite3_int64 = 0
        guard let bytes = sqlite3_serialize(connection, schema, &count, 0) else {
            // The database is still empty.
            if count == 0, sqlite3_errcode(connection) == SQLITE_OK { return Data() }
            let code = sqlite3_errcode(connection)
            throw error(code == SQLITE_OK ? SQLITE_NOMEM : code)
        }
        // An in-memory database has no WAL file, so SQLite could not open it with these format versions.
        if count >= 20, bytes[18] == 2 || bytes[19] == 2 { (bytes[18], bytes[19]) = (1, 1) }
        return Data(bytesNoCopy: bytes, count: Int(count), deallocator: .custom { bytes, _ in sqlite3_free(bytes) })
    }

    /// Replaces a database with an in-memory one that has the content of a file.
    package func deserialize(_ data: Data, into schema: String) throws {
        let connection = try openPointer(with: schema)
        try refuseInScope("replace the database")
        try refuseRemotely("serialization", "import the rows with SQL")
        // SQLite owns the memory even if the call fails. It must not be nil.
        guard let bytes = sqlite3_malloc64(sqlite3_uint64(max(data.count, 1))) else { throw error(SQLITE_NOMEM) }
        data.copyBytes(to: UnsafeMutableRawBufferPointer(start: bytes, count: data.count))
        let count = sqlite3_int64(data.count)
        let flags = CUnsignedInt(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
        let code = sqlite3_deserialize(
            connection, schema, bytes.assumingMemoryBound(to: UInt8.self), count, count, flags)
        schemaDidMove()
        try check(code)
    }

    /// The C connection, which has a database with this name.
    private func openPointer(with schema: String) throws -> SQLiteConnection {
        let connection = try openPointer()
        guard rowan_can_serialize() != 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_ERROR,
                message: "this SQLite can't serialize databases: it was built with SQLITE_OMIT_DESERIALIZE")
        }
        var index: CInt = 0
        while let name = sqlite3_db_name(connection, index) {
            if String(cString: name).isSameDatabaseName(as: schema) { return connection }
            index += 1
        }
        throw DatabaseError(resultCode: .SQLITE_ERROR, message: "no such schema: \(schema)")
    }
}
