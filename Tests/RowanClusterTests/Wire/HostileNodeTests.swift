// A node that answers with well-formed responses to other requests, behind the handshake: the client throws, and never
// traps or grows.

import Foundation
import Rowan
import RowanCluster
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A node that answers each request with a closure.
private final class HostileNode: Sendable {
    let address: String
    private let listener: Peer

    /// - Parameter answer: the bytes of the response to a request of a type; nil to close the connection.
    init(_ answer: @escaping @Sendable (UInt8) -> [UInt8]?) throws {
        let (listener, address) = try Peer.bound()
        precondition(listen(listener.descriptor, 64) == 0)
        self.listener = listener
        self.address = address.description
        let name = address.description
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener.descriptor, nil, nil)
                guard descriptor >= 0 else { return }
                Thread.detachNewThread {
                    let peer = Peer(descriptor)
                    guard peer.read(8) == words(1) else { return }
                    while let request = peer.readFrame() {
                        // The handshake of the leader, which is this node.
                        let response = request[4] == 0 ? frame(1, words(1) + text(name)) : answer(request[4])
                        guard let response, peer.write(response) else { break }
                    }
                    peer.shut()
                }
            }
        }
    }

    /// Ends the thread that accepts connections.
    func stop() { listener.shut() }

    /// The response of a well-behaved node with an empty database.
    static func properAnswer(_ type: UInt8) -> [UInt8] {
        switch type {
        case 1: frame(2, words(15_000))
        case 3: frame(4, words(0))
        case 4: frame(5, words(0, 0))
        case 5, 8: frame(6, words(0, 0))
        default: rowsFrame(["a"], [[.integer(1)]])
        }
    }
}

@Suite(.serialized, .timeLimit(.minutes(10))) struct HostileNodeTests {
    private func options() -> ClusterOptions {
        var options = ClusterOptions()
        options.connectTimeout = .milliseconds(200)
        options.requestTimeout = .milliseconds(200)
        options.failoverTimeout = .milliseconds(40)
        return options
    }

    private func run(_ node: HostileNode) throws {
        let cluster = try DatabaseCluster(
            addresses: [node.address], database: "app", configuration: Configuration(), options: options())
        _ = try cluster.read { try Int.fetchAll($0, sql: "SELECT 1") }
        try cluster.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    }

    @Test(arguments: [1, 3])
    func theSchemaHasOtherColumns(_ count: Int) throws {
        let row: [WireValue] = Array(repeating: .text("table"), count: count)
        let rows = rowsFrame(row.indices.map { "c\($0)" }, [row])
        let node = try HostileNode { type in
            // The versions of the schema are queries of compiled statements.
            type == 9 ? rows : HostileNode.properAnswer(type)
        }
        defer { node.stop() }
        let error = #expect(throws: DatabaseError.self) { try run(node) }
        #expect(error?.isLeaderChange == true, "\(error as Any)")
    }

    /// Parts without an end: the client stops reading.
    @Test func endlessRows() throws {
        let part = rowsFrame(["a"], [[.blob(Array(repeating: 7, count: 1 << 20))]], isLast: false)
        let parts = Array(repeating: part, count: 80).flatMap(\.self)
        let node = try HostileNode { $0 == 6 ? parts : HostileNode.properAnswer($0) }
        defer { node.stop() }
        let error = #expect(throws: DatabaseError.self) { try run(node) }
        #expect(error?.message?.contains("bytes for a small result") == true, "\(error as Any)")
    }

    @Test func randomAnswers() throws {
        let random = Mutex(SeededGenerator(77))
        var counts = (done: 0, failed: 0)
        for _ in 0..<150 {
            let node = try HostileNode { type in random.withLock { Self.answer(type, &$0) } }
            do {
                try run(node)
                counts.done += 1
            } catch is DatabaseError {
                counts.failed += 1
            } catch is UnknownOutcomeError {
                counts.failed += 1
            }
            node.stop()
        }
        #expect(counts.failed > 100, "\(counts)")
    }

    private static func answer(_ type: UInt8, _ random: inout SeededGenerator) -> [UInt8]? {
        switch Int.random(in: 0..<24, using: &random) {
        case 0: nil
        case 1: frame(0, words([1, 5, 10, 21, 266, 10_250].randomElement(using: &random)!) + text("it failed"))
        case 2: frame(6, words(.max, .max))
        case 3: frame(8, words(0))
        case 4: frame(4, words(.max))
        case 5: frame(5, words(.max, UInt64(Int64.max)))
        case 6, 7, 8: rows(&random)
        default: HostileNode.properAnswer(type)
        }
    }

    private static func rows(_ random: inout SeededGenerator) -> [UInt8] {
        let count = Int.random(in: 0...5, using: &random)
        var values: [[WireValue]] = []
        for _ in 0..<(count == 0 ? 0 : Int.random(in: 0...3, using: &random)) {
            values.append(
                (0..<count).map { _ in
                    switch Int.random(in: 0..<5, using: &random) {
                    case 0: .integer(.random(in: .min ... .max, using: &random))
                    case 1: .double(.nan)
                    case 2: .text(["table", "", "CREATE TABLE t (a", "rowan_client"].randomElement(using: &random)!)
                    case 3: .blob([0, 255])
                    default: .null
                    }
                })
        }
        let isLast = Int.random(in: 0..<4, using: &random) > 0
        let first = rowsFrame((0..<count).map { "c\($0)" }, values, isLast: isLast)
        return isLast ? first : first + rowsFrame(["other", "names"], [[.null, .integer(1)]])
    }
}
