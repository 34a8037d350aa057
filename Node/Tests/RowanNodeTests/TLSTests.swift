// Nodes and clients that prove who they are.

import Foundation
import Rowan
import RowanCluster
import RowanClusterTLS
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct TLSTests {
    let home: NodeHome
    let certificates: Certificates

    init() throws {
        home = try NodeHome()
        let host = String(home.address(1).prefix { $0 != ":" })
        certificates = try Certificates(home.folder.appendingPathComponent("certificates"), node: host)
    }

    private func start(_ id: Int, as name: String = "node1") throws -> Program {
        try home.start(id, options: certificates.options(name))
    }

    private func client(_ tls: ClusterTLS?, _ ids: Int...) throws -> DatabaseCluster {
        var options = ClusterOptions()
        options.transport = tls
        return try DatabaseCluster(addresses: ids.map(home.address), database: "data", options: options)
    }

    /// The message with which a client fails that finds no leader.
    private func refusal(_ tls: ClusterTLS?) throws -> String {
        var options = ClusterOptions()
        options.transport = tls
        // The reasons are those of the last attempt, for which it waits longer.
        options.failoverTimeout = .milliseconds(1500)
        let error = #expect(throws: DatabaseError.self) {
            let cluster = try DatabaseCluster(addresses: [home.address(1)], database: "data", options: options)
            _ = try cluster.read { try Int.fetchOne($0, sql: "SELECT 1") }
        }
        #expect(error?.isLeaderChange == true)
        return error?.message ?? ""
    }

    private func expectRefusal(_ tls: ClusterTLS?, _ text: String) throws {
        let message = try refusal(tls)
        #expect(message.contains(text), "\(message)")
    }

    @Test func aClusterSurvivesItsLeader() throws {
        let first = try start(1)
        _ = try start(2)
        _ = try start(3)
        let cluster = try client(certificates.client(), 1, 2, 3)
        try cluster.write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, b BLOB)")
            // More than the buffers of the sockets, in both directions.
            for _ in 0..<4 {
                try db.execute(sql: "INSERT INTO t (b) VALUES (?)", arguments: [Data(repeating: 7, count: 1 << 20)])
            }
        }
        let blobs = try cluster.read { try Data.fetchAll($0, sql: "SELECT b FROM t") }
        #expect(blobs == Array(repeating: Data(repeating: 7, count: 1 << 20), count: 4))
        first.end(by: SIGKILL)
        while true {
            do {
                try cluster.write { try $0.execute(sql: "INSERT INTO t (b) VALUES (x'01')") }
                break
            } catch let error as DatabaseError where error.isLeaderChange {}
        }
        #expect(try cluster.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 5)
        _ = try start(1)
        let status = try Program(["status", "--check", "--cluster", home.address(2)] + certificates.options("client"))
            .end()
        #expect(status.code == 0, "\(status.errors)")
    }

    @Test func connectionsThatAreRefused() throws {
        let node = try start(1)
        #expect(try client(certificates.client(), 1).read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
        try expectRefusal(nil, "the node only accepts TLS: set ClusterOptions.tls, or pass --certificate")

        try certificates.sign("client", days: -1)
        try expectRefusal(
            certificates.client(), "it refuses this certificate or connection: sslv3 alert certificate expired")
        try certificates.sign("client", days: 1)

        let host = String(home.address(1).prefix { $0 != ":" })
        let others = try Certificates(home.folder.appendingPathComponent("others"), node: host)
        try expectRefusal(
            others.client(authority: certificates.path("ca.pem")),
            "it refuses this certificate or connection: ")
        try expectRefusal(others.client(), "its certificate is refused: ")

        // Without a certificate.
        try certificates.run(
            "openssl s_client -connect \(home.address(1)) -CAfile ca.pem > bare.txt 2>&1 < /dev/zero || true")
        let bare = try String(contentsOfFile: certificates.path("bare.txt"), encoding: .utf8)
        #expect(bare.contains("certificate required"))
        #expect(node.end(by: SIGTERM) == 0)
        let log = node.errors()
        #expect(log.contains("event=not-secured"))
        #expect(log.contains("its certificate is refused: certificate has expired"))
    }

    @Test func aNodeForAnotherAddress() throws {
        try certificates.run(
            """
            openssl req -newkey ed25519 -nodes -subj "/CN=x" -addext "subjectAltName=IP:10.9.9.9" \
            -addext "extendedKeyUsage=serverAuth,clientAuth" -keyout x.key -out x.csr
            """)
        try certificates.sign("x", days: 1)
        let node = try Program(home.options(1) + certificates.options("x"))
        #expect(node.line() == "ready \(home.address(1))")
        try expectRefusal(certificates.client(), "its certificate is refused: IP address mismatch")
        node.end(by: SIGKILL)
    }

    /// A client has a certificate of the authority, but not for the address of a node.
    @Test func aClientCannotBeANode() throws {
        _ = try start(1)
        let intruder = try RawClient(home.address(1), tls: certificates.client())
        let message = intruder.failure(intruder.ask(11, word(9) + text(home.address(2))))
        #expect(message == "the node refuses a node whose certificate is not that of a node with its address")
        // Nor with a name of its own.
        let host = String(home.address(1).prefix { $0 != ":" })
        try certificates.run(
            """
            openssl req -newkey ed25519 -nodes -subj "/CN=\(host)" -addext "subjectAltName=IP:\(host)" -keyout y.key -out y.csr
            """)
        try certificates.sign("y", days: 1)
        let named = try RawClient(home.address(1), tls: certificates.client("y"))
        #expect(named.failure(named.ask(11, word(9) + text(home.address(2)))) == message)
        let peer = try RawClient(home.address(1), tls: certificates.client("node1"))
        peer.send(request(11, word(9) + text(home.address(2))))
        #expect(peer.isSilent(for: 0.5))
    }

    /// The signal would end the program.
    @Test func aNodeThatIsGoneSendsNoSignal() throws {
        let node = try start(1)
        let client = try RawClient(home.address(1), tls: certificates.client())
        signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, SIG_IGN) }
        node.end(by: SIGKILL)
        for _ in 0..<5 {
            client.send(request(0, word(0)))
            usleep(10_000)
        }
        #expect(client.receive() == nil)
    }

    @Test func aPlainNode() throws {
        try home.start(1)
        try expectRefusal(certificates.client(), "it closed the connection before it was secured")
    }

    @Test func certificatesAreRenewedWithoutARestart() throws {
        let tls = try certificates.client()
        try certificates.sign("node1", days: -1)
        let node = try start(1)
        try expectRefusal(tls, "its certificate is refused: certificate has expired")
        // Half of a renewal: the old certificate stays in use.
        try certificates.run("cp node1.pem old.pem; : > node1.pem")
        try expectRefusal(tls, "its certificate is refused: certificate has expired")
        try certificates.sign("node1", days: 1)
        #expect(try client(tls, 1).read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
        // And that of the client.
        try certificates.sign("client", days: -1)
        try expectRefusal(tls, "certificate expired")
        #expect(node.end(by: SIGTERM) == 0)
        #expect(node.errors().contains("event=certificate-not-read"))
    }

    @Test(arguments: [["certificate"], ["key", "ca"], ["ca"]])
    func optionsThatBelongTogether(_ names: [String]) throws {
        let result = try Program(home.options(1) + names.flatMap { ["--\($0)", "x"] }).end()
        #expect(result.code == 64)
        #expect(result.errors.contains("--certificate, --key and --ca belong together"))
    }

    @Test func filesThatCannotBeRead() throws {
        var options = certificates.options("node1")
        options[3] = certificates.path("client.key")
        let mixed = try Program(home.options(1) + options).end()
        #expect(
            mixed.errors.contains(
                "can't be read, has a password, or belongs to another certificate: key values mismatch"))
        options[1] = certificates.path("missing.pem")
        let missing = try Program(home.options(1) + options).end()
        #expect(missing.errors.contains("the certificate \(certificates.path("missing.pem")) can't be read: "))
    }
}
