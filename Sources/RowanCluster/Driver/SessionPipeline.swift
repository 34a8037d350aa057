// Requests of a session by the text of their statements. Those that the leader has compiled are sent by their number.

import Rowan

/// The statements that a leader has compiled for a session.
final class CompiledStatements {
    /// Those of the driver, by their text.
    var own: [String: UInt32] = [:]
    /// Those of the program, by their local number. Those that have run only once are not compiled.
    var program: [Int: UInt32?] = [:]

    /// The leader does not keep statements beyond this number.
    static let maximumCount = 512
}

/// Requests to a session that are sent together.
struct SessionPipeline {
    private(set) var pipeline: Pipeline
    private let database: UInt32
    private let compiled: CompiledStatements

    init(_ database: UInt32, _ compiled: CompiledStatements, _ pipeline: Pipeline = Pipeline()) {
        self.database = database
        self.compiled = compiled
        self.pipeline = pipeline
    }

    /// Requests of which none runs after one has failed: see ``Pipeline/chain(turn:_:)``.
    mutating func chain<T>(
        turn: Duration? = nil, _ body: (inout SessionPipeline) throws -> T
    ) throws -> (Pipeline.Handle<Void>, T) {
        let (database, compiled) = (database, compiled)
        return try pipeline.chain(turn: turn) { pipeline in
            var requests = SessionPipeline(database, compiled, pipeline)
            defer { pipeline = requests.pipeline }
            return try body(&requests)
        }
    }

    private func text(_ sql: String) -> Pipeline.Text { compiled.own[sql].map { .compiled($0) } ?? .sql(sql) }

    /// Has the leader compile a statement of the driver.
    mutating func compile(_ sql: String) throws {
        let compiled = compiled
        try pipeline.prepare(database, sql) { compiled.own[sql] = $0 }
    }

    /// Runs a statement of the driver that returns no rows.
    @discardableResult
    mutating func execute(_ sql: String, _ values: [DatabaseValue] = []) throws -> Pipeline.Handle<RowCounts> {
        try pipeline.exec(database, text(sql), values)
    }

    /// Runs a statement of the driver that returns few rows.
    mutating func rows(
        _ sql: String, _ values: [DatabaseValue] = [], maximumBytes: Int = Pipeline.smallReply
    ) throws -> Pipeline.Handle<[[DatabaseValue]]> {
        try pipeline.query(database, text(sql), values, maximumBytes: maximumBytes).map { try $0.values() }
    }

    /// The integers of the only row of a statement of the driver.
    ///
    /// - Parameter meaning: what they are, for the error.
    mutating func integers(
        _ sql: String, count: Int, _ meaning: String
    ) throws -> Pipeline.Handle<[Int64]> {
        // A value takes more memory than its bytes.
        try rows(sql, maximumBytes: 1 << 16).map { rows in
            let integers = rows.first?.compactMap { if case .int64(let integer) = $0.storage { integer } else { nil } }
            guard rows.count == 1, let integers, integers.count == count else {
                throw WireError.malformed("it did not report \(meaning)")
            }
            return integers
        }
    }

    static let version = "PRAGMA schema_version"
    static let counters = "SELECT last_insert_rowid(), changes()"

    /// The version of the schema.
    mutating func version() throws -> Pipeline.Handle<Int64> {
        try integers(Self.version, count: 1, "the version of the schema").map { $0[0] }
    }

    /// The counters of the connection.
    mutating func counters() throws -> Pipeline.Handle<RowCounts> {
        try integers(Self.counters, count: 2, "the counters of the connection").map {
            RowCounts(lastInsertedRowID: $0[0], changes: Int(truncatingIfNeeded: $0[1]))
        }
    }

    /// Runs a statement of the program: by its text at first; a statement that runs again is compiled.
    ///
    /// - Parameter isComplete: whether all rows arrive with the reply.
    mutating func run(
        _ statement: RemoteStatement, _ values: [DatabaseValue], isComplete: Bool = false
    ) throws -> Pipeline.Handle<StatementReply> {
        let text = try text(of: statement)
        guard statement.columnCount > 0 else {
            return try pipeline.exec(database, text, values).map { StatementReply.done($0) }
        }
        return try pipeline.query(database, text, values, isStream: !isComplete).map { StatementReply.rows($0) }
    }

    private mutating func text(of statement: RemoteStatement) throws -> Pipeline.Text {
        if let id = compiled.program[statement.number] ?? nil { return .compiled(id) }
        let isKnown = compiled.program.updateValue(nil, forKey: statement.number) != nil
        if isKnown, compiled.program.count < CompiledStatements.maximumCount {
            let (compiled, number) = (compiled, statement.number)
            // If the leader rejects it, it also refuses to run it.
            try pipeline.prepare(database, statement.sql) { compiled.program[number] = $0 }
        }
        return .sql(statement.sql)
    }

    /// Releases statements of the program.
    mutating func forget(_ numbers: some Sequence<Int>) {
        for number in numbers {
            guard let known = compiled.program.removeValue(forKey: number), let id = known else { continue }
            pipeline.finalize(database, id)
        }
    }
}

/// The reply to a statement of the program.
enum StatementReply {
    case done(RowCounts)
    /// The first rows, or all of them.
    case rows([RowsPart])
}
