// What the rows of a statement decode into: rows, values and records. One protocol, so that the fetch verbs and the cursor
// exist once for the three of them. The types themselves don't conform to it: a generic type would have to name it in
// each conditional conformance.

/// How the rows of a statement decode: as rows, values or records.
///
/// You don't conform to this protocol. See ``RowCursor``, ``DatabaseValueCursor`` and ``RecordCursor``.
public protocol RowDecoding<Decoded>: SendableMetatype {
    /// What a row decodes into.
    associatedtype Decoded

    /// The element of a row, valid as long as a cursor stands on the row.
    static func element(of row: Row) throws -> Decoded

    /// The element of a row, valid forever.
    static func detachedElement(of row: Row) throws -> Decoded

    /// The element of the first row, or nil for a value that is NULL.
    static func firstElement(of row: Row) throws -> Decoded?
}

extension RowDecoding {
    /// The element of a row: it does not depend on the row.
    @inlinable
    public static func detachedElement(of row: Row) throws -> Decoded { try element(of: row) }

    /// The element of the first row.
    @inlinable
    public static func firstElement(of row: Row) throws -> Decoded? { try detachedElement(of: row) }
}

/// Rows as they are.
public enum RowElements: RowDecoding {
    /// The row itself, which its cursor moves.
    @inlinable
    public static func element(of row: Row) throws -> Row { row }

    /// A copy of the row.
    public static func detachedElement(of row: Row) throws -> Row { row.copy() }
}

/// Values of the leftmost column.
public enum ValueElements<Value: DatabaseValueConvertible>: RowDecoding {
    /// The value of the leftmost column.
    ///
    /// - Throws: ``RowDecodingError`` if the column does not convert.
    @inlinable
    public static func element(of row: Row) throws -> Value {
        if row.count > 0, let value = row.value(Value.self, at: 0) { return value }
        throw row.valueDecodingError(Value.self)
    }

    /// The value of the leftmost column, or nil if it is NULL; `.some(nil)` for an optional type.
    @inlinable
    public static func firstElement(of row: Row) throws -> Value? {
        if row.count > 0 {
            if let value = row.value(Value.self, at: 0) { return value }
            if row.hasNull(atIndex: 0) { return nil }
        }
        throw row.valueDecodingError(Value.self)
    }
}

extension Row {
    @usableFromInline
    func valueDecodingError(_ type: any Any.Type) -> any Error {
        guard count > 0 else {
            return DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the statement has no column to decode \(type) from",
                sql: statement?.sql)
        }
        return decodingError(type, at: 0)
    }
}
