// Requests as the bytes of the protocol. Several requests are sent in a single write.
// https://dqlite.io/docs/reference/wire-protocol

package import Rowan

/// The bytes of requests.
///
/// A request that throws leaves the buffer unchanged.
package struct RequestBuffer {
    private var bytes: [UInt8] = []

    /// The number of requests.
    package private(set) var count = 0

    /// The largest request. SQLite's own limit for text and blobs is of the same order.
    private static let largestRequest = 1 << 30

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withBytes(body)
    }
}

// Databases and statements.
extension RequestBuffer {
    /// Introduces the client.
    package mutating func client(id: UInt64) { words(.client, id) }

    /// Opens a database, the only one of the connection.
    ///
    /// - Throws: ``DatabaseError`` with the code SQLITE_MISUSE if the name contains a NUL character.
    package mutating func open(name: String) throws {
        try request(.open) { body throws(DatabaseError) in
            try body.append(text: name, "the name of a database")
            // The flags are unused, and the name of the file system may be empty.
            body.append(word: 0)
            body.append(word: 0)
        }
    }

    /// Compiles a statement.
    ///
    /// - Throws: ``DatabaseError`` with the code SQLITE_MISUSE if the SQL contains a NUL character.
    package mutating func prepare(db: UInt32, sql: String) throws {
        try request(.prepare) { body throws(DatabaseError) in
            body.append(word: UInt64(db))
            try body.append(text: sql, "SQL")
        }
    }

    /// Runs a statement that returns no rows. BEGIN and others repeat the counts of the previous
    /// statement.
    ///
    /// - Parameter values: the values of all parameters. A node keeps the previous values of parameters without a
    ///   value.
    /// - Throws: ``DatabaseError`` if a value can't be sent.
    package mutating func exec(db: UInt32, statement: UInt32, values: [DatabaseValue]) throws {
        try run(.exec, db, statement, values)
    }

    /// Runs a statement that returns rows.
    ///
    /// - Parameter values: the values of all parameters. A node keeps the previous values of parameters without a
    ///   value.
    /// - Throws: ``DatabaseError`` if a value can't be sent.
    package mutating func query(db: UInt32, statement: UInt32, values: [DatabaseValue]) throws {
        try run(.query, db, statement, values)
    }

    private mutating func run(_ type: RequestType, _ db: UInt32, _ statement: UInt32, _ values: [DatabaseValue]) throws
    {
        try request(type) { body throws(DatabaseError) in
            body.append(word: UInt64(db) | UInt64(statement) << 32)
            try body.append(values)
        }
    }

    /// Releases a statement, whose id may be returned by the next `prepare`.
    ///
    /// - Important: a node crashes if the id is used or finalized again.
    package mutating func finalize(db: UInt32, statement: UInt32) {
        words(.finalize, UInt64(db) | UInt64(statement) << 32)
    }

    /// Runs SQL that returns no rows.
    ///
    /// - Throws: ``DatabaseError`` if the SQL contains a NUL character or a value can't be sent.
    package mutating func execSQL(db: UInt32, sql: String, values: [DatabaseValue] = []) throws {
        try run(.execSQL, db, sql, values)
    }

    /// Runs SQL that returns rows.
    ///
    /// - Throws: ``DatabaseError`` if the SQL contains a NUL character or a value can't be sent.
    package mutating func querySQL(db: UInt32, sql: String, values: [DatabaseValue] = []) throws {
        try run(.querySQL, db, sql, values)
    }

    private mutating func run(_ type: RequestType, _ db: UInt32, _ sql: String, _ values: [DatabaseValue]) throws {
        try request(type) { body throws(DatabaseError) in
            body.append(word: UInt64(db))
            try body.append(text: sql, "SQL")
            try body.append(values)
        }
    }

}

// The cluster.
extension RequestBuffer {
    /// Requests the leader.
    package mutating func leader() { words(.leader, 0) }

    /// Adds a node as a spare.
    ///
    /// - Throws: ``DatabaseError`` with the code SQLITE_MISUSE if the address contains a NUL character.
    package mutating func add(id: UInt64, address: String) throws {
        try request(.add) { body throws(DatabaseError) in
            body.append(word: id)
            try body.append(text: address, "an address")
        }
    }

    /// Gives a node a role.
    package mutating func assign(id: UInt64, role: NodeRole) { words(.assign, id, role.rawValue) }

    /// Removes a node from the cluster.
    package mutating func remove(id: UInt64) { words(.remove, id) }

    /// Requests the files of a database.
    ///
    /// - Throws: ``DatabaseError`` with the code SQLITE_MISUSE if the name contains a NUL character.
    package mutating func dump(name: String) throws {
        try request(.dump) { body throws(DatabaseError) in try body.append(text: name, "the name of a database") }
    }

    /// Requests the nodes.
    package mutating func cluster() {
        // Format 1 has roles.
        words(.cluster, 1)
    }

    /// Requests the space on the disk.
    package mutating func diskSpace() { words(.diskSpace, 0) }

    /// Begins a chain: of the requests that follow, none runs after one has failed.
    ///
    /// - Parameter turn: how long the chain waits until no other client writes; nil if it does not have to.
    /// - Returns: its place, for `endChain(_:requestCount:)`.
    package mutating func beginChain(turn: Duration?) -> Int {
        words(.chain, 0, turn.map { UInt64(max(0, $0 / .milliseconds(1))) } ?? .max)
        return bytes.count - 16
    }

    /// Ends a chain.
    package mutating func endChain(_ place: Int, requestCount: Int) {
        bytes.replace(at: place, word: UInt64(requestCount))
    }

    /// Makes another node the leader.
    package mutating func transfer(id: UInt64) { words(.transfer, id) }
}

extension RequestBuffer {
    private mutating func words(_ type: RequestType, _ words: UInt64...) {
        bytes.append(word: UInt64(words.count) | UInt64(type.rawValue) << 32)
        for word in words { bytes.append(word: word) }
        count += 1
    }

    private mutating func request(
        _ type: RequestType, _ appendBody: (inout [UInt8]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        let start = bytes.count
        bytes.append(word: 0)
        do throws(DatabaseError) {
            try appendBody(&bytes)
            let size = bytes.count - start - 8
            guard size <= Self.largestRequest else {
                throw DatabaseError(
                    resultCode: .SQLITE_TOOBIG,
                    message: "the statement and its values are \(size) bytes, too many for a cluster: send at most "
                        + "\(Self.largestRequest) bytes at once")
            }
            bytes.replace(at: start, word: UInt64(size / 8) | UInt64(type.rawValue) << 32)
        } catch {
            bytes.removeSubrange(start...)
            throw error
        }
        count += 1
    }
}
