// A node that answers as a real one would, in the memory of this process. It has no rows of its own, but keeps what the
// driver depends on: which transactions are open, the tables, and the version of the schema.

/// The state that the connections to a node share.
final class ProperNode {
    /// A table, as a row of `sqlite_master`.
    private var tables: [String: String] = [:]
    private(set) var version: Int64 = 1
    private var questionCount = 0

    init() {
        for sql in [
            "CREATE TABLE t (a, b)", "CREATE TABLE rowan_client (client, sequence, fence, generation)",
        ] { create(sql) }
    }

    private func create(_ sql: String) {
        // CREATE TABLE IF NOT EXISTS has other words before the name.
        guard let name = sql.split(separator: "(")[0].split(separator: " ").last.map(String.init) else { return }
        if tables.updateValue(sql, forKey: name) == nil { version += 1 }
    }

    private func drop(_ sql: String) {
        guard let name = sql.split(separator: " ").last.map(String.init) else { return }
        if tables.removeValue(forKey: name) != nil { version += 1 }
    }

    /// One connection.
    final class Session {
        private let node: ProperNode
        private let address: String
        private var isInTransaction = false
        private var statements: [String] = []
        private var chain = AnsweredChain()
        /// Whether the last request was for the program, which may want many bytes.
        private(set) var isForProgram = false

        init(_ node: ProperNode, address: String) {
            self.node = node
            self.address = address
        }

        /// The frames that answer a request.
        func answer(_ request: [UInt8]) -> [UInt8] { chain.answer(request, run) }

        private func run(_ request: [UInt8]) -> [UInt8] {
            isForProgram = request[4] == 15
            switch request[4] {
            case 0: return frame(1, words(1) + text(address))
            case 1: return frame(2, words(15_000))
            case 3: return frame(4, words(0))
            case 4:
                statements.append(Self.sql(request))
                return frame(5, words(UInt64(statements.count - 1) << 32, 0))
            case 5, 6:
                let id = request[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
                guard statements.indices.contains(id) else { return frame(0, words(21) + text("no such statement")) }
                return run(statements[id], isQuery: request[4] == 6)
            case 8, 9: return run(Self.sql(request), isQuery: request[4] == 9)
            case 15: return frame(9, words(2) + text("app") + blob([]) + text("app-wal") + blob([]))
            case 16:
                return frame(
                    3, words(3, 1) + text(address) + words(0, 2) + text("b:1") + words(0, 3) + text("c:1") + words(1))
            default: return frame(8, words(0))
            }
        }

        private static func sql(_ request: [UInt8]) -> String {
            String(decoding: request.dropFirst(16).prefix { $0 != 0 }, as: UTF8.self)
        }

        private func run(_ sql: String, isQuery: Bool) -> [UInt8] {
            isForProgram = sql.contains("FROM t ") || sql.contains("RETURNING") || sql.contains("user_version")
            if let refusal = transact(sql) { return frame(0, words(1) + text(refusal)) }
            guard isQuery else {
                if sql.hasPrefix("CREATE") { node.create(sql) }
                if sql.hasPrefix("DROP") { node.drop(sql) }
                return frame(6, words(1, 1))
            }
            if sql.contains("sqlite_master") { return schema() }
            if sql.contains("schema_version") { return rowsFrame(["n"], [[.integer(node.version)]]) }
            if sql.contains("changes()") { return rowsFrame(["n", "m"], [[.integer(1), .integer(1)]]) }
            if sql.contains("count(*)") { return rowsFrame(["n"], [[.integer(0)]]) }
            // The question about a ticket, whose transaction was committed or not.
            if sql.contains("sequence"), sql.contains("?") {
                node.questionCount += 1
                return rowsFrame(["n", "m"], [[.integer(1), node.questionCount % 2 == 0 ? .null : .integer(.max)]])
            }
            if sql.contains("sequence") { return rowsFrame(["n"], [[.integer(1)]]) }
            if sql.hasPrefix("PRAGMA") || sql == "SELECT 1" { return rowsFrame(["n"], [[.integer(1)]]) }
            let isPair = sql.contains("a, b")
            let (names, row) = (
                isPair ? ["a", "b"] : ["a"], [WireValue.integer(7)] + (isPair ? [.text("a text")] : [])
            )
            let part = rowsFrame(names, [row, row])
            return sql.contains("WHERE") ? part : rowsFrame(names, [row, row, row], isLast: false) + part
        }

        /// Begins or ends the transaction.
        ///
        /// - Returns: the message of SQLite if it refuses.
        private func transact(_ sql: String) -> String? {
            switch sql.prefix(while: { $0 != " " }) {
            case "BEGIN":
                if isInTransaction { return "cannot start a transaction within a transaction" }
                isInTransaction = true
            case "COMMIT", "END":
                if !isInTransaction { return "cannot commit - no transaction is active" }
                isInTransaction = false
            case "ROLLBACK" where sql == "ROLLBACK":
                if !isInTransaction { return "cannot rollback - no transaction is active" }
                isInTransaction = false
            default: break
            }
            return nil
        }

        private func schema() -> [UInt8] {
            rowsFrame(
                ["type", "name", "tbl_name", "sql"],
                node.tables.sorted { $0.key < $1.key }.map {
                    [.text("table"), .text($0.key), .text($0.key), .text($0.value)]
                })
        }
    }
}
