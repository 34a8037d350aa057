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

    private static let largestKeptCapacity = 1 << 20

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// The number of bytes of all requests.
    package var byteCount: Int { bytes.count }

    /// Removes all requests. The memory of unusually large requests is not kept.
    package mutating func removeAll(keepingCapacity: Bool = true) {
        bytes.removeAll(keepingCapacity: keepingCapacity && bytes.capacity <= Self.largestKeptCapacity)
        count = 0
    }

    package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withBytes(body)
    }
}

/// The role of a node in its cluster.
public enum NodeRole: UInt64, Sendable, CaseIterable {
    /// It votes for leaders and stores the data.
    case voter = 0
    /// It stores the data and becomes a voter when one fails.
    case standby = 1
    /// It does not store data.
    case spare = 2
}

// Databases and statements.
extension RequestBuffer {
    /// Introduces the client. Response: `welcome`.
    package mutating func client(id: UInt64) { words(1, id) }

    /// Opens a database, the only one of the connection. Response: `database`.
    ///
    /// - Throws: ``DatabaseError`` with the code SQLITE_MISUSE if the name contains a NUL character.
    package mutating func open(name: String) throws {
        try request(3) { body throws(DatabaseError) in
            try body.append(text: name, "the name of a database")
            // The flags are unused, and the name of the file system may be empty.
            body.append(word: 0)
            body.append(word: 0)
        }
    }

    /// Compiles a statement. Response: `statement`.
    ///
    /// - Throws: ``DatabaseError`` with the code SQLITE_MISUSE if the SQL contains a NUL character.
    package mutating func prepare(db: UInt32, sql: String) throws {
        try request(4) { body throws(DatabaseError) in
            body.append(word: UInt64(db))
            try body.append(text: sql, "SQL")
        }
    }

    /// Runs a statement that returns no rows. Response: `result`, in which BEGIN and others repeat the counts of the
    /// previous statement.
    ///
    /// - Parameter values: the values of all parameters. A node keeps the previous values of parameters without a
    ///   value.
    /// - Throws: ``DatabaseError`` if a value can't be sent.
    package mutating func exec(db: UInt32, statement: UInt32, values: [DatabaseValue]) throws {
        try run(5, db, statement, values)
    }

    /// Runs a statement that returns rows. Responses: `rows`, up to the part with `isLast`.
    ///
    /// - Parameter values: the values of all parameters. A node keeps the previous values of parameters without a
    ///   value.
    /// - Throws: ``DatabaseError`` if a value can't be sent.
    package mutating func query(db: UInt32, statement: UInt32, values: [DatabaseValue]) throws {
        try run(6, db, statement, values)
    }

    private mutating func run(_ type: UInt8, _ db: UInt32, _ statement: UInt32, _ values: [DatabaseValue]) throws {
        try request(type) { body throws(DatabaseError) in
            body.append(word: UInt64(db) | UInt64(statement) << 32)
            try body.append(values)
        }
    }

    /// Releases a statement, whose id may be returned by the next `prepare`. Response: `empty`.
    ///
    /// - Important: a node crashes if the id is used or finalized again.
    package mutating func finalize(db: UInt32, statement: UInt32) { words(7, UInt64(db) | UInt64(statement) << 32) }

    /// Runs SQL that returns no rows. Response: `result`.
    ///
    /// - Throws: ``DatabaseError`` if the SQL contains a NUL character or a value can't be sent.
    package mutating func execSQL(db: UInt32, sql: String, values: [DatabaseValue] = []) throws {
        try run(8, db, sql, values)
    }

    /// Runs SQL that returns rows. Responses: `rows`, up to the part with `isLast`.
    ///
    /// - Throws: ``DatabaseError`` if the SQL contains a NUL character or a value can't be sent.
    package mutating func querySQL(db: UInt32, sql: String, values: [DatabaseValue] = []) throws {
        try run(9, db, sql, values)
    }

    private mutating func run(_ type: UInt8, _ db: UInt32, _ sql: String, _ values: [DatabaseValue]) throws {
        try request(type) { body throws(DatabaseError) in
            body.append(word: UInt64(db))
            try body.append(text: sql, "SQL")
            try body.append(values)
        }
    }

    /// Has no effect in practice: a node reads it only after it has sent all rows of a query. Response: `empty`.
    package mutating func interrupt(db: UInt32) { words(10, UInt64(db)) }
}

// The cluster.
extension RequestBuffer {
    /// Requests the leader. Response: `leader`.
    package mutating func leader() { words(0, 0) }

    /// Adds a node as a spare. Response: `empty`.
    ///
    /// - Throws: ``DatabaseError`` with the code SQLITE_MISUSE if the address contains a NUL character.
    package mutating func add(id: UInt64, address: String) throws {
        try request(12) { body throws(DatabaseError) in
            body.append(word: id)
            try body.append(text: address, "an address")
        }
    }

    /// Gives a node a role. Response: `empty`.
    package mutating func assign(id: UInt64, role: NodeRole) { words(13, id, role.rawValue) }

    /// Removes a node from the cluster. Response: `empty`.
    package mutating func remove(id: UInt64) { words(14, id) }

    /// Requests the files of a database. Response: `files`.
    ///
    /// - Throws: ``DatabaseError`` with the code SQLITE_MISUSE if the name contains a NUL character.
    package mutating func dump(name: String) throws {
        try request(15) { body throws(DatabaseError) in try body.append(text: name, "the name of a database") }
    }

    /// Requests the nodes. Response: `nodes`.
    package mutating func cluster() {
        // Format 1 has roles.
        words(16, 1)
    }

    /// Makes another node the leader. Response: `empty`.
    package mutating func transfer(id: UInt64) { words(17, id) }

    /// Requests the properties of the node. Response: `metadata`.
    package mutating func describe() {
        // A node crashes if another format is requested.
        words(18, 0)
    }

    /// Sets the weight of the node: among equal nodes, those with lower weight get a role first. Response: `empty`.
    package mutating func weight(_ weight: UInt64) { words(19, weight) }
}

extension RequestBuffer {
    private mutating func words(_ type: UInt8, _ words: UInt64...) {
        bytes.append(word: UInt64(words.count) | UInt64(type) << 32)
        for word in words { bytes.append(word: word) }
        count += 1
    }

    private mutating func request(
        _ type: UInt8, _ appendBody: (inout [UInt8]) throws(DatabaseError) -> Void
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
            bytes.replace(at: start, word: UInt64(size / 8) | UInt64(type) << 32)
        } catch {
            bytes.removeSubrange(start...)
            throw error
        }
        count += 1
    }
}
