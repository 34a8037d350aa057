// Chains of requests, and the turns of clients that write.

import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct ChainTests {
    let home: NodeHome

    init() throws {
        home = try NodeHome()
        try home.start(1)
        let client = try RawClient.opened(home.address(1))
        #expect(client.run("CREATE TABLE t (a UNIQUE)") == nil)
    }

    /// A chain of a number of requests.
    ///
    /// - Parameter turn: the longest wait for the turn to write, in milliseconds.
    private func chain(_ count: UInt64, turn: UInt64 = .max) -> [UInt8] { request(241, word(count) + word(turn)) }

    private func exec(_ sql: String) -> [UInt8] { request(8, word(0) + text(sql)) }

    private func query(_ sql: String) -> [UInt8] { request(9, word(0) + text(sql)) }

    private func rows() throws -> UInt64? { try RawClient.opened(home.address(1)).value("SELECT count(*) AS n FROM t") }

    private static let skipped = "an earlier request of the chain has failed"

    @Test func nothingRunsAfterAFailure() throws {
        let client = try RawClient.opened(home.address(1))
        client.send(
            chain(4) + exec("INSERT INTO t VALUES (1)") + exec("INSERT INTO t VALUES (1)")
                + exec("INSERT INTO t VALUES (2)") + request(240, word(0)) + query("SELECT count(*) FROM t"))
        let responses = (0..<6).map { _ in client.receive() }
        #expect(responses.map { $0?.type } == [8, 6, 0, 0, 0, 7])
        #expect(client.failure(responses[2]) == "UNIQUE constraint failed: t.a")
        #expect(client.failure(responses[3]) == Self.skipped)
        #expect(responses[3].map { number($0.body[..<8]) } == 20_002)
        #expect(client.failure(responses[4]) == Self.skipped)
        #expect(try rows() == 1)
    }

    /// The responses of a chain arrive together, and rows as they come.
    @Test func eachRequestHasAResponse() throws {
        let client = try RawClient.opened(home.address(1))
        let requests = chain(3) + exec("BEGIN") + query("SELECT a FROM t") + exec("COMMIT") + chain(0) + chain(1)
        for byte in requests + request(240, word(0)) { client.send([byte]) }
        #expect((0..<7).map { _ in client.receive()?.type } == [8, 6, 7, 6, 8, 8, 240])
    }

    @Test func malformedChains() throws {
        let cases: [(bytes: [UInt8], refusal: String)] = [
            (chain(101), "a malformed request of type 241"),
            (chain(2) + chain(1), "a request of type 241 in a chain"),
            (chain(1) + request(3, text("data") + word(0) + word(0)), "a request of type 3 in a chain"),
            (chain(1) + request(11, word(2) + text("127.0.0.1:1")), "a request of type 11 in a chain"),
        ]
        for (bytes, refusal) in cases {
            let client = try RawClient.opened(home.address(1))
            client.send(bytes)
            let message = client.failure(client.receive()) ?? client.failure(client.receive())
            #expect(message?.hasSuffix(refusal) == true, "\(message as Any)")
        }
        let client = try RawClient(home.address(1))
        client.send(chain(1, turn: 5))
        #expect(client.failure(client.receive()) == "the node refuses a turn without a database")
    }

    /// Clients write in the order in which they asked, each as soon as the one before has ended its transaction.
    @Test func clientsWriteInTheirOrder() throws {
        let holder = try RawClient.opened(home.address(1))
        holder.send(chain(1, turn: 1_000) + exec("BEGIN IMMEDIATE"))
        #expect((0..<2).map { _ in holder.receive()?.type } == [8, 6])
        let clients = try (1...5).map { number in
            let client = try RawClient.opened(home.address(1))
            client.send(
                chain(3, turn: 60_000) + exec("BEGIN IMMEDIATE")
                    + exec("INSERT INTO t VALUES ((SELECT count(*) * 10 + \(number) FROM t))") + exec("COMMIT"))
            #expect(client.isSilent(for: 0.02))
            return client
        }
        // One that does not want to wait, one that waits for a short time, and one that goes away meanwhile.
        for turn: UInt64 in [0, 50] {
            let client = try RawClient.opened(home.address(1))
            client.send(chain(1, turn: turn) + exec("BEGIN IMMEDIATE") + query("SELECT 1"))
            let responses = (0..<3).map { _ in client.receive() }
            #expect(client.failure(responses[0]) == "database is locked")
            #expect(responses[0].map { number($0.body[..<8]) } == 5)
            #expect(client.failure(responses[1]) == Self.skipped)
            #expect(responses[2]?.type == 7)
        }
        do {
            let gone = try RawClient.opened(home.address(1))
            gone.send(chain(1, turn: 60_000) + exec("INSERT INTO t VALUES ('gone')"))
            #expect(gone.isSilent(for: 0.02))
        }
        holder.send(exec("COMMIT"))
        #expect(holder.receive()?.type == 6)
        for client in clients { #expect((0..<4).map { _ in client.receive()?.type } == [8, 6, 6, 6]) }
        let client = try RawClient.opened(home.address(1))
        #expect(client.value("SELECT count(*) AS n FROM t WHERE a = (rowid - 1) * 10 + rowid") == 5)
        #expect(client.value("SELECT count(*) AS n FROM t") == 5)
    }

    /// The turn ends with the connection, and with a chain whose rest does not arrive.
    @Test func aTurnThatIsNotUsed() throws {
        do {
            let client = try RawClient.opened(home.address(1))
            client.send(chain(1, turn: 0) + exec("BEGIN IMMEDIATE"))
            #expect((0..<2).map { _ in client.receive()?.type } == [8, 6])
        }
        let next = try RawClient.opened(home.address(1))
        // dqlite needs a moment for its end.
        repeat {
            next.send(chain(1, turn: 30_000) + exec("INSERT INTO t VALUES (1)"))
        } while try #require(next.receive()).type == 8 && #require(next.receive()).type == 0
        #expect(try rows() == 1)
        let impatient = try NodeHome()
        try impatient.start(1, "--idle-transaction-limit", "1")
        let silent = try RawClient.opened(impatient.address(1))
        silent.send(chain(2, turn: 0) + exec("CREATE TABLE t (a)"))
        let client = try RawClient.opened(impatient.address(1))
        client.send(chain(1, turn: 30_000) + exec("INSERT INTO t VALUES (1)"))
        #expect((0..<2).map { _ in client.receive()?.type } == [8, 6])
        // The rest of the chain still runs.
        silent.send(query("SELECT count(*) FROM t"))
        #expect((0..<3).map { _ in silent.receive()?.type } == [8, 6, 7])
    }

    /// What a client has sent before it ended does not run any more.
    @Test func theClientEndsInAChain() throws {
        do {
            let client = try RawClient.opened(home.address(1))
            client.send(
                chain(3, turn: 0) + exec("BEGIN IMMEDIATE") + exec("INSERT INTO t VALUES (1)") + exec("COMMIT"))
        }
        #expect(try rows() == 0)
    }

    /// A second database does not make the front forget the turn for the first one.
    @Test func aSecondDatabase() throws {
        let client = try RawClient.opened(home.address(1))
        client.send(chain(1, turn: 0) + exec("BEGIN IMMEDIATE"))
        #expect((0..<2).map { _ in client.receive()?.type } == [8, 6])
        #expect(
            client.failure(client.ask(3, text("other") + word(0) + word(0)))
                == "a database for this connection is already open")
        #expect(client.run("ROLLBACK") == nil)
        let next = try RawClient.opened(home.address(1))
        next.send(chain(1, turn: 0) + exec("INSERT INTO t VALUES (1)"))
        #expect((0..<2).map { _ in next.receive()?.type } == [8, 6])
    }

    /// A client that sends many chains at once takes turns with others.
    @Test func manyChainsAtOnce() throws {
        let (greedy, other) = (try RawClient.opened(home.address(1)), try RawClient.opened(home.address(1)))
        let holder = try RawClient.opened(home.address(1))
        holder.send(chain(1, turn: 0) + exec("BEGIN IMMEDIATE"))
        #expect((0..<2).map { _ in holder.receive()?.type } == [8, 6])
        let insertion = chain(1, turn: 60_000) + exec("INSERT INTO t (a) VALUES (NULL)")
        greedy.send(Array(repeatElement(insertion, count: 20).joined()))
        #expect(greedy.isSilent(for: 0.02))
        other.send(chain(1, turn: 60_000) + exec("INSERT INTO t VALUES ('other')"))
        #expect(other.isSilent(for: 0.02))
        #expect(holder.run("COMMIT") == nil)
        for _ in 0..<40 { #expect(greedy.receive()?.type != 0) }
        #expect(greedy.value("SELECT rowid AS n FROM t WHERE a = 'other'") == 2)
    }

    /// A client that receives nothing for a while gets large responses later.
    @Test func largeResponses() throws {
        let client = try RawClient.opened(home.address(1))
        let part = query("SELECT zeroblob(60000) AS b")
        client.send(
            chain(99, turn: 0) + exec("BEGIN IMMEDIATE") + Array(repeatElement(part, count: 97).joined())
                + exec("COMMIT"))
        #expect(!client.isSilent(for: 5))
        // Long enough for the queues to be full.
        usleep(700_000)
        // Rows have several parts.
        var types: [UInt8] = []
        while types.count(where: { $0 == 6 }) < 2, let response = client.receive() { types.append(response.type) }
        #expect(types.prefix(2) == [8, 6] && types.last == 6)
        #expect(types.count(where: { $0 == 7 }) >= 97)
    }

    /// Responses that have waited for the rest of a chain arrive without it, also if the transaction has ended.
    @Test func theRestOfAChainIsMissing() throws {
        let impatient = try NodeHome()
        try impatient.start(1, "--idle-transaction-limit", "1")
        for (statement, isEnded) in [("CREATE TABLE t (a)", false), ("BEGIN IMMEDIATE", true)] {
            let client = try RawClient.opened(impatient.address(1))
            client.send(chain(2) + exec(statement))
            #expect((0..<2).map { _ in client.receive()?.type } == [8, 6])
            guard isEnded else { continue }
            usleep(2_000_000)
            #expect(client.run("COMMIT")?.hasPrefix("the node has rolled back the transaction") == true)
        }
    }
}
