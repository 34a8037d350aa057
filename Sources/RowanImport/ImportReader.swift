// What an import needs of a format.

import Rowan

/// The rows of a file.
protocol ImportReader: AnyObject {
    /// The name of the file in errors.
    var fileName: String? { get }
    /// The line that names the columns of all rows; nil if each row names its columns.
    var lineOfNames: Int? { get }
    /// Whether columns have names.
    var hasNames: Bool { get }
    /// The columns of all rows so far.
    var allColumnNames: [String] { get }

    /// The columns of the current row, in the order of its values.
    var columnNames: [String] { get }
    /// A number that rows with the same columns share.
    var layout: Int { get }
    /// The line on which the current row begins.
    var line: Int { get }

    /// Moves to the next row.
    ///
    /// - Throws: an ``ImportError`` with a line for a malformed row, after which the next one can be read.
    func advance() throws -> Bool

    /// Takes note of the values of the current row, in the columns of all rows.
    func note(in columns: inout [InferredColumn])

    /// Adds a value of the current row to a batch.
    func add(_ index: Int, as column: ImportedColumn, to batch: ImportBatch) throws
}

extension ImportReader {
    /// An error of the current row.
    ///
    /// - Parameter index: the index of the value.
    func error(_ index: Int?, _ message: String) -> ImportError {
        ImportError(fileName, line: line, field: index, message).naming(columnNames)
    }
}
