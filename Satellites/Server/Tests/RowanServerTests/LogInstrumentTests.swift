// Logs of databases.

import InMemoryLogging
import Logging
import Rowan
import RowanLogging
import Testing

@Suite(.timeLimit(.minutes(2)))
struct LogInstrumentTests {
    private let handler: InMemoryLogHandler
    private let logger: Logger

    init() {
        var handler = InMemoryLogHandler()
        handler.logLevel = .trace
        self.handler = handler
        logger = Logger(label: "test") { [handler] _ in handler }
    }

    private func messages(_ level: Logger.Level) -> [String] {
        handler.entries.filter { $0.level == level }.map { "\($0.message)" }
    }

    @Test("One line on opening, and a warning about the running SQLite")
    func opening() async throws {
        try await withPool(LogInstrument(logger)) { pool in
            let version = try await pool.read { try String.fetchOne($0, sql: "SELECT sqlite_version()") } ?? ""
            #expect(messages(.info) == ["the pool is open: \(pool.path) (SQLite \(version), journal mode wal)"])
            let warnings = messages(.warning)
            #expect(warnings.count == (Database.hasWALResetBug ? 1 : 0))
            #expect(warnings.allSatisfy { $0.hasPrefix("SQLite \(version) has the WAL-reset bug: ") })
            // Another connection, logged once.
            let other = try DatabaseQueue(path: pool.path)
            for name in ["Craig", "David"] {
                try await other.write { try $0.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name]) }
                try await pool.write { try $0.execute(sql: "DELETE FROM player WHERE name = ?", arguments: [name]) }
            }
            let notices = handler.entries.filter { "\($0.message)".hasPrefix("another connection writes the database") }
            #expect(notices.map(\.level) == [Database.hasWALResetBug ? .warning : .info])
        }
    }

    @Test("Slow statements, without arguments unless they are public", arguments: [false, true])
    func slowStatements(isPublic: Bool) async throws {
        var options = LogInstrument.Options()
        options.slowStatementDuration = .zero
        options.slowStatements = .error
        try await withPool(LogInstrument(logger, options: options), { $0.publicStatementArguments = isPublic }) {
            pool in
            _ = try await pool.atCallSite(fileID: "App/Store.swift", line: 7).read { db in
                try Row.fetchAll(db, sql: "SELECT * FROM player WHERE name <> ?", arguments: ["secret"]).count
            }
            let entry = try #require(
                handler.entries.last { $0.metadata["db.operation.name"] == "SELECT" && $0.level == .error })
            #expect("\(entry.message)".hasPrefix("a statement has taken "))
            let shown = isPublic ? "'secret'" : "?"
            #expect("\(entry.message)".hasSuffix(" milliseconds: SELECT * FROM player WHERE name <> \(shown)"))
            #expect(entry.metadata["db.query.text"] == "SELECT * FROM player WHERE name <> ?")
            #expect(entry.metadata["db.collection.name"] == "player")
            #expect(entry.metadata["db.response.returned_rows"] == "2")
            #expect(entry.metadata["db.system.name"] == "sqlite")
            #expect(entry.metadata["db.namespace"] == "players")
            #expect(entry.metadata["rowan.call_site"] == "App/Store.swift:7")
            let leaks = handler.entries.filter { "\($0)".contains("secret") }
            #expect(leaks.isEmpty == !isPublic)
        }
    }

    @Test("Errors of statements and of accesses without a connection")
    func errors() async throws {
        try await withPool(LogInstrument(logger), { $0.readerTimeout = .milliseconds(1) }) { pool in
            await #expect(throws: DatabaseError.self) {
                try await pool.write {
                    try $0.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
                }
            }
            let message = "a statement has failed: SQLite error 19: UNIQUE constraint failed: player.name"
            #expect(messages(.warning).contains { $0.hasPrefix(message) && !$0.contains("Arthur") })
            try pool.close()
            await #expect(throws: DatabaseError.self) { try await pool.read { try $0.names() } }
            #expect(messages(.warning).last?.hasPrefix("an access has not got a connection: SQLite error 21") == true)
        }
    }

    @Test("Repeated queries in an access")
    func repeatedQueries() async throws {
        var options = LogInstrument.Options()
        options.repeatedQueryCount = 3
        try await withPool(LogInstrument(logger, options: options)) { pool in
            try await pool.read { db in
                for id in 1...3 { _ = try Row.fetchOne(db, sql: "SELECT * FROM player WHERE id = ?", arguments: [id]) }
                for _ in 1...2 { _ = try db.names() }
            }
            // An endless access with different queries does not store all of them.
            try await pool.read { db in
                for number in 0..<1_500 { _ = try Int.fetchOne(db, sql: "SELECT \(number)") }
                for _ in 0..<5 { _ = try Int.fetchOne(db, sql: "SELECT 1499") }
            }
            let entry = try #require(handler.entries.last { $0.level == .notice })
            let query = "SELECT * FROM player WHERE id = ?"
            #expect("\(entry.message)".hasPrefix("an access has run a query 3 times: \(query). "))
            #expect(messages(.notice).count == 1)
            #expect(entry.metadata["rowan.query.count"] == "3")
        }
    }

    @Test("Long reads and checkpoints")
    func longReadsAndCheckpoints() async throws {
        var options = LogInstrument.Options()
        options.longReadDuration = .zero
        try await withPool(LogInstrument(logger, options: options)) { pool in
            let snapshot = try pool.makeSnapshot()
            try await pool.write { try $0.execute(sql: "DELETE FROM player") }
            await eventually { messages(.warning).contains { $0.hasPrefix("the write-ahead log, which has ") } }
            _ = try await pool.writeWithoutTransaction { try $0.checkpoint() }
            #expect(
                messages(.debug).contains { $0.hasPrefix("checkpoint (passive): ") && $0.hasSuffix("pages are copied") }
            )
            withExtendedLifetime(snapshot) {}
        }
    }

    @Test("A disabled logger has no cost")
    func ignoredLevels() throws {
        var quiet = logger
        quiet.logLevel = .critical
        let instrument = LogInstrument(quiet)
        #expect(instrument.longReadAge == nil)
        let recorder = AccessRecorder(instrument)
        let queue = try DatabaseQueue(configuration: recorder.configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE t(x)") }
        #expect(recorder.listens.elements == [false])
        #expect(handler.entries.isEmpty)
    }
}

/// Records whether another instrument receives events of accesses.
private struct AccessRecorder: DatabaseInstrument {
    let base: any DatabaseInstrument
    let listens = Elements<Bool>()

    init(_ base: any DatabaseInstrument) { self.base = base }

    var configuration: Configuration {
        var configuration = Configuration()
        configuration.instruments = [self]
        return configuration
    }

    func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)? {
        let listener = base.willAccess(access)
        listens.append(listener != nil)
        return listener
    }
}
