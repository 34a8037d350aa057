// A leader in the memory of this process that is silent: waiting takes no time.

import Rowan
import Testing

@testable @_spi(Node) import RowanCluster

@Suite(.timeLimit(.minutes(2))) struct SilentLeaderTests {
    /// What the nodes share. The first one that is not silent says that it leads.
    private final class Network: Sendable {
        private struct State {
            var silent: Set<String> = []
            var speaksLater = false
            var longStatements = 0
            var statements: [String] = []
        }

        private let state = Mutex(State())
        let proper = Mutex(ProperNode())

        func silence(_ node: String, speaksLater: Bool) {
            state.withLock {
                $0.silent = [node]
                $0.speaksLater = speaksLater
            }
        }

        /// The next statements of the program silence the node that runs them.
        func expectLongStatements(_ count: Int) { state.withLock { $0.longStatements = count } }

        func isSilent(_ node: String) -> Bool { state.withLock { $0.silent.contains(node) } }

        /// The nodes that ran the program's statement.
        var statements: [String] { state.withLock(\.statements) }

        func take(_ request: [UInt8], by node: String) {
            state.withLock { state in
                // Another node is asked.
                if state.speaksLater, !state.silent.contains(node) { state.silent = [] }
                guard String(decoding: request, as: UTF8.self).contains("FROM t") else { return }
                state.statements.append(node)
                guard state.longStatements > 0 else { return }
                state.longStatements -= 1
                state.silent.insert(node)
            }
        }
    }

    /// A connection to one of the nodes.
    private final class Node: LocalPeer {
        private let network: Network
        private let address: String
        private let session: Mutex<ProperNode.Session>
        private let output = Mutex<[UInt8]>([])

        init(_ network: Network, _ address: NodeAddress) {
            (self.network, self.address) = (network, address.description)
            session = Mutex(ProperNode.Session(network.proper.withLock { $0 }, address: address.description))
        }

        func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
            var rest = Array(bytes)[...]
            // The version of the protocol.
            if rest.count == 8 { return true }
            while rest.count >= 8 {
                let size = 8 + 8 * (Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8)
                let request = Array(rest.prefix(size))
                network.take(request, by: address)
                let answer = session.withLock { $0.answer(request) }
                output.withLock { $0 += answer }
                rest = rest.dropFirst(size)
            }
            return true
        }

        func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
            if network.isSilent(address) { return nil }
            return output.withLock { output in
                guard !output.isEmpty else { return nil }
                let count = min(output.count, buffer.count)
                buffer.copyBytes(from: output.prefix(count))
                output.removeFirst(count)
                return count
            }
        }
    }

    private func options(_ network: Network) -> ClusterOptions {
        var options = ClusterOptions()
        options.spinDuration = .zero
        options.localPeers = { Node(network, $0) }
        return options
    }

    private func session(_ network: Network) throws -> ClusterSession {
        let directory = NodeDirectory([try NodeAddress("a:1"), try NodeAddress("b:1")], options(network))
        let connection = try directory.connectToLeader(until: .now + .seconds(60))
        return try ClusterSession(connection, database: "app", directory, foreignKeys: true)
    }

    /// The other node says that it leads now.
    @Test func theOthersFollowAnotherLeader() throws {
        let network = Network()
        let session = try session(network)
        network.silence("a:1", speaksLater: false)
        #expect(
            throws: WireError.replaced("the node a:1 does not respond, and the others follow b:1")
        ) { try session.rows("SELECT 1") }
    }

    /// The response arrives while the other node is asked: it counts.
    @Test func theResponseArrivesMeanwhile() throws {
        let network = Network()
        let session = try session(network)
        network.silence("a:1", speaksLater: true)
        #expect(try session.rows("SELECT 1") == [[1.databaseValue]])
        #expect(!session.isBroken)
    }

    private func cluster(_ network: Network) throws -> DatabaseCluster {
        try DatabaseCluster(addresses: ["a:1", "b:1", "c:1"], database: "app", options: options(network))
    }

    /// A leader that has failed without closing its connections.
    @Test func aStatementThatSilencesOneLeader() throws {
        let network = Network()
        let cluster = try cluster(network)
        network.expectLongStatements(1)
        #expect(try cluster.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 7)
        #expect(network.statements == ["a:1", "b:1"])
    }

    /// The statement is probably too long: the third node remains available.
    @Test func aStatementThatSilencesTwoLeaders() throws {
        let network = Network()
        let cluster = try cluster(network)
        network.expectLongStatements(2)
        let error = #expect(throws: DatabaseError.self) {
            try cluster.read { try Int.fetchOne($0, sql: "SELECT a FROM t") }
        }
        #expect(error?.resultCode == .SQLITE_INTERRUPT)
        #expect(
            error?.message
                == "two leaders in a row did not respond to the statement, and the other nodes have replaced them: it "
                + "probably runs for longer than the nodes wait for their leader. Make it shorter, or start the nodes "
                + "with a larger --latency")
        #expect(network.statements == ["a:1", "b:1"])
        #expect(try cluster.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 7)
        #expect(network.statements == ["a:1", "b:1", "c:1"])
    }
}
