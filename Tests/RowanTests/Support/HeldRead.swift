// Reads that stay open, and their pools.

import Testing

@testable import Rowan

/// A read that holds a reader until the gate opens, with the line of its call.
struct HeldRead {
    let line: Int
    let mayEnd = Gate()
    let ended = Gate()

    init(_ pool: DatabasePool, fileID: StaticString = #fileID, line: UInt = #line) async {
        self.line = Int(line)
        let (hasBegun, mayEnd, ended) = (Gate(), mayEnd, ended)
        startThread {
            do {
                try pool.atCallSite(fileID: fileID, line: line).read { db in
                    _ = try db.values()
                    hasBegun.open()
                    mayEnd.wait()
                }
            } catch {
                Issue.record(error)
            }
            ended.open()
        }
        await hasBegun.opened()
    }

    func end() async {
        mayEnd.open()
        await ended.opened()
    }
}

/// Runs the body with a pool and a table that contains the values 1 and 2.
func withPool(
    readers: Int = 1, timeout: Duration? = nil, _ configure: (inout Configuration) -> Void = { _ in },
    _ body: (DatabasePool) async throws -> Void
) async throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = readers
    configuration.readerTimeout = timeout
    configure(&configuration)
    try await withTable(.pool, configuration) { writer in
        let pool = try #require(writer as? DatabasePool)
        try await body(pool)
    }
}
