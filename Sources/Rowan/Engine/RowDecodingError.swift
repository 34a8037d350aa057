// The error of a conversion: a column whose value is not of the expected type.

/// A value of the database that does not decode into the expected Swift type.
///
/// ```swift
/// // could not decode Int from database value NULL - column: "score", column index: 1, row: [name:"Arthur", score:NULL]
/// try row.decode(Int.self, forColumn: "score")
/// ```
public struct RowDecodingError: Error, Sendable, CustomStringConvertible {
    /// What went wrong.
    public let reason: String
    /// The column, if the error is about one.
    public let column: String?
    /// Its index in the row.
    public let columnIndex: Int?
    /// The value that did not decode.
    public let databaseValue: DatabaseValue?
    /// The SQL of the statement that fetched the row.
    public let sql: String?

    package init(
        reason: String, column: String? = nil, columnIndex: Int? = nil, databaseValue: DatabaseValue? = nil,
        sql: String? = nil
    ) {
        self.reason = reason
        self.column = column
        self.columnIndex = columnIndex
        self.databaseValue = databaseValue
        self.sql = sql
    }

    public var description: String {
        var details: [String] = []
        if let column { details.append("column: \"\(column)\"") }
        if let columnIndex { details.append("column index: \(columnIndex)") }
        if let sql { details.append("sql: `\(sql)`") }
        return details.isEmpty ? reason : "\(reason) - \(details.joined(separator: ", "))"
    }
}
