// The interface between a connection and another machine, which runs the statements that the local SQLite only
// compiles. A driver implements StatementRunner, and RemoteConnection calls it.

import RowanSQLite
import Synchronization

/// The database that runs a statement. The shadow is an in-memory database with the schema of the remote one but
/// without its rows.
package enum StatementPlace: Sendable {
    /// Schema queries, and settings of the local connection.
    case shadow
    /// Everything that reads or writes rows.
    case remote
    /// First the remote database, then the shadow: transactions and schema changes.
    case both
}

/// The information about a statement before its first run.
package struct RemoteCandidate {
    package let sql: String
    package let profile: StatementProfile
    package let isExplain: Bool
    /// The columns of the rows, with their declared types, if any.
    package let columns: [(name: String, declaredType: String?)]
}

/// Runs the statements of a connection on another machine. An access uses it exclusively, except for `interrupt`.
package protocol StatementRunner: AnyObject {
    /// Decides where a statement runs.
    ///
    /// - Throws: SQLITE_MISUSE, with an explanation, for a statement that the remote database can't run.
    func place(of candidate: RemoteCandidate) throws -> StatementPlace

    /// Whether a pragma only queries the schema.
    func concernsSchema(_ pragma: StatementProfile.Pragma) -> Bool

    /// The text to compile and run instead of a schema change.
    func definition(_ sql: String) -> String

    /// Runs a statement that begins or ends a transaction, changes the schema or changes a state. The shadow also runs
    /// it, once this method has returned.
    func control(_ statement: Statement) throws

    /// Runs a statement and returns its rows.
    ///
    /// - Throws: a ``DatabaseError``, `RemoteSchemaMoved`, or another error to pass on to the program.
    func run(_ statement: RemoteStatement, _ arguments: RemoteArguments) throws -> any RemoteRows

    /// Runs statements that read, in the transaction that has begun, before ``run(_:_:)`` is called for each of them.
    ///
    /// - Throws: what ends the transaction. The failure of a statement is that of its run.
    func runAhead(_ statements: [(RemoteStatement, [DatabaseValue])]) throws

    /// The schema of the remote database, if it differs from that of the shadow. It is returned only once.
    func takeSchema() -> RemoteSchema?

    /// Called if the shadow could not take the schema: the next access rereads it.
    func forgetSchema()

    /// Whether a failure has ended the transaction. It is reported only once.
    func takeLostTransaction() -> Bool

    /// Whether a transaction has begun, locally or remotely.
    var isInTransaction: Bool { get }

    /// Rolls back a transaction that the shadow does not have.
    func abandonTransaction()

    /// Whether an error leaves it unknown what was committed: the transaction must not run again.
    func isUncertain(_ error: any Error) -> Bool

    /// Whether an error means that the remote database could not be reached and nothing was applied.
    func isOutage(_ error: any Error) -> Bool

    /// Called when these statements are no longer used.
    func forget(_ statements: [Int])

    /// Rereads the schema, unless a transaction has begun, in which it can't change.
    func checkSchema() throws

    var lastInsertedRowID: Int64 { get }
    var changesCount: Int { get }
    var totalChangesCount: Int { get }

    /// A number that no other connection to the remote database has had.
    var sessionNumber: Int { get }

    /// Stops pending operations, from any thread.
    func interrupt()

    /// Called when the connection is closed.
    func close()
}

/// The rows of a statement. The current row is valid until the next call.
package protocol RemoteRows: AnyObject {
    /// Whether there is no current row.
    var isAtEnd: Bool { get }
    func next() throws
    func setResult(_ result: RemoteResult, column: Int)
    /// Called when no further rows will be read.
    func close()
}

/// Thrown if the schema has changed since the statement was compiled. The statement has not run.
package struct RemoteSchemaMoved: Error {
    package init() {}
}

/// The schema of a remote database.
package struct RemoteSchema: Sendable {
    /// A row of the table `sqlite_schema`.
    package struct Object: Sendable {
        package let type: String
        package let name: String
        package let table: String
        package let sql: String?

        package init(type: String, name: String, table: String, sql: String?) {
            (self.type, self.name, self.table, self.sql) = (type, name, table, sql)
        }
    }

    package let version: Int64
    package let objects: [Object]

    package init(version: Int64, objects: [Object]) {
        (self.version, self.objects) = (version, objects)
    }
}

/// A statement that runs remotely.
package final class RemoteStatement: Sendable {
    /// A number unique among the statements of this process.
    package let number: Int
    package let sql: String
    package let columnCount: Int
    package let isReadonly: Bool
    private let register: RemoteStatements

    init(number: Int, sql: String, columnCount: Int, isReadonly: Bool, in register: RemoteStatements) {
        (self.number, self.sql, self.columnCount) = (number, sql, columnCount)
        (self.isReadonly, self.register) = (isReadonly, register)
        register.add(self)
    }

    deinit { register.remove(number) }
}

/// The remote statements of a connection. They may be released on any thread.
final class RemoteStatements: Sendable {
    private struct State {
        var known: [Int: Unmanaged<RemoteStatement>] = [:]
        var ended: [Int] = []
    }

    private let state = Mutex(State())
    private static let count = Atomic<Int>(0)

    static func nextNumber() -> Int { count.add(1, ordering: .relaxed).newValue }

    fileprivate func add(_ statement: RemoteStatement) {
        let statement = Unmanaged.passUnretained(statement)
        state.withLock { $0.known[statement._withUnsafeGuaranteedRef(\.number)] = statement }
    }

    fileprivate func remove(_ number: Int) {
        state.withLock { state in
            state.known[number] = nil
            state.ended.append(number)
        }
    }

    /// A statement that is running.
    func find(_ number: Int) -> RemoteStatement? { state.withLock { $0.known[number]?.takeUnretainedValue() } }

    /// A statement, and the numbers of those released since the last call.
    ///
    /// - Precondition: the caller runs the statement and so keeps it alive.
    func take(_ number: Int) -> (RemoteStatement?, ended: [Int]) {
        state.withLock { state in
            defer { if !state.ended.isEmpty { state.ended = [] } }
            return (state.known[number]?.takeUnretainedValue(), state.ended)
        }
    }
}

/// The values of the parameters of a statement. Valid until the statement has been sent.
package struct RemoteArguments {
    let values: UnsafeMutablePointer<OpaquePointer?>
    package let count: Int

    package subscript(index: Int) -> StoredColumn {
        let value = values[index]
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            let text = sqlite3_value_text(value)
            return .text(.init(start: text, count: Int(sqlite3_value_bytes(value))))
        case SQLITE_BLOB:
            let blob = sqlite3_value_blob(value)?.assumingMemoryBound(to: UInt8.self)
            return .blob(.init(start: blob, count: Int(sqlite3_value_bytes(value))))
        default: return .null
        }
    }
}

/// The destination of a value of the current row.
package struct RemoteResult {
    let context: OpaquePointer?

    package func setNull() { sqlite3_result_null(context) }
    package func set(_ integer: Int64) { sqlite3_result_int64(context, integer) }
    package func set(_ double: Double) { sqlite3_result_double(context, double) }

    /// Sets a NUL-terminated text that remains valid until the next row.
    package func set(text: UnsafePointer<CChar>) { sqlite3_result_text(context, text, -1, nil) }

    /// Sets bytes that remain valid until the next row.
    package func set(blob: UnsafeRawBufferPointer) {
        guard blob.count > 0 else { return sqlite3_result_zeroblob(context, 0) }
        sqlite3_result_blob64(context, blob.baseAddress, sqlite3_uint64(blob.count), nil)
    }
}
