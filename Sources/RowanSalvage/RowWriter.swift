// Rows are inserted with the bytes of the file: an invalid text stays as it is.

import Rowan
import RowanPlatform
import RowanSQLite

/// An INSERT statement for rows of the file.
final class RowWriter {
    private let connection: OpaquePointer
    private let statement: OpaquePointer
    private let encoding: FileHeader.Encoding

    /// - Throws: SQLite's error if the statement can't be compiled.
    init(_ db: Database, _ sql: String, _ encoding: FileHeader.Encoding) throws {
        connection = try db.salvageConnection
        var pointer: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard code == SQLITE_OK, let pointer else { throw DatabaseError.salvaging(connection, code) }
        (statement, self.encoding) = (pointer, encoding)
    }

    deinit { sqlite3_finalize(statement) }

    /// Sets a parameter, whose number begins with 1. A text must stay until the row is inserted.
    func bind(_ text: UnsafePointer<CChar>, at index: Int) { sqlite3_bind_text(statement, CInt(index), text, -1, nil) }

    func bind(_ value: Int64?, at index: Int) {
        if let value {
            sqlite3_bind_int64(statement, CInt(index), value)
        } else {
            sqlite3_bind_null(statement, CInt(index))
        }
    }

    /// Sets parameters to values of a record, and inserts the row.
    ///
    /// - Parameter values: for each value, the number of its parameter.
    /// - Returns: nil if the row was inserted, or the reason for which SQLite refuses this row.
    /// - Throws: an error that concerns not only this row.
    func insert(_ record: StoredRecord, _ values: some Sequence<(parameter: Int, value: StoredValue)>) throws -> String?
    {
        try record.bytes.withUnsafeBufferPointer { bytes in
            for (parameter, value) in values { bind(value, bytes, CInt(parameter)) }
            defer { sqlite3_clear_bindings(statement) }
            let code = sqlite3_step(statement)
            let message = String(cString: sqlite3_errmsg(connection))
            sqlite3_reset(statement)
            switch code & 0xFF {
            case SQLITE_DONE: return nil
            // A generated column or a default may fail with any message.
            case SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_TOOBIG, SQLITE_ERROR, SQLITE_RANGE: return message
            default: throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
            }
        }
    }

    private func bind(_ value: StoredValue, _ bytes: UnsafeBufferPointer<UInt8>, _ index: CInt) {
        // SQLite binds NULL for a null pointer, so an empty blob or text needs another one.
        func start(_ range: Range<Int>) -> UnsafePointer<UInt8>? {
            bytes.baseAddress.map { $0 + (range.isEmpty ? 0 : range.lowerBound) }
        }
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let integer): sqlite3_bind_int64(statement, index, integer)
        case .real(let real): sqlite3_bind_double(statement, index, real)
        case .blob(let range):
            sqlite3_bind_blob64(statement, index, start(range), UInt64(range.count), nil)
        case .text(let range):
            let code: Int32 =
                switch encoding {
                case .utf8: SQLITE_UTF8
                case .utf16LittleEndian: SQLITE_UTF16LE
                case .utf16BigEndian: SQLITE_UTF16BE
                }
            let text = start(range).map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
            sqlite3_bind_text64(statement, index, text, UInt64(range.count), nil, UInt8(code))
        }
    }
}

extension Database {
    var salvageConnection: OpaquePointer {
        get throws {
            guard let sqliteConnection else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection is closed")
            }
            return sqliteConnection
        }
    }
}

extension DatabaseError {
    static func salvaging(_ connection: OpaquePointer, _ code: CInt) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code), message: String(cString: sqlite3_errmsg(connection)))
    }
}
