// Binding: the counterpart to ColumnValue.

public import RowanSQLite
public import RowanPlatform

/// A type that binds itself to a parameter of a prepared statement.
public protocol StatementBinding {
    /// Binds the value to the parameter at a 1-based index.
    ///
    /// - Returns: SQLite's result code, `SQLITE_OK` for success.
    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt
}

extension DatabaseValue: StatementBinding {
    /// Binds the stored content.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch storage {
        case .null: sqlite3_bind_null(sqliteStatement, index)
        case .int64(let integer): sqlite3_bind_int64(sqliteStatement, index, integer)
        case .double(let double): double.bindNumber(to: sqliteStatement, at: index)
        case .string(let string): string.bindText(to: sqliteStatement, at: index)
        case .blob(let data): data.bindBlob(to: sqliteStatement, at: index)
        }
    }
}

extension Double {
    /// Binds the number. NaN becomes NULL.
    @inlinable
    package func bindNumber(to statement: SQLiteStatement, at index: CInt) -> CInt {
        // For a number, the first comparison is the only cost.
        if isNaN, isUnstorable { return unstorableCode }
        return sqlite3_bind_double(statement, index, self)
    }
}

extension String {
    @inlinable
    func bindText(to statement: SQLiteStatement, at index: CInt) -> CInt {
        withBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                guard let count = CInt(exactly: text.count) else { return SQLITE_TOOBIG }
                // An empty buffer may have a null address, for which SQLite binds NULL.
                guard let start = text.baseAddress else { return rowan_bind_static_text(statement, index, "", 0) }
                return rowan_bind_text(statement, index, start, count)
            }
        }
    }
}

extension Data {
    @inlinable
    func bindBlob(to statement: SQLiteStatement, at index: CInt) -> CInt {
        guard let count = CInt(exactly: count) else { return SQLITE_TOOBIG }
        guard count > 0 else { return sqlite3_bind_zeroblob(statement, index, 0) }
        return withUnsafeBytes { rowan_bind_blob(statement, index, $0.baseAddress, count) }
    }
}
