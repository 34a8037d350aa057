// The error of a conversion: the value of a column does not have the expected type. The row's values and the arguments
// may be personal data, so the description shows them only if the configuration makes arguments public.

/// The error for a database value that can't be decoded to the expected Swift type.
///
/// ```swift
/// // could not decode Int from database value NULL - column: "score", column index: 1, row: [name:TEXT score:NULL]
/// try row.decode(Int.self, forColumn: "score")
/// ```
///
/// Article: <doc:HandlingErrors>.
public struct RowDecodingError: Error, Sendable, CustomStringConvertible {
    /// A description of the problem, without values: `could not decode Int from a TEXT`.
    public let reason: String
    /// The column, if the error concerns a column.
    public let column: String?
    /// The index of the column in the row.
    public let columnIndex: Int?
    /// The value that could not be decoded.
    public let databaseValue: DatabaseValue?
    /// The record type that was decoded from the row, if any: `Player`.
    public private(set) var record: String?
    /// The first columns of the row, with the start of each value; nil if the error does not concern a row.
    public let row: String?
    /// The SQL of the statement that fetched the row.
    public let sql: String?
    /// The arguments of the statement that fetched the row.
    public let arguments: StatementArguments?

    private let expandedReason: String
    /// The first columns of the row, with the storage class of each value.
    private let rowOutline: String?
    private let publicStatementArguments: Bool

    /// - Parameter expandedReason: the reason including values, if any.
    package init(
        reason: String, expandedReason: String? = nil, column: String? = nil, columnIndex: Int? = nil,
        databaseValue: DatabaseValue? = nil, row: Row? = nil
    ) {
        self.reason = reason
        self.expandedReason = expandedReason ?? reason
        self.column = column
        self.columnIndex = columnIndex
        self.databaseValue = databaseValue
        self.row = row?.errorDescription
        rowOutline = row?.errorOutline
        sql = row?.statement?.sql
        arguments = row?.statement?.arguments
        publicStatementArguments = row?.showsValues ?? false
    }

    /// The error with the type of the record. The record of an association has been named before the one that contains it.
    @usableFromInline @inline(never)
    static func naming(_ record: any Any.Type, _ error: any Error) -> any Error {
        guard var error = error as? Self, error.record == nil else { return error }
        error.record = "\(record)"
        return error
    }

    /// The reason, with the column, the storage classes of the row, and the SQL, where known. The values are shown only
    /// if ``Configuration/publicStatementArguments`` is set on the connection that fetches the row.
    public var description: String {
        publicStatementArguments ? expandedDescription : description(reason, rowOutline, nil)
    }

    /// The description with the value, the row and the arguments, which may be personal data. Long values are truncated.
    ///
    /// ```swift
    /// // could not decode Int from database value NULL - column: "score", column index: 1, row: [name:"Arthur" score:NULL]
    /// print(error.expandedDescription)
    /// ```
    public var expandedDescription: String { description(expandedReason, row, arguments) }

    private func description(_ reason: String, _ row: String?, _ arguments: StatementArguments?) -> String {
        var details: [String] = []
        if let record { details.append("record: \(record)") }
        // The reason names the missing column.
        if let column, columnIndex != nil { details.append("column: \(column.debugDescription)") }
        if let columnIndex { details.append("column index: \(columnIndex)") }
        if let row { details.append("row: \(row)") }
        if let sql { details.append("sql: `\(sql)`") }
        if let arguments { details.append("arguments: \(arguments.errorDescription)") }
        return details.isEmpty ? reason : "\(reason) - \(details.joined(separator: ", "))"
    }
}
