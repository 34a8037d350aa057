// Rows of text, for programs that don't import a file but read it.

public import Rowan
public import RowanPlatform

/// Reads comma-separated values, row by row. Only one row is in memory.
///
/// ```swift
/// let reader = try CSVReader(url)
/// while let row = try reader.next() {
///     print(row.line, row["name"] ?? "no name")
/// }
/// ```
///
/// To read records, see ``records(of:)``; to insert all rows into a table, see ``/Rowan/Database/importCSV(into:from:format:key:onBadRow:onProgress:)``.
///
/// The format is the one that dumps write: see ``/Rowan/CSVDumpFormat``. Lines end with LF, CR LF or CR, and a byte order mark
/// is skipped. All rows have as many values as there are columns. Lines without any value are skipped, unless there is only one
/// column.
///
/// Article: <doc:ImportingFiles>.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc4180>
public final class CSVReader: Cursor {
    /// The names of the columns: those of the first line or, without a header, `column1`, `column2`...
    public let columnNames: [String]

    @exclusivity(unchecked) var scanner: CSVScanner
    let format: CSVDumpFormat
    let fileName: String?
    /// The indexes of the columns.
    private(set) lazy var indexes = Dictionary(zip(columnNames, columnNames.indices)) { first, _ in first }
    /// Whether the scanner is at the first row, because its values had to be counted.
    private var isAtFirstRow: Bool

    /// Opens a file.
    ///
    /// - Throws: an ``ImportError`` if the file can't be read, or if its first line is malformed; an error with the code
    ///   SQLITE_MISUSE if the separator is not an ASCII character.
    public convenience init(_ url: URL, format: CSVDumpFormat = CSVDumpFormat()) throws {
        try self.init(ImportFile(url.path), format)
    }

    /// Reads bytes in memory.
    ///
    /// - Throws: an ``ImportError`` if the first line is malformed; an error with the code SQLITE_MISUSE if the separator is not
    ///   an ASCII character.
    public convenience init(_ data: Data, format: CSVDumpFormat = CSVDumpFormat()) throws {
        try self.init(ImportData(data, name: nil), format)
    }

    /// Reads what a closure returns.
    ///
    /// ```swift
    /// let reader = try CSVReader(named: "standard input") { buffer in
    ///     read(STDIN_FILENO, buffer.baseAddress, buffer.count)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name of the file in errors.
    ///   - format: the format.
    ///   - body: writes bytes to the buffer, and returns their number; 0 at the end. A negative number, such as the -1 of the
    ///     system's `read`, is an error.
    /// - Throws: the closure's error; an ``ImportError`` if the first line is malformed; an error with the code SQLITE_MISUSE if
    ///   the separator is not an ASCII character.
    public convenience init(
        named name: String? = nil, format: CSVDumpFormat = CSVDumpFormat(),
        _ body: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws {
        try self.init(ImportStream(name, body), format)
    }

    init(_ source: any ImportSource, _ format: CSVDumpFormat, capacity: Int = 1 << 16) throws {
        guard format.separator.isASCII, !["\"", "\r", "\n", "\0"].contains(format.separator) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "CSV that is separated by \(String(format.separator).debugDescription) can't be read: use an "
                    + "ASCII separator, such as a comma or a semicolon")
        }
        scanner = try CSVScanner(source, separator: UInt8(ascii: format.separator), capacity: capacity)
        self.format = format
        fileName = source.name
        guard try scanner.next() else {
            (columnNames, isAtFirstRow) = ([], false)
            return
        }
        isAtFirstRow = !format.header
        if format.header {
            var names: [String] = []
            for (index, field) in scanner.fields.enumerated() {
                guard let name = String(validating: scanner.bytes(field), as: UTF8.self) else {
                    throw ImportError(fileName, line: 1, field: index, Self.notUTF8)
                }
                names.append(name)
            }
            columnNames = names
        } else {
            columnNames = (1...scanner.fields.count).map { "column\($0)" }
        }
    }

    static let notUTF8 = "the text is not valid UTF-8"

    /// The next row, or nil at the end.
    ///
    /// - Throws: an ``ImportError`` for a malformed row, after which the next row can be read; the closure's error.
    public func next() throws -> CSVRow? {
        guard try advance() else { return nil }
        var values: [String?] = []
        values.reserveCapacity(columnNames.count)
        for (index, field) in scanner.fields.enumerated() {
            if isNull(field) {
                values.append(nil)
            } else if let text = String(validating: scanner.bytes(field), as: UTF8.self) {
                values.append(text)
            } else {
                throw error(index, Self.notUTF8)
            }
        }
        return CSVRow(reader: self, line: scanner.line, values: values)
    }

    /// The rows as records.
    ///
    /// ```swift
    /// struct Player: Decodable {
    ///     var name: String
    ///     var score: Int?
    /// }
    /// let players = try CSVReader(url).records(of: Player.self)
    /// while let player = try players.next() { ... }
    /// ```
    ///
    /// Each property has the column of its name; other columns are ignored. Numbers and Booleans (`true`, `false`, `1`, `0`)
    /// are read from their text; data from Base64 or hexadecimal digits, as the format says; dates, UUIDs and others like
    /// those of a database. NULL is nil.
    ///
    /// - Returns: a cursor. It throws the errors of ``next()``, and an ``ImportError`` for a value that isn't one of the
    ///   property's type; the next record can then be read.
    public func records<Record: Decodable>(of type: Record.Type) -> some Cursor<Record> {
        map { try $0.decode(type) }
    }

    // MARK: The current row

    /// Moves to the next row.
    func advance() throws -> Bool {
        repeat {
            if isAtFirstRow {
                isAtFirstRow = false
            } else {
                do { guard try scanner.next() else { return false } } catch let error as ImportError {
                    throw error.naming(columnNames)
                }
            }
        } while columnNames.count > 1 && isBlank
        let (count, expected) = (scanner.fields.count, columnNames.count)
        guard count == expected else {
            throw error(nil, "the row has \(count) \(count == 1 ? "value" : "values") instead of \(expected)")
        }
        return true
    }

    private var isBlank: Bool {
        scanner.fields.count == 1 && scanner.fields[0].count == 0 && !scanner.fields[0].isQuoted
    }

    /// Whether the value is NULL: the format's text for it, without quotes.
    func isNull(_ field: CSVScanner.Field) -> Bool {
        guard !field.isQuoted, field.count == format.nullValue.utf8.count else { return false }
        return field.count == 0 || scanner.bytes(field).elementsEqual(format.nullValue.utf8)
    }
}

