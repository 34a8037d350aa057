// What the runner knows about the schema of the database: the version that the shadow has, and a newer schema that the
// shadow has yet to take.

import Rowan

/// The schema of the database, as the runner knows it.
struct SchemaState {
    /// The version of the shadow; nil before the first one.
    private(set) var version: Int64?
    /// The version before the transaction, if the transaction has changed the schema.
    private var versionBeforeTransaction: (Int64?)?
    private var new: RemoteSchema?
    private(set) var hasTicketTable = false

    var isKnown: Bool { version != nil }
    var hasNew: Bool { new != nil }

    mutating func take() -> RemoteSchema? { new.take() }

    mutating func forget() { (version, new) = (nil, nil) }

    /// Called if the nodes have lost their data.
    mutating func forgetTicketTable() {
        hasTicketTable = false
        forget()
    }

    /// Takes the schema that the leader has sent.
    ///
    /// - Parameter rows: the rows of `sqlite_master`, without the page numbers.
    /// - Throws: `WireError.malformed` for other columns.
    mutating func set(_ version: Int64, _ rows: [[DatabaseValue]]) throws {
        let objects = try rows.map { row in
            guard row.count == 4 else { throw WireError.malformed("the schema has \(row.count) columns") }
            func text(_ index: Int) -> String { String.fromDatabaseValue(row[index]) ?? "" }
            return RemoteSchema.Object(
                type: text(0), name: text(1), table: text(2), sql: String.fromDatabaseValue(row[3]))
        }
        self.version = version
        // The shadow takes it outside its transaction, and keeps it when the transaction is rolled back.
        if versionBeforeTransaction != nil { versionBeforeTransaction = .some(nil) }
        hasTicketTable = objects.contains { $0.name == TicketTable.name }
        new = RemoteSchema(version: version, objects: objects.filter { $0.table.lowercased() != TicketTable.name })
    }

    static let query = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid"

    /// Called after the connection has changed the schema, as the shadow is about to.
    ///
    /// - Parameter version: nil if the leader has not reported it.
    mutating func didChange(to version: Int64?, inTransaction: Bool) {
        if inTransaction, versionBeforeTransaction == nil { versionBeforeTransaction = .some(self.version) }
        if version == nil { forget() } else { self.version = version }
    }

    /// Called after the transaction has ended.
    ///
    /// - Returns: whether the schema is again that of before the transaction.
    mutating func transactionDidEnd(committed: Bool) -> Bool {
        defer { versionBeforeTransaction = nil }
        guard !committed, let before = versionBeforeTransaction else { return false }
        version = before
        return true
    }
}
