// What the rows of a statement decode into: rows, values and records. One protocol, so that the fetch verbs and
// the cursor exist once for the three of them.

/// A type that the rows of a statement decode into: a ``Row``, a value, or a record.
///
/// You don't conform to this protocol: ``DatabaseValueConvertible`` and ``FetchableRecord`` do.
public protocol RowDecodable: SendableMetatype {
    /// The element of a row, valid as long as a cursor stands on the row.
    static func element(of row: Row) throws -> Self

    /// The element of a row, valid forever.
    static func detachedElement(of row: Row) throws -> Self

    /// The element of the first row, or nil for a value that is NULL.
    static func firstElement(of row: Row) throws -> Self?
}

extension RowDecodable {
    @inlinable
    public static func detachedElement(of row: Row) throws -> Self { try element(of: row) }

    @inlinable
    public static func firstElement(of row: Row) throws -> Self? { try detachedElement(of: row) }
}

extension Row: RowDecodable {
    @inlinable
    public static func element(of row: Row) throws -> Row { row }

    public static func detachedElement(of row: Row) throws -> Row { row.copy() }
}