extension CSVReader: ImportReader {
    var line: Int { scanner.line }
    var layout: Int { 0 }
    var lineOfNames: Int? { 1 }
    var hasNames: Bool { format.header }
    var allColumnNames: [String] { columnNames }

    func note(in columns: inout [InferredColumn]) {
        for index in columns.indices {
            let field = scanner.fields[index]
            if !isNull(field) { columns[index].note(scanner.bytes(field)) }
        }
    }

    @inline(__always)
    func add(_ index: Int, as column: ImportedColumn, to batch: ImportBatch) throws {
        let field = scanner.fields[index]
        guard !isNull(field) else { return batch.add(.null) }
        let bytes = scanner.bytes(field)
        guard column.kind != .blob else {
            guard let data = format.blobs.data(String(decoding: bytes, as: UTF8.self)) else {
                let name = format.blobs == .base64 ? "Base64" : "hexadecimal"
                throw error(index, "the value of this BLOB is not in \(name)")
            }
            return batch.add(data)
        }
        if column.addNumber(bytes, to: batch) { return }
        guard bytes.isValidUTF8 else { throw error(index, Self.notUTF8) }
        column.addText(bytes, to: batch)
    }
}

/// A row of comma-separated values.
///
/// Article: <doc:ImportingFiles>.
public struct CSVRow {
    let reader: CSVReader
    /// The line on which the row begins; the first one is 1.
    public let line: Int
    /// The values, in the order of the columns. NULL is nil.
    public let values: [String?]

    /// The names of the columns.
    public var columnNames: [String] { reader.columnNames }

    /// The value of a column; nil for NULL, and for a column that doesn't exist.
    public subscript(_ column: String) -> String? {
        reader.indexes[column].flatMap { values[$0] }
    }

    /// The row as a record: see ``CSVReader/records(of:)``.
    ///
    /// - Throws: an ``ImportError`` if a value isn't one of the property's type, or if a column is missing.
    public func decode<Record: Decodable>(_ type: Record.Type) throws -> Record {
        do { return try Record(from: CSVRowDecoder(row: self)) } catch let error as DecodingError {
            throw ImportError(reader.fileName, line: line, error, columnNames)
        }
    }
}
