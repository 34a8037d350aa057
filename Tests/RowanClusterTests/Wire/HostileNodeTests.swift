// A node that answers with well-formed responses to other requests, behind the handshake: the client throws, and never
// traps or grows.

import Foundation
import Testing

@testable import Rowan
@testable import RowanCluster

@Suite(.timeLimit(.minutes(2))) struct HostileNodeTests {
    /// The error of opening a client and using it.
    private func error(_ answer: @escaping @Sendable (UInt8) -> [UInt8]) -> DatabaseError? {
        #expect(throws: DatabaseError.self) {
            let cluster = try DatabaseCluster(
                addresses: ["127.0.0.1:9001"], database: "app", options: AnsweringPeer.options(answer))
            _ = try cluster.read { try Int.fetchAll($0, sql: "SELECT 1") }
            try cluster.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        }
    }

    @Test(arguments: [1, 3])
    func theSchemaHasOtherColumns(_ count: Int) {
        let row: [WireValue] = Array(repeating: .text("table"), count: count)
        let rows = rowsFrame(row.indices.map { "c\($0)" }, [row])
        // The versions of the schema are queries of compiled statements.
        let error = error { $0 == 9 ? rows : ScriptedNode.properAnswer($0) }
        #expect(error?.message?.contains("the schema has \(count) columns") == true, "\(error as Any)")
        #expect(error?.isLeaderChange == true)
    }

    /// Parts without an end, with and without rows: the client stops reading.
    @Test(arguments: [1 << 14, 0])
    func endlessRows(_ size: Int) {
        let part = rowsFrame(["a"], size == 0 ? [] : [[.blob(Array(repeating: 7, count: size))]], isLast: false)
        let parts = Array(repeating: part, count: size == 0 ? 1_000 : 20).flatMap(\.self) + rowsFrame(["a"], [])
        let error = error { $0 == 6 ? parts : ScriptedNode.properAnswer($0) }
        #expect(error?.message?.contains("bytes for a small result") == true, "\(error as Any)")
    }

    /// Each part is in time, but all of them must be: the program reads none of them.
    @Test(arguments: [false, true]) func partsWithoutEnd(_ isLate: Bool) throws {
        let part = rowsFrame(["a"], [[.integer(1)]], isLast: false)
        let parts = part + part + rowsFrame(["a"], [[.integer(1)]])
        let count = Mutex(0)
        var options = AnsweringPeer.options { type in
            type == 9
                && count.withLock {
                    $0 += 1; return $0 == 1
                } ? parts : ScriptedNode.properAnswer(type)
        }
        // It has answered nevertheless, when the client looks for the answer.
        options.requestTimeout = .zero
        let directory = NodeDirectory([try NodeAddress("127.0.0.1:9001")], options)
        let session = try ClusterSession(
            directory.connectToLeader(until: .now), database: "app", directory, foreignKeys: true)
        if isLate {
            let statement = RemoteStatement(
                number: RemoteStatements.nextNumber(), sql: "SELECT a", columnCount: 1, isReadonly: true,
                in: RemoteStatements())
            var requests = session.pipeline()
            _ = try requests.run(statement, [])
            _ = try session.send(requests)
        }
        #expect(throws: WireError.timedOut) { try session.rows("SELECT a") }
    }

    /// A frame whose size is that of no such answer: it is rejected before it arrives.
    @Test func aLargeFrame() {
        let error = error { $0 == 1 ? words(1 << 26 | 2 << 32) : ScriptedNode.properAnswer($0) }
        #expect(error?.message?.contains("a response of 536870912 bytes is too large") == true, "\(error as Any)")
    }

    /// Codes in which SQLite would see a row, the end of the rows, or no error.
    @Test(arguments: [0, 100, 101, 256, 356, 357, 1 << 31, UInt64(UInt32.max)])
    func codesThatAreNoErrors(_ code: UInt64) {
        let refusal = NodeRefusal(code: code, message: "no error")
        #expect(refusal.cause == .badRequest)
        #expect(refusal.databaseError.resultCode == .SQLITE_PROTOCOL)
    }

    /// Generations of the tickets from which nothing can be subtracted, or to which nothing can be added.
    @Test(arguments: [Int64.max, .min])
    func extremeGenerations(_ generation: Int64) throws {
        let address = try NodeAddress("127.0.0.1:9001")
        let options = AnsweringPeer.options { type in
            switch type {
            case 9: rowsFrame(["n", "m"], [[.integer(generation), .null]])
            case 16: frame(3, words(1, 1) + text(address.description) + words(0))
            default: ScriptedNode.properAnswer(type)
            }
        }
        let ticket = TransactionTicket(
            database: "app", client: "c", sequence: 1, generation: generation, date: .distantPast)
        let question = TicketQuestion(NodeDirectory([address], options), ticket)
        #expect(try question.answer(until: .now) == .rolledBack)
    }
}
