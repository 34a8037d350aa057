// A node with the table `t` whose statements have the answers that a test wants. It records what it runs.

import Rowan

@testable import RowanCluster

/// A node that records statements, in the order in which it runs them.
final class RecordingNode: Sendable {
    private struct State {
        var log: [String] = []
        var texts: [String] = []
        /// The answers to statements that begin with a text, in order; nil for the usual one.
        var answers: [(prefix: String, answers: [(@Sendable () -> [UInt8])?])] = []
        var tables = ["t", "rowan_client"]
        var version: Int64 = 1
    }

    private let state = Mutex(State())

    /// The statements that have run, and `open` for each new session.
    var log: [String] { state.withLock(\.log) }

    /// The log without settings and the driver's own queries.
    var statements: [String] { log.filter { !$0.hasPrefix("PRAGMA") && !$0.hasPrefix("SELECT") && $0 != "open" } }

    /// Forgets the log.
    func clearLog() { state.withLock { $0.log = [] } }

    /// Answers the next statements that begin with a text.
    ///
    /// - Parameter answers: in their order; nil for the usual answer, which also follows the last one.
    func answer(_ prefix: String, _ answers: (@Sendable () -> [UInt8])?...) {
        state.withLock { $0.answers.append((prefix, answers)) }
    }

    /// Refuses the next statement that begins with a text.
    func refuse(_ prefix: String, _ code: UInt64, _ message: String) {
        answer(prefix, Self.refusal(code, message))
    }

    static func refusal(_ code: UInt64, _ message: String) -> @Sendable () -> [UInt8] {
        { frame(0, words(code) + text(message)) }
    }

    /// Changes the tables, as another client does.
    func setTables(_ tables: [String]) {
        state.withLock { state in
            state.tables = tables
            state.version += 1
        }
    }

    /// The answer to a request.
    func respond(_ request: [UInt8]) -> [UInt8] {
        let text = String(decoding: request.dropFirst(16).prefix { $0 != 0 }, as: UTF8.self)
        switch request[4] {
        case 3:
            state.withLock { $0.log.append("open") }
            return ScriptedNode.properAnswer(3)
        case 4:
            let number = state.withLock { state in
                state.texts.append(text)
                return state.texts.count - 1
            }
            return frame(5, words(UInt64(number) << 32, 0))
        case 5, 6:
            let number = request[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
            return run(state.withLock { $0.texts[number] }, isQuery: request[4] == 6)
        case 8, 9: return run(text, isQuery: request[4] == 9)
        default: return ScriptedNode.properAnswer(request[4])
        }
    }

    private func run(_ sql: String, isQuery: Bool) -> [UInt8] {
        let answer = state.withLock { state -> (@Sendable () -> [UInt8])? in
            state.log.append(sql)
            if sql.hasPrefix("CREATE") { state.version += 1 }
            if sql == TicketTable.creation { state.tables.append(TicketTable.name) }
            guard let index = state.answers.firstIndex(where: { sql.hasPrefix($0.prefix) && !$0.answers.isEmpty })
            else { return nil }
            return state.answers[index].answers.removeFirst()
        }
        if let answer { return answer() }
        guard isQuery else { return frame(6, words(1, 1)) }
        return state.withLock { state in
            if sql == SchemaState.query {
                return rowsFrame(
                    ["type", "name", "tbl_name", "sql"],
                    state.tables.map { [.text("table"), .text($0), .text($0), .text("CREATE TABLE \($0) (a)")] })
            }
            if sql == SessionPipeline.version { return rowsFrame(["n"], [[.integer(state.version)]]) }
            if sql == SessionPipeline.counters { return rowsFrame(["n", "m"], [[.integer(1), .integer(1)]]) }
            return rowsFrame(["a"], [[.integer(sql.contains(TicketTable.name) ? 0 : 1)]])
        }
    }

    /// A client of the node. Nothing waits as long as its timeouts.
    func client() throws -> (ScriptedNode, DatabaseCluster) {
        let scripted = try ScriptedNode(requests: { self.respond($0) })
        var options = ClusterOptions()
        options.requestTimeout = .seconds(60)
        let cluster = try DatabaseCluster(addresses: [scripted.address], database: "app", options: options)
        return (scripted, cluster)
    }
}
