// Streaming: chunks, progress and ways to stop a dump. Afterwards, the connection is usable.

import Foundation
import Rowan
import Synchronization
import Testing

struct DumpProgressConcurrencyTests {
    /// A table of 20,000 rows, with text of several bytes per character.
    private static func fill(_ writer: any DatabaseWriter) throws {
        try writer.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE big(id INTEGER PRIMARY KEY, name TEXT);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                    INSERT INTO big SELECT i, 'é中👩' || i FROM n
                    """)
        }
    }

    private static let expected = (1...20_000).map { "\($0)|é中👩\($0)\n" }.joined()

    /// The stream receives bounded chunks of whole characters.
    @Test func chunks() throws {
        try withTable(.memoryQueue) { writer throws in
            try Self.fill(writer)
            let sink = TextSink()
            try writer.dumpTables(["big"], to: sink)
            #expect(sink.text == Self.expected)
            #expect(sink.sizes.count > 3)
            #expect(sink.sizes.allSatisfy { $0 <= 1 << 17 })
        }
    }

    /// A value that is larger than the buffer is written in pieces.
    @Test func largeValues() throws {
        try withDatabase { db throws in
            let text = String(repeating: "0123456789é👩", count: 100_000)
            let data = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let sink = TextSink()
            try db.dumpSQL("SELECT 1, \(text), \(data)", format: .quote(), to: sink)
            #expect(
                sink.text
                    == "1,'\(text)',\(data.databaseValue.sqlLiteral.replacing("x'", with: "X'", maxReplacements: 1))\n"
            )
            #expect(sink.sizes.allSatisfy { $0 <= 1 << 17 })
            #expect(
                try dumped { try db.dumpSQL("SELECT \(data) AS d", format: .jsonLines(), to: $0) }
                    == "{\"d\":\"\(data.base64EncodedString())\"}\n")
            // Invalid UTF-8 across the boundary of two chunks.
            let cut = try dumped {
                try db.dumpSQL("SELECT \(Data(repeating: 0xF0, count: 300_000))", format: .list(), to: $0)
            }
            #expect(cut == String(repeating: "\u{FFFD}", count: 300_000) + "\n")
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func progress(kind: ConnectionKind) throws {
        try withTable(kind) { writer throws in
            try Self.fill(writer)
            var reports: [DumpProgress] = []
            let sink = TextSink()
            try writer.dumpTables(["t", "big"], to: sink) { reports.append($0) }
            #expect(reports.count > 3)
            #expect(reports.map(\.byteCount) == reports.map(\.byteCount).sorted())
            #expect(reports.last?.rowCount == 20_002)
            #expect(reports.last?.table == "big")
            #expect(reports.last?.byteCount == sink.text.utf8.count)
            // All other methods report their end.
            for body in Self.verbs {
                reports = []
                let sink = TextSink()
                try body(writer, sink) { reports.append($0) }
                #expect(reports.last?.byteCount == sink.text.utf8.count)
                #expect(reports.last.map { $0.rowCount >= 2 } == true)
            }
        }
    }

    private typealias Verb = @Sendable (any DatabaseReader, TextSink, @escaping DumpProgress.Handler) throws -> Void
    private static let verbs: [Verb] = [
        { try $0.dumpSQL("SELECT * FROM t", to: $1, progress: $2) },
        { try $0.dumpRequest(Table<Row>("t").all(), to: $1, progress: $2) },
        { try $0.dumpTables(["t", "big"], format: .json(), to: $1, progress: $2) },
        { try $0.dumpContent(format: .csv(), to: $1, progress: $2) },
        { try $0.dumpScript(to: $1, progress: $2) },
    ]

    /// An error of the closure stops the dump; the connection is usable.
    @Test(arguments: ConnectionKind.allCases)
    func refusedProgress(kind: ConnectionKind) throws {
        try withTable(kind) { writer throws in
            try Self.fill(writer)
            for body in Self.verbs {
                let sink = TextSink()
                expectRefusal {
                    try body(writer, sink) { _ in throw Refusal() }
                }
                try writer.write { db throws in

                    try db.insert(3)
                    try db.execute(sql: "DELETE FROM t WHERE x = 3")
                }
            }
            try writer.close()
        }
    }

    /// After a rollback during a dump, SQLite continues the statement, and the dump is complete.
    @Test func rollbackDuringADump() throws {
        try withTable(.memoryQueue) { writer throws in
            try Self.fill(writer)
            try writer.writeWithoutTransaction { db throws in
                try db.beginTransaction()
                let sink = TextSink()
                try db.dumpTables(["big"], to: sink) { _ in
                    if db.isInsideTransaction { try db.rollback() }
                }
                #expect(sink.text == Self.expected)
                #expect(!db.isInsideTransaction)
            }
            #expect(try writer.values() == [1, 2])
        }
    }

    /// A stream that opens one gate when it receives text, and waits for another.
    private final class GatedSink: TextOutputStream, Sendable {
        let reached = Gate()
        let open = Gate()
        let count = Mutex(0)

        func write(_ string: String) {
            count.withLock { $0 += string.utf8.count }
            reached.open()
            open.wait()
        }
    }

    /// Cancelling the task stops the dump before its next row.
    @Test(arguments: ConnectionKind.allCases)
    func cancellation(kind: ConnectionKind) async throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try await writer.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        try Self.fill(writer)
        for format in 0..<2 {
            let sink = GatedSink()
            let task = Task {
                try await writer.read { db in
                    if format == 0 { try db.dumpTables(["big"], to: sink) } else { try db.dumpScript(to: sink) }
                }
            }
            await sink.reached.opened()
            task.cancel()
            sink.open.open()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(sink.count.withLock { $0 } < Self.expected.utf8.count)
        }
        try await writer.write { try $0.execute(sql: "DROP TABLE big") }
        try writer.close()
        withExtendedLifetime(folder) {}
    }
}
