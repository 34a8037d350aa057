// The columns of a statement's current row as SQLite stores them, without copies, for dumps.

import RowanSQLite

/// A column of the current row. Its bytes are valid until the next step or until the column is read again.
package enum StoredColumn {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeBufferPointer<UInt8>)
    case blob(UnsafeBufferPointer<UInt8>)
}

extension Statement {
    /// A column of the current row.
    ///
    /// - Precondition: the statement has just returned a row and has this column.
    @inline(__always)
    package func storedColumn(_ index: Int) -> StoredColumn {
        let column = CInt(truncatingIfNeeded: index)
        switch sqlite3_column_type(sqliteStatement, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(sqliteStatement, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(sqliteStatement, column))
        case SQLITE_TEXT:
            let text = sqlite3_column_text(sqliteStatement, column)
            return .text(.init(start: text, count: Int(sqlite3_column_bytes(sqliteStatement, column))))
        case SQLITE_BLOB:
            // An empty blob has a null address.
            let blob = sqlite3_column_blob(sqliteStatement, column)?.assumingMemoryBound(to: UInt8.self)
            return .blob(.init(start: blob, count: Int(sqlite3_column_bytes(sqliteStatement, column))))
        default: return .null
        }
    }
}

/// Converts decimal text to a double as SQLite does. The result is not always the nearest double.
package final class RealParser {
    private let statement: Statement

    /// - Throws: a ``DatabaseError`` if the connection is closed, or used outside an access.
    package init(_ connection: LocalConnection) throws {
        statement = try connection.prepare("SELECT CAST(?1 AS REAL)")
    }

    /// The double, or nil if SQLite fails or is interrupted.
    package func double(_ text: String) -> Double? {
        return text.withBytes { utf8 -> Double? in
            let pointer = statement.handle
            defer {
                sqlite3_reset(pointer)
                sqlite3_clear_bindings(pointer)
            }
            guard let start = UnsafeRawPointer(utf8.baseAddress)?.assumingMemoryBound(to: CChar.self),
                rowan_bind_static_text(pointer, 1, start, CInt(utf8.count)) == SQLITE_OK,
                sqlite3_step(pointer) == SQLITE_ROW
            else { return nil }
            return sqlite3_column_double(pointer, 0)
        }
    }
}

extension Statement {
    /// A copy of a column of the current row.
    package func value(at index: Int) -> DatabaseValue {
        DatabaseValue(sqliteStatement: sqliteStatement, index: CInt(index))
    }
}

extension Row {
    /// A column, valid during the lifetime of the row and until the column is read again.
    ///
    /// - Precondition: the index is valid.
    @inline(__always)
    func storedColumn(_ index: Int) -> StoredColumn {
        let position = position(ofColumn: index)
        if let statement = storage.statement { return statement.storedColumn(position) }
        // Without a statement, the source contains values.
        let column = storage.source.values![position]
        switch column.type {
        case SQLITE_INTEGER: return .integer(column.integer)
        case SQLITE_FLOAT: return .real(column.number)
        case SQLITE_TEXT: return .text(column.buffer)
        case SQLITE_BLOB: return .blob(column.buffer)
        default: return .null
        }
    }
}
