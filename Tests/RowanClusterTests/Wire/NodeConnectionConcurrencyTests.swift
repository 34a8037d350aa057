// Connections to servers that are slow, stop, close, or send invalid data.

import Foundation
import Rowan
import RowanCluster
import Testing

@Suite(.timeLimit(.minutes(2))) struct NodeConnectionConcurrencyTests {
    /// Later than any test waits.
    private var later: ContinuousClock.Instant { .now + .seconds(30) }
    /// Soon enough for a test to wait.
    private var soon: ContinuousClock.Instant { .now + .milliseconds(50) }

    private func request(_ count: Int = 1) -> RequestBuffer {
        var buffer = RequestBuffer()
        for _ in 0..<count { buffer.leader() }
        return buffer
    }

    /// The error of a closure, as text.
    private func error(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch let error as WireError {
            return switch error {
            case .closed, .replaced: "closed"
            case .timedOut: "timedOut"
            case .cancelled: "cancelled"
            case .malformed: "malformed"
            case .unreachable: "unreachable"
            }
        } catch {
            return "\(error)"
        }
    }

    @Test func requestsAndResponses() throws {
        let server = try LoopbackServer { peer in
            while let request = peer.readFrame() { peer.write(frame(1, words(UInt64(request[4]) + 1) + text("a:1"))) }
        }
        let connection = try NodeConnection(address: server.address, deadline: later)
        #expect(connection.address == server.address)
        for _ in 0..<3 {
            try connection.send(request(2), deadline: later)
            for _ in 0..<2 {
                let response = try connection.receive(deadline: later)
                guard case .leader(let leader) = response else { throw Unexpected() }
                #expect(leader.id == 1 && leader.address == "a:1")
            }
            #expect(!connection.isBroken)
        }
        connection.close()
        #expect(server.wait())
        #expect(error { _ = try connection.receive(deadline: later) } == "cancelled")
        #expect(error { try connection.send(request(), deadline: later) } == "cancelled")
    }

    @Test func responsesThatHaveArrivedTogether() throws {
        let server = try LoopbackServer { peer in
            peer.write(frame(8, words(0)) + frame(4, words(1)) + frame(4, words(2)).dropLast(3))
            _ = peer.read(16)
        }
        let connection = try NodeConnection(address: server.address, deadline: later)
        guard case .empty = try connection.receive(deadline: later) else { throw Unexpected() }
        guard case .database(1) = try connection.receive(deadline: later) else { throw Unexpected() }
        #expect(error { _ = try connection.receive(deadline: soon) } == "timedOut")
    }

    private struct Unexpected: Error {}

    @Test func unreachableNodes() throws {
        let (socket, address) = try Peer.bound()
        #expect(error { _ = try NodeConnection(address: address, deadline: later) } == "unreachable")
        withExtendedLifetime(socket) {}
        let nowhere = try NodeAddress("no-such-host.invalid:1")
        #expect(error { _ = try NodeConnection(address: nowhere, deadline: later) } == "unreachable")
    }

    /// After a deadline, the response may still arrive.
    @Test func deadlines() throws {
        let server = try LoopbackServer { peer in
            peer.write(Array(frame(4, words(7)).prefix(11)))
            // The client has seen the deadline pass.
            _ = peer.readFrame()
            peer.write(Array(frame(4, words(7)).dropFirst(11)))
            _ = peer.read(1)
        }
        let connection = try NodeConnection(address: server.address, deadline: later)
        for deadline in [soon, .now, .now - .seconds(10)] {
            #expect(error { _ = try connection.receive(deadline: deadline) } == "timedOut")
        }
        try connection.send(request(), deadline: later)
        guard case .database(7) = try connection.receive(deadline: later) else { throw Unexpected() }
    }

    /// A partially sent request can't be completed later.
    @Test func deadlinesOfSending() throws {
        let done = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _ in done.wait() }
        let connection = try NodeConnection(address: server.address, deadline: later)
        var large = RequestBuffer()
        try large.execSQL(db: 0, sql: "?", values: [Data(count: 32 << 20).databaseValue])
        #expect(error { try connection.send(large, deadline: soon) } == "timedOut")
        #expect(connection.isBroken)
        #expect(error { try connection.send(request(), deadline: later) } == "timedOut")
        #expect(error { _ = try connection.receive(deadline: later) } == "timedOut")
        done.signal()
    }

    @Test func endsOfConnections() throws {
        let server = try LoopbackServer { peer in peer.write(frame(4, words(1)) + [2, 0, 0, 0, 8, 0, 0, 0, 1]) }
        let connection = try NodeConnection(address: server.address, deadline: later)
        guard case .database(1) = try connection.receive(deadline: later) else { throw Unexpected() }
        for _ in 0..<2 {
            let error = #expect(throws: WireError.self) { _ = try connection.receive(deadline: later) }
            #expect(
                error == .closed("the node \(server.address) closed the connection: in the middle of a response"))
        }
        #expect(connection.isBroken)
    }

    @Test func resets() throws {
        let server = try LoopbackServer { $0.reset() }
        let connection = try NodeConnection(address: server.address, deadline: later)
        #expect(server.wait())
        #expect(error { _ = try connection.receive(deadline: later) } == "closed")
        #expect(error { try connection.send(request(), deadline: later) } == "closed")
    }

    /// Writing to a closed connection throws an error and raises no signal.
    @Test func endsWhileSending() throws {
        let server = try LoopbackServer { peer in
            _ = peer.read(100)
            peer.shut()
        }
        let connection = try NodeConnection(address: server.address, deadline: later)
        var large = RequestBuffer()
        try large.execSQL(db: 0, sql: "?", values: [Data(count: 32 << 20).databaseValue])
        #expect(error { for _ in 0..<3 { try connection.send(large, deadline: later) } } == "closed")
        #expect(server.wait())
    }

    @Test func bytesOfAnotherProtocol() throws {
        let server = try LoopbackServer { peer in
            peer.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            _ = peer.read(1)
        }
        let connection = try NodeConnection(address: server.address, deadline: later)
        #expect(error { _ = try connection.receive(deadline: later) } == "malformed")
        #expect(error { try connection.send(request(), deadline: later) } == "malformed")
    }

    /// - Parameter delay: the delay before the closing: before the call waits and, very likely, afterwards.
    @Test(arguments: [0, 1_000, 50_000])
    func cancellationOfReceiving(_ delay: UInt32) throws {
        let server = try LoopbackServer { peer in _ = peer.read(1) }
        let connection = try NodeConnection(address: server.address, deadline: later)
        Thread.detachNewThread {
            usleep(delay)
            connection.cancel()
        }
        for _ in 0..<2 { #expect(error { _ = try connection.receive(deadline: later) } == "cancelled") }
        #expect(error { try connection.send(request(), deadline: later) } == "cancelled")
        #expect(connection.isBroken)
        connection.cancel()
        // The server reads the end of the connection before the descriptor is closed.
        #expect(server.wait())
    }

    @Test(arguments: [0, 1_000, 50_000])
    func cancellationOfSending(_ delay: UInt32) throws {
        let done = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _ in done.wait() }
        let connection = try NodeConnection(address: server.address, deadline: later)
        var large = RequestBuffer()
        try large.execSQL(db: 0, sql: "?", values: [Data(count: 32 << 20).databaseValue])
        Thread.detachNewThread {
            usleep(delay)
            connection.cancel()
        }
        #expect(error { try connection.send(large, deadline: later) } == "cancelled")
        done.signal()
    }

    /// Closing a connection from another thread ends the call, and the descriptor is released afterwards.
    @Test func closingFromAnotherThread() throws {
        let server = try LoopbackServer { peer in _ = peer.read(1) }
        let connection = try NodeConnection(address: server.address, deadline: later)
        Thread.detachNewThread {
            usleep(10_000)
            connection.close()
        }
        #expect(error { _ = try connection.receive(deadline: later) } == "cancelled")
    }

    /// The server responds to each request before it reads the next one, with more data than the socket buffers hold.
    @Test func pipelinesInBothDirections() throws {
        let payload = String(repeating: "x", count: 4_000)
        let server = try LoopbackServer { peer in
            var count: Int64 = 0
            while peer.readFrame() != nil {
                count += 1
                guard peer.write(rowsFrame(["a", "b"], [[.integer(count), .text(payload)]])) else { return }
            }
        }
        let connection = try NodeConnection(address: server.address, deadline: later)
        var buffer = RequestBuffer()
        let requestCount = 5_000
        for _ in 0..<requestCount { try buffer.querySQL(db: 0, sql: payload) }
        try connection.send(buffer, deadline: later)
        var rows: [[DatabaseValue]] = []
        for _ in 0..<requestCount {
            guard case .rows(let part) = try connection.receive(deadline: later) else { throw Unexpected() }
            rows += try values(part)
        }
        #expect(rows.map { $0[0] } == (1...requestCount).map(\.databaseValue))
        #expect(rows.last?[1] == payload.databaseValue)
        connection.close()
        #expect(server.wait())
    }
}
