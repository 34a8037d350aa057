// Results of any size.

import Dispatch
import Hummingbird
import Rowan
import Synchronization

/// A text that one thread writes and a response reads, in pieces. The writer waits for a slow client.
final class TextPipe: TextOutputStream, Sendable {
    private static let pieceSize = 1 << 16
    private static let pieceCount = 4

    private let buffer = Mutex("")
    private let free = DispatchSemaphore(value: 0)
    private let isCancelled = Mutex(false)
    private let continuation: AsyncStream<String>.Continuation
    let pieces: AsyncStream<String>

    init() {
        (pieces, continuation) = AsyncStream.makeStream(of: String.self)
        for _ in 0..<Self.pieceCount { free.signal() }
    }

    func write(_ string: String) {
        let piece = buffer.withLock { buffer -> String? in
            buffer += string
            guard buffer.utf8.count >= Self.pieceSize else { return nil }
            defer { buffer = "" }
            return buffer
        }
        if let piece { send(piece) }
    }

    private func send(_ piece: String) {
        guard !isCancelled.withLock(\.self) else { return }
        free.wait()
        continuation.yield(piece)
    }

    /// Sends the rest.
    func finish() {
        let rest = buffer.withLock(\.self)
        if !rest.isEmpty { send(rest) }
        continuation.finish()
    }

    /// Writes all pieces to a response.
    ///
    /// - Parameter first: the piece that was read to see whether there is one.
    func write(first: String?, to writer: inout any ResponseBodyWriter) async throws {
        var pieces = pieces.makeAsyncIterator()
        var piece = first
        while let text = piece {
            try await writer.write(ByteBuffer(string: text))
            free.signal()
            piece = await pieces.next()
        }
        try Task.checkCancellation()
    }

    /// The writer doesn't wait any more.
    func cancel() {
        isCancelled.withLock { $0 = true }
        for _ in 0..<Self.pieceCount { free.signal() }
        continuation.finish()
    }
}

/// A result as a file: CSV or JSON.
struct Download: Sendable {
    enum Format: String { case csv, json }

    let format: Format
    let name: String
    let sql: SQL
    let text: InspectedFile.Text

    /// Starts the response when the first rows have been read, so that an error has a page.
    func response(_ file: InspectedFile, _ request: Request) async throws -> Response {
        let reading = Reading(file, self)
        var pieces = reading.pipe.pieces.makeAsyncIterator()
        let first = await pieces.next()
        if first == nil { try await reading.end() }
        let plainName = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
        let fileName = "\(Address.encoded(name)).\(format.rawValue)"
        return Response(
            status: .ok,
            headers: [
                .contentType: format == .csv ? "text/csv; charset=utf-8" : "application/json",
                .contentDisposition:
                    "attachment; filename=\"\(plainName).\(format.rawValue)\"; filename*=UTF-8''\(fileName)",
            ],
            body: ResponseBody { writer in
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await reading.pipe.write(first: first, to: &writer)
                }
                // A file that ends early must not look complete: the connection is closed without an end.
                try await reading.end()
                try await writer.finish(nil)
            })
    }

    /// The statement, which is interrupted when the response ends, or when it never begins.
    private final class Reading: Sendable {
        let pipe = TextPipe()
        let task: Task<Void, any Error>

        init(_ file: InspectedFile, _ download: Download) {
            task = Task { [pipe] in
                defer { pipe.finish() }
                try await file.readAlone(download.text, isWhole: true) { db in
                    let sql = download.sql
                    // One statement, as on the page.
                    if download.text == .query { _ = try db.makeStatement(literal: sql) }
                    switch download.format {
                    case .csv: try db.dumpSQL(sql, format: .csv(header: true), to: pipe)
                    case .json: try db.dumpSQL(sql, format: .json(), to: pipe)
                    }
                }
            }
        }

        deinit { cancel() }

        private func cancel() {
            task.cancel()
            pipe.cancel()
        }

        /// Waits for the end of the statement, unless the server ends.
        func end() async throws {
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                cancel()
            }
        }
    }
}
