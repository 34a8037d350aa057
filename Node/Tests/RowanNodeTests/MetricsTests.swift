// The metrics and the health of nodes.

import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct MetricsTests {
    let home: NodeHome

    init() throws { home = try NodeHome() }

    /// Where a node serves its metrics.
    private func metrics(_ id: Int) -> String { home.address(id + 100) }

    private func start(_ id: Int, _ more: String...) throws -> Program {
        try home.start(id, options: ["--metrics", metrics(id)] + more)
    }

    private func get(_ id: Int, _ path: String) throws -> MetricsPage { try .get(metrics(id), path) }

    private func values(_ id: Int) throws -> [String: UInt64] { try get(id, "/metrics").values() }

    /// Waits for a page whose text has a beginning.
    private func wait(_ id: Int, _ path: String, for beginning: String) throws -> MetricsPage {
        while true {
            let page = try get(id, path)
            if page.text.hasPrefix(beginning) { return page }
            usleep(20_000)
        }
    }

    private func wait(_ id: Int, for name: String, _ value: UInt64) throws {
        while try values(id)[name] != value { usleep(20_000) }
    }

    @Test func aLeaderAndAFollower() throws {
        _ = try start(1)
        _ = try start(2)
        for id in [1, 2] {
            for path in ["/health", "/ready", "/ready?verbose"] {
                let page = try wait(id, path, for: "ok")
                #expect(page.status == "HTTP/1.1 200 OK")
                #expect(page.text == "ok\n")
            }
            let page = try get(id, "/metrics")
            #expect(page.headers.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8"))
            let values = try page.values()
            #expect(values["is_leader"] == (id == 1 ? 1 : 0))
            for name in ["up", "ready", "has_leader", "role{role=\"voter\"}"] { #expect(values[name] == 1, "\(name)") }
            #expect(values["role{role=\"spare\"}"] == 0)
            #expect(values["members{role=\"voter\"}"] == 2)
            #expect(values["members{role=\"standby\"}"] == 0)
            let info = values.keys.filter { $0.hasPrefix("info") }
            #expect(info.count == 1)
            #expect(info.first?.hasPrefix("info{id=\"\(id)\",address=\"\(home.address(id))\",version=\"") == true)
            let resources = [
                "disk_available_bytes", "disk_reserve_bytes", "data_bytes", "resident_memory_bytes", "open_descriptors",
                "start_time_seconds",
            ]
            for name in resources { #expect(values[name] ?? 0 > 0, "\(name)") }
            #expect(values["descriptor_limit"] ?? 0 > values["open_descriptors"] ?? 0)
        }
        try wait(2, for: "connections{kind=\"peer\"}", 1)
    }

    @Test func aNodeWithoutAMajorityIsNotReady() throws {
        _ = try start(1)
        let second = try start(2)
        second.send(SIGSTOP)
        let page = try wait(1, "/ready", for: "the node knows no leader")
        #expect(page.status == "HTTP/1.1 503 Service Unavailable")
        #expect(try get(1, "/health").text == "ok\n")
        let values = try values(1)
        #expect(values["up"] == 1)
        for name in ["ready", "has_leader", "is_leader"] { #expect(values[name] == 0, "\(name)") }
        #expect(values["members{role=\"voter\"}"] == nil)
        second.send(SIGCONT)
        _ = try wait(1, "/ready", for: "ok")
    }

    @Test func onlyAMemberIsReady() throws {
        // A node that was stopped before it joined.
        try FileManager.default.createDirectory(atPath: home.path(2), withIntermediateDirectories: true)
        let owner = "id 2\naddress \(home.address(2))\nstate joining\n"
        try Data(owner.utf8).write(to: URL(fileURLWithPath: home.path(2) + "/rowan-node.txt"))
        let second = try Program(home.options(2) + ["--metrics", metrics(2)])
        defer { second.end(by: SIGKILL) }
        #expect(second.logs("event=starting"))
        #expect(second.logs("event=waiting"))
        let page = try get(2, "/ready")
        #expect(page.status == "HTTP/1.1 503 Service Unavailable")
        #expect(page.text == "the node has not joined its cluster yet\n")
        #expect(try get(2, "/health").text == "ok\n")
        _ = try start(1)
        #expect(second.line() == "ready \(home.address(2))")
        _ = try wait(2, "/ready", for: "ok")
        #expect(try Program(["remove", "--cluster", home.address(1), "--id", "2"]).end().code == 0)
        while try get(2, "/ready").status == "HTTP/1.1 200 OK" { usleep(20_000) }
    }

    @Test func aLongStatementIsNoticedAndInterrupted() throws {
        _ = try start(1, "--statement-limit", "6")
        let client = try RawClient.opened(home.address(1))
        client.send(
            request(
                9, word(0) + text("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT max(i) FROM n")))
        let page = try wait(1, "/health", for: "dqlite has not responded within a second")
        #expect(page.status == "HTTP/1.1 503 Service Unavailable")
        #expect(client.receive()?.type == 0)
        #expect(try get(1, "/health").text == "ok\n")
        #expect(try values(1)["interrupted_statements_total"] == 1)
    }

    @Test func aShortDisk() throws {
        _ = try start(1, "--disk-reserve", "1000000000000")
        let page = try get(1, "/ready")
        #expect(page.status == "HTTP/1.1 503 Service Unavailable")
        #expect(page.text.hasPrefix("the disk is short of space: "))
        #expect(page.text.hasSuffix(" bytes are left, and 1048576000000000000 should be\n"))
        #expect(try get(1, "/health").text == "ok\n")
        let values = try values(1)
        #expect(values["ready"] == 0)
        #expect(values["disk_reserve_bytes"] == 1_048_576_000_000_000_000)
    }

    // MARK: Counters

    @Test func countersGrowByWhatWasDone() throws {
        _ = try start(1)
        let client = try RawClient.opened(home.address(1))
        let first = try values(1)
        // What the metrics themselves ask.
        let second = try values(1)
        func growth(_ name: String, _ old: [String: UInt64], _ new: [String: UInt64]) throws -> UInt64 {
            try #require(new[name]) - #require(old[name])
        }
        #expect(client.run("CREATE TABLE t (a)") == nil)
        for _ in 0..<3 { #expect(client.run("INSERT INTO t VALUES (1)") == nil) }
        for _ in 0..<2 { #expect(client.value("SELECT sum(a) FROM t") == 3) }
        let id = number(try #require(client.ask(4, word(0) + text("SELECT 1"))).body[4..<8])
        #expect(client.ask(6, word(id << 32))?.type == 7)
        #expect(client.ask(7, word(id << 32))?.type == 8)
        #expect(client.ask(240, word(0))?.type == 240)
        #expect(client.ask(241, word(0) + word(.max))?.type == 8)
        #expect(client.run("this is not SQL") != nil)
        let third = try values(1)
        let expected: [String: UInt64] = [
            "leader": 0, "client": 0, "open": 0, "prepare": 1, "exec": 0, "query": 1, "finalize": 1, "execSQL": 5,
            "querySQL": 2, "connect": 0, "add": 0, "assign": 0, "remove": 0, "dump": 0, "cluster": 0, "transfer": 0,
            "diskSpace": 1, "chain": 1,
        ]
        for (kind, count) in expected {
            let name = "requests_total{kind=\"\(kind)\"}"
            let own = try growth(name, first, second)
            #expect(try growth(name, second, third) == own + count, "\(kind)")
        }
        #expect(first.keys.count { $0.hasPrefix("requests_total") } == expected.count)
        let bytes = [
            text("CREATE TABLE t (a)"), text("INSERT INTO t VALUES (1)"), text("INSERT INTO t VALUES (1)"),
            text("INSERT INTO t VALUES (1)"), text("SELECT sum(a) FROM t"), text("SELECT sum(a) FROM t"),
            text("SELECT 1"), text("this is not SQL"),
        ].map { 16 + $0.count }.reduce(3 * 16 + 24, +)
        let received = try (
            growth("received_bytes_total", first, second), growth("received_bytes_total", second, third)
        )
        #expect(received.1 == received.0 + UInt64(bytes))
        for name in ["refused_requests_total", "ended_transactions_total", "interrupted_statements_total"] {
            #expect(third[name] == 0, "\(name)")
        }
        // Each request has a response, which is counted after it is sent.
        while true {
            let values = try values(1)
            let requests = values.filter { $0.key.hasPrefix("requests_total") }.values.reduce(0, +)
            if values["responses_total"] == requests { break }
            usleep(20_000)
        }
    }

    @Test func connectionsAndTransactions() throws {
        _ = try start(1, "--idle-transaction-limit", "600")
        try wait(1, for: "connections{kind=\"client\"}", 0)
        let client = try RawClient.opened(home.address(1))
        var other: RawClient? = try RawClient.opened(home.address(1))
        try wait(1, for: "connections{kind=\"client\"}", 2)
        #expect(try values(1)["open_transactions"] == 0)
        #expect(client.run("CREATE TABLE t (a)") == nil)
        #expect(client.run("BEGIN IMMEDIATE") == nil)
        #expect(client.run("INSERT INTO t VALUES (1)") == nil)
        #expect(try values(1)["open_transactions"] == 1)
        #expect(client.run("COMMIT") == nil)
        #expect(try values(1)["open_transactions"] == 0)
        other?.send(request(77, word(0)))
        #expect(other?.failure(other?.receive())?.contains("the unknown type 77") == true)
        other = nil
        #expect(try values(1)["refused_requests_total"] == 1)
        try wait(1, for: "connections{kind=\"client\"}", 1)
    }

    @Test func endedTransactions() throws {
        _ = try start(1, "--idle-transaction-limit", "1")
        let client = try RawClient.opened(home.address(1))
        #expect(client.run("CREATE TABLE t (a)") == nil)
        #expect(client.run("BEGIN IMMEDIATE") == nil)
        try wait(1, for: "ended_transactions_total", 1)
        try wait(1, for: "open_transactions", 0)
    }

    // MARK: HTTP

    @Test func wrongRequests() throws {
        let node = try start(1)
        let wrong: [(request: String, status: String, text: String)] = [
            ("GET / HTTP/1.1\r\n\r\n", "404 Not Found", "there are only /metrics"),
            ("GET /metricsx HTTP/1.0\r\n\r\n", "404 Not Found", "there are only /metrics"),
            ("POST /metrics HTTP/1.1\r\nA: 3\r\n\r\nabc", "405 Method Not Allowed", "/metrics only answers"),
            ("HEAD /health HTTP/1.1\r\n\r\n", "405 Method Not Allowed", "/health only answers"),
            ("hello\r\n", "400 Bad Request", "the first line"), ("\r\n\r\n", "400 Bad Request", "the first line"),
            ("GET  /metrics HTTP/1.1\r\n", "400 Bad Request", "the first line"),
            ("GET /metrics HTTP/2\r\n\r\n", "400 Bad Request", "the first line"),
            ("GET metrics HTTP/1.1\r\n\r\n", "400 Bad Request", "the first line"),
            ("get /metrics HTTP/1.1\r\n\r\n", "400 Bad Request", "the first line"),
            ("GET /metrics HTTP/1.1\r\nno header\r\n\r\n", "400 Bad Request", "the line 2 is not a header"),
            ("GET /metrics HTTP/1.1\r\n: no name\r\n\r\n", "400 Bad Request", "the line 2 is not a header"),
            ("GET /metrics HTTP/1.1\u{0}", "400 Bad Request", "the request contains a byte"),
            ("GET /caf\u{e9} HTTP/1.1", "400 Bad Request", "the request contains a byte"),
            (String(repeating: "A", count: 9000), "400 Bad Request", "the request is longer than 8192 bytes"),
            (
                "GET /metrics HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 2000), "400 Bad Request",
                "the request is longer than 8192 bytes"
            ),
        ]
        for (request, status, text) in wrong {
            let page = try MetricsPage(metrics(1), request)
            #expect(page.status == "HTTP/1.1 \(status)", "\(request.prefix(40))")
            #expect(page.text.hasPrefix(text), "\(request.prefix(40)): \(page.text)")
            #expect(page.headers.contains("Allow: GET") == (status.hasPrefix("405")))
        }
        // The start of a TLS connection, and a client that sends one byte after the other.
        #expect(try MetricsPage(metrics(1), [22, 3, 1, 2, 0]).status == "HTTP/1.1 400 Bad Request")
        let slow = try RawClient(metrics(1), greets: false)
        for byte in "GET /health HTTP/1.1\n\n".utf8 { slow.send([byte]) }
        #expect(String(decoding: slow.receiveAll(), as: UTF8.self).hasSuffix("\r\n\r\nok\n"))
        #expect(node.end(by: SIGTERM) == 0)
    }

    @Test func randomBytesAndSilentClients() throws {
        let node = try start(1)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            let client = try RawClient(metrics(1), greets: false)
            client.send((0..<Int.random(in: 1...20_000)).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        // More than the server keeps: the oldest ones end.
        let silent = try (0..<100).map { _ in try RawClient(metrics(1), greets: false) }
        #expect(try get(1, "/ready").text == "ok\n")
        #expect(silent[0].receiveAll() == [])
        for client in silent { client.send(Array("GET /metr".utf8)) }
        #expect(try get(1, "/health").text == "ok\n")
        // Those that are left end after a few seconds.
        for client in silent { #expect(client.receiveAll() == []) }
        #expect(node.end(by: SIGTERM) == 0)
    }

    @Test func manyClientsAtTheSameTime() async throws {
        _ = try start(1)
        let address = metrics(1)
        try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask { try MetricsPage.get(address, "/metrics").values()["up"] }
            }
            for try await up in group { #expect(up == 1) }
        }
    }

    @Test func addressesThatAreRefused() throws {
        let open = try Program(home.options(1) + ["--metrics", "0.0.0.0:\(freePort())"]).end()
        #expect(open.code == 1)
        #expect(open.errors.contains("other machines can reach 0.0.0.0:"))
        let used = try Program(home.options(1) + ["--metrics", home.address(1)]).end()
        #expect(used.code == 1)
        #expect(used.errors.contains("can't listen on \(home.address(1)): Address already in use"))
        #expect(try Program(home.options(1) + ["--metrics", "nowhere"]).end().code == 64)
    }
}
