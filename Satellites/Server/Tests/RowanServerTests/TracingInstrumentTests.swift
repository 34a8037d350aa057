// Traces of databases.

import InMemoryTracing
import Rowan
import RowanTracing
import Testing
import Tracing

@Suite(.timeLimit(.minutes(2)))
struct TracingInstrumentTests {
    private let tracer = InMemoryTracer()

    private func spans(_ name: String) -> [FinishedInMemorySpan] {
        tracer.finishedSpans.filter { $0.operationName == name }
    }

    @Test("An access is a span of the task, and its statements are child spans", arguments: [false, true])
    func parents(isGrouped: Bool) async throws {
        let instrument = TracingInstrument(tracer: tracer)
        try await withPool(instrument, { $0.groupsAsyncWrites = isGrouped }) { pool in
            tracer.clearFinishedSpans()
            try await tracer.withSpan("request") { _ in
                await Task.yield()
                try await pool.write {
                    try $0.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["secret"])
                }
                _ = try await pool.read { try $0.names() }
            }
            let request = try #require(spans("request").first)
            let write = try #require(spans("write players").first)
            let read = try #require(spans("read players").first)
            for access in [write, read] {
                #expect(access.parentSpanID == request.spanID)
                #expect(access.traceID == request.traceID)
                #expect(access.kind == .client)
            }
            let insert = try #require(spans("INSERT player").first)
            #expect(insert.parentSpanID == write.spanID)
            let select = try #require(spans("SELECT player").first)
            #expect(select.parentSpanID == read.spanID)
            #expect(select.attributes["db.system.name"]?.text == "sqlite")
            #expect(select.attributes["db.namespace"]?.text == "players")
            #expect(select.attributes["db.query.text"]?.text == "SELECT name FROM player ORDER BY id")
            #expect(select.attributes["db.query.summary"]?.text == "SELECT player")
            #expect(select.attributes["db.operation.name"]?.text == "SELECT")
            #expect(select.attributes["db.collection.name"]?.text == "player")
            #expect(insert.attributes["db.query.text"]?.text == "INSERT INTO player (name) VALUES (?)")
            #expect(select.startInstant.nanosecondsSinceEpoch < select.endInstant.nanosecondsSinceEpoch)
            #expect(tracer.activeSpans.isEmpty)
            #expect(write.events.map(\.name).contains("transaction committed"))
        }
    }

    @Test("Accesses on threads and accesses with callbacks have the span of their caller")
    func callers() async throws {
        try await withPool(TracingInstrument(tracer: tracer)) { pool in
            tracer.clearFinishedSpans()
            try tracer.withSpan("synchronous") { _ in
                _ = try pool.unsafeRead { try $0.names() }
                pool.asyncWrite({ try $0.execute(sql: "DELETE FROM player") }) { _, _ in }
            }
            await eventually { spans("write players").count == 1 }
            let parent = try #require(spans("synchronous").first)
            #expect(spans("read players").map(\.parentSpanID) == [parent.spanID])
            #expect(spans("write players").map(\.parentSpanID) == [parent.spanID])
        }
    }

    @Test("Errors")
    func errors() async throws {
        try await withPool(TracingInstrument(tracer: tracer)) { pool in
            tracer.clearFinishedSpans()
            await #expect(throws: DatabaseError.self) {
                try await pool.write {
                    try $0.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
                }
            }
            for name in ["INSERT player", "write players"] {
                let span = try #require(spans(name).first)
                #expect(span.status?.code == .error)
                #expect(span.errors.count == 1)
                #expect(span.attributes["error.type"]?.text == "2067")
                #expect("\(span)".contains("Arthur") == false)
            }
            try pool.close()
            await #expect(throws: DatabaseError.self) { try await pool.read { _ in } }
            #expect(spans("read players").first?.status?.code == .error)
            #expect(tracer.activeSpans.isEmpty)
        }
    }

    @Test("Statements as events or not at all")
    func events() async throws {
        try await withPool(TracingInstrument(tracer: tracer, statements: .events)) { pool in
            tracer.clearFinishedSpans()
            _ = try await pool.read { try $0.names() }
            let read = try #require(spans("read players").first)
            #expect(read.events.map(\.name).contains("SELECT player"))
            #expect(tracer.finishedSpans.count == 1)
        }
        tracer.clearFinishedSpans()
        try await withPool(TracingInstrument(tracer: tracer, statements: .none)) { pool in
            tracer.clearFinishedSpans()
            _ = try await pool.read { try $0.names() }
            #expect(tracer.finishedSpans.map(\.operationName) == ["read players"])
            #expect(tracer.finishedSpans.first?.events.map(\.name) == ["connection acquired"])
        }
    }

    @Test("No spans without a tracer")
    func noTracer() throws {
        let queue = try DatabaseQueue(
            configuration: {
                var configuration = Configuration()
                configuration.instruments = [TracingInstrument(tracer: nil)]
                return configuration
            }())
        try queue.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        #expect(tracer.finishedSpans.isEmpty)
    }
}

extension SpanAttributeConvertible {
    fileprivate var text: String? {
        if case .string(let text) = toSpanAttribute() { text } else { nil }
    }
}
