// The destination of formats. The text is buffered and reaches the destination in chunks.

/// The stream that dumps write to: the standard output, or another stream.
///
/// See ``DumpFormat``.
public struct DumpStream {
    let buffer: TextBuffer
    private var needsMargin = false
    /// The number of trailing columns that only prefetched rows need.
    var hiddenColumnCount = 0
    var progress = DumpProgress()
    private let handler: DumpProgress.Handler?
    /// Called after each statement that inserts rows, once its text has reached the stream.
    var statementHandler: (() throws -> Void)?

    init(_ stream: (any TextOutputStream)?, _ handler: DumpProgress.Handler?) {
        buffer = TextBuffer(stream ?? StandardOutput())
        self.handler = handler
    }

    /// Separates the following text with an empty line: writes `\n` before the next non-empty string.
    public mutating func margin() { needsMargin = true }

    /// The buffer, after the pending margin: for formats that write bytes.
    @inline(__always)
    mutating func text() -> TextBuffer {
        if needsMargin { writeMargin() }
        return buffer
    }

    private mutating func writeMargin() {
        needsMargin = false
        buffer.append(byte: 0x0A)
    }

    /// The number of columns that a dump shows.
    func columnCount(of statement: Statement) -> Int { statement.columnCount - hiddenColumnCount }

    /// The names of the columns that a dump shows.
    func columnNames(of statement: Statement) -> ArraySlice<String> {
        statement.columnNames.prefix(columnCount(of: statement))
    }

    // MARK: Progress

    /// Counts a row. Rows fill chunks, so the text is passed to the stream, and the progress to the program, only here.
    @inline(__always)
    mutating func didWriteRow() throws {
        progress.rowCount &+= 1
        if buffer.isChunkFull { try didFillChunk() }
    }

    private mutating func didFillChunk() throws {
        buffer.flush()
        try report()
    }

    /// Called at the end of a statement that inserts rows.
    func didEndStatement() throws {
        guard let statementHandler else { return }
        buffer.flushAll()
        try statementHandler()
    }

    /// Passes the rest of the text to the stream.
    mutating func finish() throws {
        buffer.flushAll()
        try report()
    }

    private mutating func report() throws {
        guard let handler else { return }
        progress.byteCount = buffer.totalCount
        try handler(progress)
    }
}

extension DumpStream: TextOutputStream {
    /// Appends a string.
    public mutating func write(_ string: String) {
        guard !string.isEmpty else { return }
        text().append(string)
    }
}

private struct StandardOutput: TextOutputStream {
    mutating func write(_ string: String) { print(string, terminator: "") }
}
