// A row that is about to change, as passed to SQLite's pre-update hook.
// Source: https://sqlite.org/c3ref/preupdate_blobwrite.html

import RowanSQLite

/// A row that is about to change. Valid only during the call of the hook.
package struct PreUpdateRow {
    /// The row before or after the change.
    package enum Version {
        case initial, final
    }

    /// SQLite's information on a value.
    package enum Field {
        case value(DatabaseValue)
        /// The row was stored before the column was added to its table.
        case missing
        /// SQLite provides no value at this index.
        case none
    }

    /// Whether this SQLite was built with the hook.
    package static var isSupported: Bool { rowan_has_preupdate_hook() != 0 }

    private let connection: SQLiteConnection
    /// SQLITE_INSERT, SQLITE_UPDATE or SQLITE_DELETE.
    package let operation: CInt
    package let schema: UnsafePointer<CChar>
    package let table: UnsafePointer<CChar>
    /// Undefined for an insertion, and for a table without rowid.
    package let initialRowID: Int64
    /// Undefined for a deletion, and for a table without rowid.
    package let finalRowID: Int64

    init?(
        _ connection: SQLiteConnection?, _ operation: CInt, _ schema: UnsafePointer<CChar>?,
        _ table: UnsafePointer<CChar>?, initialRowID: Int64, finalRowID: Int64
    ) {
        guard let connection, let schema, let table else { return nil }
        self.connection = connection
        self.operation = operation
        self.schema = schema
        self.table = table
        self.initialRowID = initialRowID
        self.finalRowID = finalRowID
    }

    /// The number of columns of the table.
    package var columnCount: Int { Int(rowan_preupdate_count(connection)) }

    /// 0 for a change made by the statement itself, 1 for one made by a trigger, 2 for one made by a trigger's trigger…
    package var depth: Int { Int(rowan_preupdate_depth(connection)) }

    /// Whether the change is a write to an open blob, which SQLite reports as a deletion.
    package var isBlobWrite: Bool { rowan_preupdate_is_blob_write(connection) != 0 }

    /// - Precondition: the version exists: an insertion has no initial version, a deletion no final one.
    package func field(_ index: Int, _ version: Version) -> Field {
        var value: OpaquePointer?
        let code =
            switch version {
            case .initial: rowan_preupdate_old(connection, CInt(index), &value)
            case .final: rowan_preupdate_new(connection, CInt(index), &value)
            }
        guard code == SQLITE_OK, let value else { return .none }
        if case .initial = version, rowan_preupdate_is_missing(value) != 0 { return .missing }
        return .value(DatabaseValue(sqliteValue: value))
    }
}
