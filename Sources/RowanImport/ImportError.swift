/// An error in a file with rows.
///
/// ```swift
/// do { try db.importCSV(into: "player", from: url) } catch let error as ImportError {
///     print(error)  // players.csv, line 3: the row has 1 value instead of 2
/// }
/// ```
///
/// Article: <doc:ImportingFiles>.
public struct ImportError: Error, Hashable, Sendable {
    /// The file; nil for data.
    public let file: String?
    /// The line on which the row begins, or, for a quoted value without an end, on which the value begins. The first one is
    /// 1. It is nil if the text can't be read.
    public let line: Int?
    /// The column: its name or, if the columns have no names yet, its number, starting with 1. It is nil for an error of the
    /// whole row.
    public internal(set) var column: String?
    /// What is wrong.
    public let message: String
    /// The index of the column.
    let field: Int?

    init(_ file: String?, line: Int?, field: Int?, _ message: String) {
        self.file = file
        self.line = line
        self.message = message
        self.field = field
        column = field.map { String($0 + 1) }
    }

    /// The error with the name of its column.
    func naming(_ columns: [String]) -> ImportError {
        guard let field, columns.indices.contains(field), !columns[field].isEmpty else { return self }
        var error = self
        error.column = columns[field]
        return error
    }
}

extension ImportError: CustomStringConvertible {
    /// The file, the line, the column and the message.
    public var description: String {
        let parts = [file, line.map { "line \($0)" }, column.map { "column \($0)" }].compactMap(\.self)
        return parts.isEmpty ? message : "\(parts.joined(separator: ", ")): \(message)"
    }
}
