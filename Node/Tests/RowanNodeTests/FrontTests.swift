// What the front refuses, and what passes through it.

import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct FrontTests {
    let home: NodeHome

    init() throws { home = try NodeHome() }

    struct Hostile: CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        /// What the message contains; nil if the connection ends without one.
        let refusal: String?

        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], _ refusal: String?) {
            (self.name, self.bytes, self.refusal) = (name, bytes, refusal)
        }
    }

    static let hostile = [
        Hostile("no body", request(0, []), "a request of 0 bytes"),
        Hostile("a huge body", request(0, [], words: .max), "a request of 34359738360 bytes"),
        Hostile("an unknown type", request(77, word(0)), "the unknown type 77"),
        Hostile("a description", request(18, word(1)), "the unknown type 18"),
        Hostile("a question without a body", request(240, []), "a request of 0 bytes"),
        Hostile("another schema", request(0, word(0), schema: 1), "the unknown schema 1"),
        Hostile(
            "a database that is not open", request(8, word(1) + text("SELECT 1")), "the database 1, which is not open"),
        Hostile("a statement that does not exist", request(7, word(5 << 32)), "the statement 5, which does not exist"),
        Hostile("text without an end", request(4, word(0) + word(.max)), "a malformed request of type 4"),
        Hostile("text without bytes", request(4, word(0)), "a malformed request of type 4"),
        Hostile("a long name", request(15, text(String(repeating: "n", count: 256))), "a malformed request of type 15"),
        Hostile(
            "fewer values", request(8, word(0) + text("SELECT ?") + word(0x01_01_02)), "a malformed request of type 8"),
        Hostile("a type of values", request(8, word(0) + text("SELECT ?") + word(0x63_01) + word(0)), "of type 8"),
        Hostile("a long blob", request(8, word(0) + text("SELECT ?") + word(0x04_01) + word(.max)), "of type 8"),
        Hostile("more types", request(8, word(0) + text("SELECT ?") + word(0xff)), "a malformed request of type 8"),
        Hostile("a role", request(13, word(1) + word(3)), "a malformed request of type 13"),
        Hostile("a format", request(16, word(2)), "a malformed request of type 16"),
    ]

    @Test func wrongRequestsAreRefused() throws {
        let node = try home.start(1)
        for hostile in Self.hostile {
            let client = try RawClient.opened(home.address(1))
            client.send(hostile.bytes)
            let message = client.failure(client.receive()) ?? ""
            #expect(message.contains(hostile.refusal ?? ""), "\(hostile.name): \(message)")
            #expect(client.receive() == nil, "\(hostile.name)")
        }
        let other = try RawClient(home.address(1), greets: false)
        other.send(Array("GET / HTTP/1.0\r\n\r\n".utf8))
        #expect(other.receive() == nil)
        #expect(try home.status(1).count == 1)
        #expect(node.end(by: SIGTERM) == 0)
    }

    /// dqlite ends its process if it runs a statement after its end.
    @Test func finalizedStatementsAreRefused() throws {
        try home.start(1)
        let client = try RawClient.opened(home.address(1))
        let prepared = try #require(client.ask(4, word(0) + text("SELECT 1")))
        #expect(prepared.type == 5)
        let id = number(prepared.body[4..<8])
        #expect(client.ask(6, word(id << 32))?.type == 7)
        #expect(client.ask(7, word(id << 32))?.type == 8)
        #expect(
            client.failure(client.ask(6, word(id << 32)))
                == "the node refuses a request for the statement \(id), which does not exist")
        #expect(try home.status(1).count == 1)
    }

    @Test func requestsInPiecesAndTogether() throws {
        try home.start(1)
        let client = try RawClient(home.address(1), greets: false)
        let greeting = word(1) + request(1, word(7)) + request(3, text("data") + word(0) + word(0))
        for byte in greeting { client.send([byte]) }
        #expect(client.receive()?.type == 2)
        #expect(client.receive()?.type == 4)
        let table = request(8, word(0) + text("CREATE TABLE t (a)"))
        let rows = request(8, word(0) + text("INSERT INTO t VALUES (1), (2)"))
        let query = request(9, word(0) + text("SELECT count(*) FROM t"))
        let prepare = request(4, word(0) + text("SELECT 1"))
        client.send(table + rows + query + prepare + query)
        #expect((0..<5).map { _ in client.receive()?.type } == [6, 6, 7, 5, 7])
    }

    /// Connections that send nothing take no descriptors from those that do.
    @Test func silentConnections() throws {
        try home.start(1)
        let silent = try (0..<200).map { _ in try RawClient(home.address(1), greets: false) }
        let client = try RawClient.opened(home.address(1))
        #expect(client.run("CREATE TABLE t (a)") == nil)
        // The oldest ones are closed, and the youngest ones may still begin.
        #expect(silent[0].receive() == nil)
        let last = try #require(silent.last)
        last.send(word(1) + request(0, word(0)))
        #expect(last.receive()?.type == 1)
    }

    /// However many clients there are, other nodes find a connection.
    @Test func clientsLeaveConnectionsToNodes() throws {
        // 32 connections, of which 24 may be clients.
        try home.start(1, limit: "-n 320")
        try home.start(2)
        let clients = try (0..<24).map { _ in try RawClient.opened(home.address(1)) }
        // Connections that have sent nothing but the version of the protocol are no clients, and keep nobody out.
        let silent = try (0..<20).map { _ in try RawClient(home.address(1)) }
        let another = try RawClient(home.address(1))
        #expect(
            another.failure(another.ask(0, word(0)))
                == "the node refuses more than 24 clients: raise the limit of open files, or close connections")
        #expect(silent[0].receive() == nil)
        home.node(2)?.end(by: SIGKILL)
        try home.start(2)
        // Both have to agree about the leader, which the first one has ceased to be.
        func leader() throws -> UInt64? {
            try RawClient(home.address(2)).ask(0, word(0)).flatMap { $0.type == 1 ? number($0.body[..<8]) : nil }
        }
        while try [nil, 0].contains(leader()) { usleep(50_000) }
        withExtendedLifetime(clients) {}
    }

    /// A client that asks and receives nothing is not read any further.
    @Test func answersThatAreNotReceived() throws {
        let node = try home.start(1)
        let client = try RawClient(home.address(1))
        let questions = Array(repeatElement(request(240, word(0)), count: 100_000).joined())
        let sent = client.sendUntilFull(questions, times: 400)
        #expect(sent < 400 * questions.count)
        #expect(try memory(of: node) < 200 << 20)
        #expect(try home.status(1).count == 1)
    }

    /// The resident memory of a process, in bytes.
    private func memory(of program: Program) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(program.identifier)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.split(separator: " ")[1])) << 10
    }

    @Test func theSpaceOnTheDisk() throws {
        try home.start(1, "--disk-reserve", "3")
        let client = try RawClient(home.address(1))
        // Before and between requests that dqlite answers.
        for _ in 0..<2 {
            client.send(request(240, word(0)) + request(0, word(0)) + request(240, word(0)))
            let responses = (0..<3).compactMap { _ in client.receive() }
            #expect(responses.map(\.type) == [240, 1, 240])
            let body = try #require(responses.first).body
            #expect(number(body[..<8]) > 3 << 20)
            #expect(number(body[8...]) == 3 << 20)
        }
    }

    /// Random requests, some of them damaged. SQL that ends dqlite's process is not among them.
    @Test func randomRequests() throws {
        let node = try home.start(1)
        var random = RandomRequests(seed: 11)
        for round in 0..<400 {
            let client = try RawClient(home.address(1))
            for bytes in random.connection() { client.send(bytes) }
            if round % 20 == 0 { #expect(try home.status(1).count == 1, "round \(round)") }
        }
        let client = try RawClient.opened(home.address(1))
        #expect(client.failure(client.ask(1, word(1))) == nil)
        #expect(node.end(by: SIGTERM) == 0)
    }

    // MARK: Idle transactions

    @Test func anIdleTransactionEnds() throws {
        try home.start(1, "--idle-transaction-limit", "1")
        let (idle, other) = (try RawClient.opened(home.address(1)), try RawClient.opened(home.address(1)))
        #expect(idle.run("CREATE TABLE t (a)") == nil)
        #expect(idle.run("BEGIN IMMEDIATE") == nil)
        #expect(idle.run("INSERT INTO t VALUES (1)") == nil)
        #expect(other.run("INSERT INTO t VALUES (2)") == "database is locked")
        while other.run("INSERT INTO t VALUES (2)") != nil { usleep(20_000) }
        #expect(
            idle.run("COMMIT") == """
                the node has rolled back the transaction, because its client sent nothing for a second: make it shorter, \
                or start the nodes with a longer --idle-transaction-limit
                """)
        // Each request that it has sent has its response.
        idle.send(request(0, word(0)) + request(8, word(0) + text("COMMIT")))
        for _ in 0..<2 { #expect(idle.failure(idle.receive())?.contains("--idle-transaction-limit") == true) }
        #expect(other.value("SELECT sum(a) FROM t") == 2)
    }

    /// Rows that a client does not receive keep its transaction open.
    @Test func aTransactionWhoseRowsAreNotReceivedEnds() throws {
        try home.start(1, "--idle-transaction-limit", "1")
        let (idle, other) = (try RawClient.opened(home.address(1)), try RawClient.opened(home.address(1)))
        #expect(other.run("CREATE TABLE t (a)") == nil)
        #expect(idle.run("BEGIN IMMEDIATE") == nil)
        #expect(idle.run("INSERT INTO t VALUES (1)") == nil)
        let rows =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT zeroblob(1000) FROM n"
        idle.send(request(9, word(0) + text(rows)))
        while other.run("INSERT INTO t VALUES (2)") != nil { usleep(20_000) }
        #expect(other.value("SELECT sum(a) FROM t") == 2)
    }

    /// A statement that takes longer than the limit, and a client without a transaction.
    @Test func workIsNotIdle() throws {
        try home.start(1, "--idle-transaction-limit", "1", "--statement-limit", "600")
        let (busy, silent) = (try RawClient.opened(home.address(1)), try RawClient.opened(home.address(1)))
        #expect(busy.run("CREATE TABLE t (a)") == nil)
        #expect(busy.run("BEGIN IMMEDIATE") == nil)
        #expect(busy.run("INSERT INTO t VALUES (1)") == nil)
        // A statement that runs for two seconds, on any machine.
        var (count, time) = (1_000_000, Duration.zero)
        while time < .seconds(2) {
            let sql = """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) \
                INSERT INTO t SELECT sum(i % 7) FROM n
                """
            time = ContinuousClock().measure { #expect(busy.run(sql) == nil) }
            count *= 2
        }
        #expect(busy.run("COMMIT") == nil)
        #expect(silent.value("SELECT count(*) > 1 FROM t") == 1)
    }
}
