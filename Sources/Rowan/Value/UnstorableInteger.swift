// Integers above Int64.max, which SQLite can't store. `databaseValue` can't throw, so their value is a NaN with a mark:
// no column contains it, because SQLite stores NaN as NULL. Binding it is an error.

extension DatabaseValue {
    /// The value of an integer above the maximum of SQLite's integers.
    @usableFromInline package static var unstorableInteger: DatabaseValue {
        DatabaseValue(storage: .double(Double(bitPattern: Double.unstorableIntegerPattern)))
    }

    /// Whether SQLite can't store the value.
    package var isUnstorable: Bool { if case .double(let double) = storage { double.isUnstorable } else { false } }

    /// What binding an integer above the maximum returns: an extended code of SQLITE_MISMATCH, 20, that SQLite does not
    /// use. Unlike SQLITE_MISMATCH itself, it can't be the code of an earlier error of the connection.
    @usableFromInline package static var unstorableCode: CInt { 20 | 0x5200 }
}

extension Double {
    /// A quiet NaN whose payload is the text `uint64`.
    fileprivate static var unstorableIntegerPattern: UInt64 { 0x7FF8_0000_0000_0000 | 0x7569_6E74_3634 }

    /// Whether the number stands for an integer above the maximum of SQLite's integers.
    @usableFromInline var isUnstorable: Bool { bitPattern == Self.unstorableIntegerPattern }
}
