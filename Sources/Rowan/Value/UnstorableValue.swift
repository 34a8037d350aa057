// Values that SQLite can't store, or that no column should contain: integers above Int64.max, vectors whose elements
// are not all numbers, and dates that could not be read back. `databaseValue` can't throw, so they are represented by a
// marked NaN, which no column contains because SQLite stores NaN as NULL. Binding it is an error.

extension DatabaseValue {
    /// Stands for an integer above SQLite's maximum.
    @usableFromInline package static var unstorableInteger: DatabaseValue { unstorable(code: unstorableCode) }

    /// Stands for a vector with an element that is infinite or not a number.
    package static var unstorableVector: DatabaseValue { unstorable(code: unstorableVectorCode) }

    /// Stands for a date that could not be read back from its column.
    package static var unstorableDate: DatabaseValue { unstorable(code: unstorableDateCode) }

    /// Stands for date components that could not be read back.
    package static var unstorableComponents: DatabaseValue { unstorable(code: unstorableComponentsCode) }

    /// The value that fails to bind with a code.
    package static func unstorable(code: CInt) -> DatabaseValue {
        DatabaseValue(storage: .double(Double(bitPattern: Double.unstorablePattern | UInt64(code))))
    }

    /// The result code of binding the value if it can't be stored: see `unstorableCode`.
    package var bindingRefusal: CInt? {
        if case .double(let double) = storage, double.isUnstorable { double.unstorableCode } else { nil }
    }

    /// The result code of binding an integer above the maximum: an extended code of SQLITE_MISMATCH, 20, that SQLite
    /// does not use. Unlike SQLITE_MISMATCH itself, it can't be the code of an earlier error on the connection.
    @usableFromInline package static var unstorableCode: CInt { 20 | 0x5200 }

    /// The result code of binding a vector that can't be stored.
    package static var unstorableVectorCode: CInt { 20 | 0x5300 }

    /// The result code of binding a date that could not be read back.
    package static var unstorableDateCode: CInt { 20 | 0x5400 }

    /// The result code of binding date components that could not be read back.
    package static var unstorableComponentsCode: CInt { 20 | 0x5500 }
}

extension Double {
    /// A quiet NaN whose payload starts with the text `rown`, followed by a code.
    fileprivate static var unstorablePattern: UInt64 { 0x7FF8_0000_0000_0000 | 0x726F_776E_0000 }

    /// Whether the number stands for a value that can't be stored.
    @usableFromInline var isUnstorable: Bool { bitPattern & ~0xFFFF == Self.unstorablePattern }

    /// The result code of binding such a number.
    @usableFromInline var unstorableCode: CInt { CInt(bitPattern & 0xFFFF) }
}
