// Values that SQLite can't store, or that no column should contain: integers above Int64.max, vectors whose elements
// are not all numbers, and dates that could not be read back. `databaseValue` can't throw, so their value is a NaN with a
// mark: no column contains it, because SQLite stores NaN as NULL. Binding it is an error.

extension DatabaseValue {
    /// The value of an integer above the maximum of SQLite's integers.
    @usableFromInline package static var unstorableInteger: DatabaseValue { unstorable(code: unstorableCode) }

    /// The value of a vector with an element that is infinite, or not a number.
    package static var unstorableVector: DatabaseValue { unstorable(code: unstorableVectorCode) }

    /// The value of a date that could not be read back from its column.
    package static var unstorableDate: DatabaseValue { unstorable(code: unstorableDateCode) }

    /// The value that binding refuses with a code.
    package static func unstorable(code: CInt) -> DatabaseValue {
        DatabaseValue(storage: .double(Double(bitPattern: Double.unstorablePattern | UInt64(code))))
    }

    /// What binding the value returns, if it can't be stored: see `unstorableCode`.
    package var bindingRefusal: CInt? {
        if case .double(let double) = storage, double.isUnstorable { double.unstorableCode } else { nil }
    }

    /// What binding an integer above the maximum returns: an extended code of SQLITE_MISMATCH, 20, that SQLite does not
    /// use. Unlike SQLITE_MISMATCH itself, it can't be the code of an earlier error of the connection.
    @usableFromInline package static var unstorableCode: CInt { 20 | 0x5200 }

    /// What binding a vector that can't be stored returns.
    package static var unstorableVectorCode: CInt { 20 | 0x5300 }

    /// What binding a date that could not be read back returns.
    package static var unstorableDateCode: CInt { 20 | 0x5400 }
}

extension Double {
    /// A quiet NaN whose payload starts with the text `rown`; a code follows it.
    fileprivate static var unstorablePattern: UInt64 { 0x7FF8_0000_0000_0000 | 0x726F_776E_0000 }

    /// Whether the number stands for a value that can't be stored.
    @usableFromInline var isUnstorable: Bool { bitPattern & ~0xFFFF == Self.unstorablePattern }

    /// What binding such a number returns.
    @usableFromInline var unstorableCode: CInt { CInt(bitPattern & 0xFFFF) }
}
