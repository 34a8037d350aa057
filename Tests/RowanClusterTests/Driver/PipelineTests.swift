// A session pairs replies with requests, whatever a node replies and whichever replies are read.

import Foundation
import Testing

@testable import Rowan
@testable import RowanCluster

@Suite(.timeLimit(.minutes(2))) struct PipelineTests {
    /// Numbers the results, in the order of the requests.
    private func numberedNode(
        _ special: @escaping @Sendable (Int, UInt8) -> [UInt8]? = { _, _ in nil }
    ) throws
        -> ScriptedNode
    {
        let count = Mutex<UInt64>(0)
        return try ScriptedNode { type in
            let number = count.withLock { count in
                // The requests of the handshake aren't counted.
                if type == 8 || type == 9 { count += 1 }
                return count
            }
            // Two settings are part of the handshake.
            guard number > 2 else { return ScriptedNode.properAnswer(type) }
            if let answer = special(Int(number), type) { return answer }
            switch type {
            case 8: return frame(6, words(number, number))
            case 9: return rowsFrame(["n"], [[.integer(Int64(number))]])
            default: return ScriptedNode.properAnswer(type)
            }
        }
    }

    private func session(_ node: ScriptedNode) throws -> ClusterSession {
        var options = ClusterOptions()
        options.requestTimeout = .seconds(20)
        let directory = NodeDirectory([try NodeAddress(node.address)], options)
        let connection = try directory.connectToLeader(until: .now + .seconds(20))
        return try ClusterSession(connection, database: "app", directory, foreignKeys: true)
    }

    /// Replies that are not read don't move the others.
    @Test func unreadReplies() throws {
        let node = try numberedNode()
        defer { node.stop() }
        let session = try session(node)
        for round in 0..<3 {
            var requests = session.pipeline()
            let first = try requests.execute("a")
            _ = try requests.rows("b")
            try requests.execute("c")
            let last = try requests.rows("d")
            let replies = try session.send(requests)
            let base = Int64(2 + 4 * round)
            #expect(try replies[last] == [[(base + 4).databaseValue]])
            if round > 0 {
                #expect(try replies[first] == RowCounts(lastInsertedRowID: base + 1, changes: Int(base) + 1))
            }
        }
        #expect(!session.isBroken)
    }

    @Test func aRefusalConcernsOneRequest() throws {
        let node = try numberedNode { number, _ in number == 4 ? frame(0, words(1) + text("no such table: t")) : nil }
        defer { node.stop() }
        let session = try session(node)
        var requests = session.pipeline()
        let handles = [try requests.execute("a"), try requests.execute("b"), try requests.execute("c")]
        let replies = try session.send(requests)
        #expect(try replies[handles[0]].changes == 3)
        let refusal = #expect(throws: NodeRefusal.self) { try replies[handles[1]] }
        #expect(refusal == NodeRefusal(code: 1, message: "no such table: t"))
        #expect(try replies[handles[2]].changes == 5)
        #expect(!session.isBroken)
    }

    /// A reply of another type would otherwise be the first of many.
    @Test(arguments: [
        (frame(8, words(0)), "empty"), (frame(4, words(1)), "database"), (rowsFrame(["a"], []), "rows"),
    ])
    func aReplyOfAnotherType(_ answer: [UInt8], _ name: String) throws {
        let node = try numberedNode { number, _ in number == 4 ? answer : nil }
        defer { node.stop() }
        let session = try session(node)
        var requests = session.pipeline()
        try requests.execute("a")
        try requests.execute("b")
        try requests.execute("c")
        let error = #expect(throws: WireError.self) { try session.send(requests) }
        #expect(error == .malformed("it answered with a response of the type \(name)"))
        #expect(session.isBroken)
        // The reason stays the same.
        #expect(throws: try #require(error)) { try session.execute("d") }
    }

    /// A statement without rows where rows are expected.
    @Test func aResultInPlaceOfRows() throws {
        let node = try numberedNode { number, _ in number == 3 ? frame(6, words(0, 0)) : nil }
        defer { node.stop() }
        let session = try session(node)
        #expect(throws: WireError.malformed("it answered with a response of the type result")) {
            try session.rows("SELECT 1")
        }
    }

    /// A node whose first query has rows in three parts.
    private func nodeWithParts() throws -> ScriptedNode {
        let part = rowsFrame(["n"], [[.integer(1)]], isLast: false)
        return try numberedNode { number, type in
            number == 3 && type == 9 ? part + part + rowsFrame(["n"], [[.integer(2)]]) : nil
        }
    }

    private func statement(_ sql: String, columnCount: Int = 1) -> RemoteStatement {
        RemoteStatement(
            number: RemoteStatements.nextNumber(), sql: sql, columnCount: columnCount, isReadonly: columnCount > 0,
            in: RemoteStatements())
    }

    /// Runs a query whose rows may arrive later.
    private func firstParts(_ session: ClusterSession) throws -> [RowsPart] {
        var requests = session.pipeline()
        let rows = try requests.run(statement("SELECT n"), [])
        guard case .rows(let parts) = try session.send(requests)[rows] else { throw Missing() }
        return parts
    }

    /// The rows of a statement may arrive after its first ones. They are not taken.
    @Test func rowsThatNobodyTakes() throws {
        let node = try nodeWithParts()
        defer { node.stop() }
        let session = try session(node)
        #expect(try firstParts(session).count == 1)
        #expect(session.hasAbandonedRows)
        #expect(try session.rows("SELECT 4") == [[4.databaseValue]])
        #expect(!session.hasAbandonedRows)
    }

    /// The rows that an interruption leaves unread don't become the reply to the next query.
    @Test func interruptedRows() throws {
        let node = try nodeWithParts()
        defer { node.stop() }
        let session = try session(node)
        let guardian = SessionGuard(.seconds(60))
        session.guardian = guardian
        let rows = session.rows(try firstParts(session))
        #expect(throws: WireError.cancelled) {
            try guardian.running {
                // The thread waits for nothing at this moment, so that no connection is cancelled.
                guardian.interrupt()
                _ = try session.nextPart()
            }
        }
        rows.close()
        #expect(throws: WireError.cancelled) { try session.rows("SELECT 4") }
        #expect(session.isBroken)
    }

    /// With a request behind them, all rows arrive first.
    @Test func rowsBeforeAnotherRequest() throws {
        let node = try nodeWithParts()
        defer { node.stop() }
        let session = try session(node)
        var requests = session.pipeline()
        let rows = try requests.run(statement("SELECT n"), [])
        let next = try requests.rows("SELECT 4")
        let replies = try session.send(requests)
        guard case .rows(let parts) = try replies[rows] else { throw Missing() }
        #expect(try parts.values().map { $0[0].storage } == [.int64(1), .int64(1), .int64(2)])
        #expect(try replies[next] == [[4.databaseValue]])
    }

    private struct Missing: Error {}

    /// A transaction that could not end would keep its state of the database.
    @Test func aRefusalOfAPostedRequest() throws {
        let node = try numberedNode { number, _ in number == 3 ? frame(0, words(5) + text("busy")) : nil }
        defer { node.stop() }
        let session = try session(node)
        var requests = session.pipeline()
        try requests.execute("COMMIT of a read")
        try session.post(requests)
        #expect(throws: WireError.closed("an earlier request failed: busy")) { try session.rows("SELECT 1") }
        #expect(session.isBroken)
    }

    /// A statement that runs again is compiled; if the node refuses to compile it, its text is sent.
    @Test(arguments: [true, false])
    func compiledStatements(_ compiles: Bool) throws {
        let types = Mutex<[UInt8]>([])
        let node = try numberedNode { number, type in
            types.withLock { $0.append(type) }
            return type == 4 && !compiles ? frame(0, words(1) + text("no")) : nil
        }
        defer { node.stop() }
        let session = try session(node)
        let statement = statement("INSERT", columnCount: 0)
        types.withLock { $0 = [] }
        // The first text makes the node number what follows.
        try session.execute("a")
        for _ in 0..<3 {
            var requests = session.pipeline()
            let reply = try requests.run(statement, [])
            guard case .done = try session.send(requests)[reply] else { throw Missing() }
        }
        #expect(types.withLock { $0 } == (compiles ? [8, 8, 4, 8, 5] : [8, 8, 4, 8, 4, 8]))
    }
}
