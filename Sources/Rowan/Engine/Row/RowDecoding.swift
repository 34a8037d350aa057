// Decoding of a statement's rows to rows, values or records. Because of this protocol, the fetch methods and the cursor
// need only one implementation. The decoded types don't conform to it, because a generic type would have to name it in
// each conditional conformance.

/// A way to decode the rows of a statement: as rows, values or records.
///
/// You don't conform to this protocol yourself. See ``RowCursor``, ``DatabaseValueCursor`` and ``RecordCursor``.
public protocol RowDecoding<Decoded>: SendableMetatype {
    /// The type that a row decodes to.
    associatedtype Decoded

    /// Decodes an element that is valid while its cursor stays on the row.
    static func element(of row: Row) throws -> Decoded

    /// Decodes an element that remains valid.
    static func detachedElement(of row: Row) throws -> Decoded

    /// Decodes the first row of a fetch; nil if the value is NULL.
    static func firstElement(of row: Row) throws -> Decoded?
}

extension RowDecoding {
    /// An element that does not depend on the row.
    @inlinable
    public static func detachedElement(of row: Row) throws -> Decoded { try element(of: row) }

    /// A detached element.
    @inlinable
    public static func firstElement(of row: Row) throws -> Decoded? { try detachedElement(of: row) }
}

/// Decodes rows to themselves.
public enum RowElements: RowDecoding {
    /// The row itself, moved by its cursor.
    @inlinable
    public static func element(of row: Row) throws -> Row { row }

    /// A copy of the row.
    public static func detachedElement(of row: Row) throws -> Row { row.copy() }
}

/// Values of the leftmost column.
public enum ValueElements<Value: DatabaseValueConvertible>: RowDecoding {
    /// The value of the leftmost column.
    ///
    /// - Throws: ``RowDecodingError`` if the column can't be converted.
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
