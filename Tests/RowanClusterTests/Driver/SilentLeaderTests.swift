// A leader in the memory of this process that is silent: waiting takes no time.

import Rowan
import Testing

@testable @_spi(Node) import RowanCluster

@Suite(.timeLimit(.minutes(2))) struct SilentLeaderTests {
    /// What the nodes share.
    private final class Network: Sendable {
        private let state = Mutex((isLeaderSilent: false, speaksLater: false))
        let proper = Mutex(ProperNode())

        func silence(speaksLater: Bool) { state.withLock { $0 = (true, speaksLater) } }

        var isLeaderSilent: Bool { state.withLock(\.isLeaderSilent) }

        /// Called when the other node is asked.
        func otherIsAsked() { state.withLock { if $0.speaksLater { $0.isLeaderSilent = false } } }
    }

    /// A connection to one of the nodes.
    private final class Node: LocalPeer {
        private let network: Network
        private let isLeader: Bool
        private let session: Mutex<ProperNode.Session>
        private let output = Mutex<[UInt8]>([])

        init(_ network: Network, _ address: NodeAddress, isLeader: Bool) {
            self.network = network
            self.isLeader = isLeader
            session = Mutex(ProperNode.Session(network.proper.withLock { $0 }, address: address.description))
        }

        func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
            if !isLeader { network.otherIsAsked() }
            var rest = Array(bytes)[...]
            // The version of the protocol.
            if rest.count == 8 { return true }
            while rest.count >= 8 {
                let size = 8 + 8 * (Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8)
                let answer = session.withLock { $0.answer(Array(rest.prefix(size))) }
                output.withLock { $0 += answer }
                rest = rest.dropFirst(size)
            }
            return true
        }

        func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
            if isLeader, network.isLeaderSilent { return nil }
            return output.withLock { output in
                guard !output.isEmpty else { return nil }
                let count = min(output.count, buffer.count)
                buffer.copyBytes(from: output.prefix(count))
                output.removeFirst(count)
                return count
            }
        }
    }

    private func session(_ network: Network) throws -> ClusterSession {
        let (leader, other) = (try NodeAddress("a:1"), try NodeAddress("b:1"))
        var options = ClusterOptions()
        options.spinDuration = .zero
        options.localPeers = { Node(network, $0, isLeader: $0 == leader) }
        let directory = NodeDirectory([leader, other], options)
        let connection = try directory.connectToLeader(until: .now + .seconds(60))
        return try ClusterSession(connection, database: "app", directory, foreignKeys: true)
    }

    /// The other node says that it leads now.
    @Test func theOthersFollowAnotherLeader() throws {
        let network = Network()
        let session = try session(network)
        network.silence(speaksLater: false)
        #expect(
            throws: WireError.closed("the node a:1 does not respond, and the others follow b:1")
        ) { try session.rows("SELECT 1") }
    }

    /// The response arrives while the other node is asked: it counts.
    @Test func theResponseArrivesMeanwhile() throws {
        let network = Network()
        let session = try session(network)
        network.silence(speaksLater: true)
        #expect(try session.rows("SELECT 1") == [[1.databaseValue]])
        #expect(!session.isBroken)
    }
}
