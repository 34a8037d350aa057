// Which answers of the nodes confirm a leader, with nodes in the memory of this process.

import Rowan
import Testing

@testable @_spi(Node) import RowanCluster

@Suite(.timeLimit(.minutes(1))) struct LeaderConfirmationTests {
    /// The three nodes. Each answers which node it follows.
    private final class Nodes: Sendable {
        private let answers: Mutex<[String: [String?]]>
        private let counts = Mutex<[String: Int]>([:])

        /// - Parameter answers: for each node, its answers in their order. The last one repeats; nil is silence, and the
        ///   empty string an answer that it knows no leader.
        init(_ answers: [String: [String?]]) { self.answers = Mutex(answers) }

        /// How often a node was asked.
        func count(_ node: String) -> Int { counts.withLock { $0[node, default: 0] } }

        func answer(_ node: String) -> String? {
            counts.withLock { $0[node, default: 0] += 1 }
            return answers.withLock { answers in
                let next = answers[node]?.first ?? nil
                if (answers[node]?.count ?? 0) > 1 { answers[node]?.removeFirst() }
                return next
            }
        }
    }

    /// A connection to one of the nodes.
    private final class Node: LocalPeer {
        private let nodes: Nodes
        private let address: String
        private let output = Mutex<[UInt8]>([])

        init(_ nodes: Nodes, _ address: NodeAddress) { (self.nodes, self.address) = (nodes, address.description) }

        func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
            // The version of the protocol comes first.
            guard bytes.count > 8 else { return true }
            let answer: [UInt8]? =
                switch bytes[4] {
                case 0: nodes.answer(address).map { frame(1, words($0.isEmpty ? 0 : 1) + text($0)) }
                default:
                    frame(3, words(3) + ["a", "b", "c"].flatMap { words(1) + text("\($0):1") + words(0) })
                }
            output.withLock { $0 += answer ?? [] }
            return true
        }

        func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
            output.withLock { output in
                guard !output.isEmpty else { return nil }
                let count = min(output.count, buffer.count)
                buffer.copyBytes(from: output.prefix(count))
                output.removeFirst(count)
                return count
            }
        }
    }

    private func confirmation(_ nodes: Nodes, connectTimeout: Duration = .seconds(600)) throws -> LeaderConfirmation {
        var options = ClusterOptions()
        options.spinDuration = .zero
        options.connectTimeout = connectTimeout
        options.localPeers = { Node(nodes, $0) }
        return LeaderConfirmation(NodeDirectory([leader], options))
    }

    private let leader: NodeAddress

    init() throws { leader = try NodeAddress("a:1") }

    /// - Returns: the description of the error.
    private func refusal(_ confirmation: LeaderConfirmation) -> String? {
        let error = #expect(throws: ClusterFailure.self) { try confirmation.confirm(leader) {} }
        return error?.description
    }

    @Test func aMajorityConfirms() throws {
        let nodes = Nodes(["a:1": ["a:1"], "b:1": ["a:1"], "c:1": [nil]])
        let confirmation = try confirmation(nodes)
        try confirmation.confirm(leader) {}
        // The silent node is only asked again when the others don't suffice.
        let count = nodes.count("c:1")
        try confirmation.confirm(leader) {}
        #expect(nodes.count("c:1") == count)
    }

    /// It knows no leader yet, or still the previous one, while the third is silent.
    @Test(arguments: ["", "b:1", "c:1"]) func aNodeLearnsOfTheLeader(_ first: String) throws {
        let nodes = Nodes(["a:1": ["a:1"], "b:1": [first, first, "a:1"], "c:1": [nil]])
        try confirmation(nodes).confirm(leader) {}
        #expect(nodes.count("b:1") == 3)
    }

    /// A node that was silent before, and is not any more, is asked when another one has become silent.
    @Test func anotherNodeIsSilent() throws {
        let nodes = Nodes(["a:1": ["a:1"], "b:1": ["a:1", nil], "c:1": [nil, "a:1"]])
        let confirmation = try confirmation(nodes)
        try confirmation.confirm(leader) {}
        try confirmation.confirm(leader) {}
        #expect(nodes.count("b:1") == 2)
        #expect(nodes.count("c:1") == 2)
    }

    @Test(arguments: ["", "b:1"]) func theLeaderLeadsNoLonger(_ answer: String) throws {
        let nodes = Nodes(["a:1": [answer], "b:1": [nil], "c:1": [nil]])
        #expect(
            refusal(try confirmation(nodes))
                == "only 0 of 3 nodes confirm the leader of the read: its rows may be outdated. Read again")
        #expect(nodes.count("a:1") == 1)
    }

    /// The leader believes that it still leads, or does not answer.
    @Test(arguments: ["a:1", nil]) func theOthersFollowAnotherLeader(_ answer: String?) throws {
        let nodes = Nodes(["a:1": [answer], "b:1": ["c:1"], "c:1": ["c:1"]])
        let count = answer == nil ? 0 : 1
        #expect(refusal(try confirmation(nodes))?.hasPrefix("only \(count) of 3 nodes confirm the leader") == true)
    }

    @Test func theOtherNodeKnowsNoLeader() throws {
        let nodes = Nodes(["a:1": ["a:1"], "b:1": [""], "c:1": [nil]])
        let confirmation = try confirmation(nodes, connectTimeout: .milliseconds(200))
        #expect(refusal(confirmation)?.hasPrefix("only 1 of 3 nodes confirm the leader") == true)
        #expect(nodes.count("b:1") > 1)
    }

    @Test func theWaitCanBeInterrupted() throws {
        struct Interruption: Error {}
        let nodes = Nodes(["a:1": ["a:1"], "b:1": [""], "c:1": [nil]])
        let confirmation = try confirmation(nodes)
        #expect(throws: Interruption.self) {
            try confirmation.confirm(leader) { if nodes.count("b:1") == 3 { throw Interruption() } }
        }
        // No answer to an earlier query counts for a later one.
        #expect(throws: Interruption.self) {
            try confirmation.confirm(leader) { if nodes.count("b:1") == 5 { throw Interruption() } }
        }
    }
}
