// Values that SQLite can't store, or that no column should contain: integers above Int64.max, and vectors whose elements
// are not all numbers. `databaseValue` can't throw, so their value is a NaN with a mark: no column contains it, because
// SQLite stores NaN as NULL. Binding it is an error.

extension DatabaseValue {
    /// The value of an integer above the maximum of SQLite's integers.
    @usableFromInline package static var unstorableInteger: DatabaseValue {
        DatabaseValue(storage: .double(Double(bitPattern: Double.unstorableIntegerPattern)))
    }

    /// The value of a vector with an element that is infinite, or not a number.
    package static var unstorableVector: DatabaseValue {
        DatabaseValue(storage: .double(Double(bitPattern: Double.unstorableVectorPattern)))
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
}

extension Double {
    /// A quiet NaN whose payload is the text `uint64`.
    fileprivate static var unstorableIntegerPattern: UInt64 { 0x7FF8_0000_0000_0000 | 0x7569_6E74_3634 }
    /// A quiet NaN whose payload is the text `vector`.
    fileprivate static var unstorableVectorPattern: UInt64 { 0x7FF8_0000_0000_0000 | 0x7665_6374_6F72 }

    /// Whether the number stands for a value that can't be stored.
    @usableFromInline var isUnstorable: Bool {
        bitPattern == Self.unstorableIntegerPattern || bitPattern == Self.unstorableVectorPattern
    }

    /// What binding such a number returns.
    @usableFromInline var unstorableCode: CInt {
        bitPattern == Self.unstorableVectorPattern ? DatabaseValue.unstorableVectorCode : DatabaseValue.unstorableCode
    }
}
