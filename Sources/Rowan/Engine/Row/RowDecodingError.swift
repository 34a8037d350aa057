// The error of a conversion: the value of a column does not have the expected type.

/// The error of a database value that does not decode to the expected Swift type.
///
/// ```swift
/// // could not decode Int from database value NULL - column: "score", column index: 1, row: [name:"Arthur" score:NULL]
/// try row.decode(Int.self, forColumn: "score")
/// ```
///
/// Article: <doc:HandlingErrors>.
public struct RowDecodingError: Error, Sendable, CustomStringConvertible {
    /// A description of the problem.
    public let reason: String
    /// The column, if the error concerns a column.
    public let column: String?
    /// The index of the column in the row.
    public let columnIndex: Int?
    /// The value that did not decode.
    public let databaseValue: DatabaseValue?
    /// The first columns of the row, with the start of each value; nil if the error does not concern a row.
    public let row: String?
    /// The SQL of the statement that fetched the row.
    public let sql: String?
    /// The arguments of the statement that fetched the row.
    public let arguments: StatementArguments?

    package init(
        reason: String, column: String? = nil, columnIndex: Int? = nil, databaseValue: DatabaseValue? = nil,
        row: Row? = nil
    ) {
        self.reason = reason
        self.column = column
        self.columnIndex = columnIndex
        self.databaseValue = databaseValue
        self.row = row?.errorDescription
        sql = row?.statement?.sql
        arguments = row?.statement?.arguments
    }

    /// The reason, with the column, the row, the SQL and the arguments if they are known. Long values are truncated.
    ///
    /// The row and the arguments may be personal data.
    public var description: String {
        var details: [String] = []
        // The reason names a missing column.
        if let column, columnIndex != nil { details.append("column: \(column.debugDescription)") }
        if let columnIndex { details.append("column index: \(columnIndex)") }
        if let row { details.append("row: \(row)") }
        if let sql { details.append("sql: `\(sql)`") }
        if let arguments { details.append("arguments: \(arguments.errorDescription)") }
        return details.isEmpty ? reason : "\(reason) - \(details.joined(separator: ", "))"
    }
}
