// The options that run a node.

import RowanCluster

/// The command-line options of the node to run.
struct NodeOptions {
    var settings: DqliteNode.Settings
    /// Members of the cluster to join.
    var join: [NodeAddress]
    var role: NodeRole
    /// Whether it exits when standard input ends, for tests.
    var endsWithInput: Bool
    /// Whether a node with an empty folder starts a cluster.
    var startsNew: Bool
    /// Where it reports its metrics and its health.
    var metrics: NodeAddress?

    /// - Throws: a `Failure` for wrong, missing or incompatible options.
    init(_ words: some Sequence<String>) throws(Failure) {
        let arguments = try Arguments(
            words,
            options: Arguments.tlsOptions.union([
                "id", "address", "data", "join", "role", "bind", "latency", "failure-domain", "snapshot-threshold",
                "snapshot-trailing", "statement-limit", "idle-transaction-limit",
                "disk-reserve", "dial", "metrics",
            ]), flags: ["trusted-network", "end-with-input", "start-new"])
        settings = try DqliteNode.Settings(arguments)
        join = try arguments.addresses("join")
        let name = try arguments.text("role") ?? "voter"
        guard let role = NodeRole.allCases.first(where: { "\($0)" == name }) else {
            throw .usage("--role must be voter, standby or spare")
        }
        self.role = role
        endsWithInput = arguments.has("end-with-input")
        startsNew = arguments.has("start-new")
        metrics = try arguments.text("metrics").map { text throws(Failure) in try NodeAddress.parse(text) }
        if let metrics, !arguments.has("trusted-network"), try !metrics.isLoopback() {
            throw Failure(
                """
                other machines can reach \(metrics) and read the metrics of the node: pass a loopback address, or \
                --trusted-network if it belongs to a private network
                """)
        }
    }
}

extension DqliteNode.Settings {
    /// - Throws: a `Failure` for wrong or missing options, or an address that needs `--trusted-network`.
    init(_ arguments: Arguments) throws(Failure) {
        guard let id = try arguments.number("id", in: 1...UInt64.max) else { throw .usage("--id is missing") }
        let address = try NodeAddress.parse(arguments.required("address"))
        let bind = try arguments.text("bind").map { text throws(Failure) in try NodeAddress.parse(text) } ?? address
        let folder = try arguments.required("data")
        let latency = try arguments.number("latency", in: 1...3_600_000) ?? 20
        self.init(id: id, address: address, bind: bind, folder: folder, latency: UInt32(latency))
        failureDomain = try arguments.number("failure-domain", in: 0...UInt64.max)
        snapshot = try Self.snapshot(arguments)
        let seconds: ClosedRange<UInt64> = 1...86_400
        statementLimit = try arguments.number("statement-limit", in: seconds) ?? statementLimit
        idleTransactionLimit = try arguments.number("idle-transaction-limit", in: seconds) ?? idleTransactionLimit
        if let megabytes = try arguments.number("disk-reserve", in: 0...UInt64.max >> 20) {
            diskReserve = megabytes << 20
        }
        detours = try Self.detours(arguments)
        tls = try arguments.tls()
        if tls == nil, !arguments.has("trusted-network") { try requireLoopback() }
    }

    /// - Throws: a `Failure` if other machines may reach the node.
    private func requireLoopback() throws(Failure) {
        for candidate in [address, bind] {
            guard try !candidate.isLoopback() else { continue }
            throw Failure(
                """
                other machines may reach \(candidate), and whoever reaches a node may read and write everything: there \
                is neither authentication nor encryption. Pass --certificate, --key and --ca; or put the nodes and their \
                clients into a private network, and pass --trusted-network.
                """)
        }
    }

    private static func snapshot(_ arguments: Arguments) throws(Failure) -> (threshold: UInt32, trailing: UInt32)? {
        let range = 1...UInt64(UInt32.max)
        let threshold = try arguments.number("snapshot-threshold", in: range)
        let trailing = try arguments.number("snapshot-trailing", in: range)
        guard threshold != nil || trailing != nil else { return nil }
        return (UInt32(threshold ?? 1024), UInt32(trailing ?? 8192))
    }

    /// `--dial ADDRESS=RELAY,...`: peers that are reached through a relay, for tests.
    private static func detours(_ arguments: Arguments) throws(Failure) -> [String: NodeAddress] {
        var detours: [String: NodeAddress] = [:]
        for pair in try arguments.text("dial")?.split(separator: ",") ?? [] {
            let sides = pair.split(separator: "=")
            guard sides.count == 2 else { throw .usage("--dial is ADDRESS=RELAY,...") }
            detours[try NodeAddress.parse(String(sides[0])).description] = try NodeAddress.parse(String(sides[1]))
        }
        return detours
    }
}
