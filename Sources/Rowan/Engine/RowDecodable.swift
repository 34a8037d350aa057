// The types that rows decode into: rows, values and records. Thanks to this protocol, the fetch verbs and the cursor
// exist only once.

/// A type that the rows of a statement decode into: a ``Row``, a value, or a record.
///
/// Your types don't conform to this protocol directly, but through ``DatabaseValueConvertible`` or ``FetchableRecord``.
public protocol RowDecodable: SendableMetatype {
    /// Decodes an element that is valid while its cursor stays on the row.
    static func element(of row: Row) throws -> Self

    /// Decodes an element that stays valid.
    static func detachedElement(of row: Row) throws -> Self

    /// Decodes the first row of a fetch; nil for a value that is NULL.
    static func firstElement(of row: Row) throws -> Self?
}

extension RowDecodable {
    /// Decodes the same element as a cursor.
    @inlinable
    public static func detachedElement(of row: Row) throws -> Self { try element(of: row) }

    /// Decodes a detached element.
    @inlinable
    public static func firstElement(of row: Row) throws -> Self? { try detachedElement(of: row) }
}

extension Row: RowDecodable {
    /// The row itself.
    @inlinable
    public static func element(of row: Row) throws -> Row { row }

    /// A copy of the row.
    public static func detachedElement(of row: Row) throws -> Row { row.copy() }
}
