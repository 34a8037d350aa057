// What a node reports about itself: its metrics, whether it responds, and whether it is ready.

import Glibc
@_spi(Node) import RowanCluster
import RowanClusterTLS
import Synchronization

/// Answers the requests for the metrics and the health of a node.
final class NodeReport: Sendable {
    let counts = FrontCounts()
    private let id: UInt64
    private let address: NodeAddress
    /// Where its front is reached from here: with TLS, its certificate is for its address.
    private let front: NodeAddress
    private let tls: ClusterTLS?
    private let folder: String
    private let disk: DiskWatch
    private let startTime = time(nil)
    private let isMember = Atomic(false)

    /// The maximum time for dqlite to respond.
    private static let patience = Duration.seconds(1)

    init(_ settings: DqliteNode.Settings, _ disk: DiskWatch) {
        (id, address, tls) = (settings.id, settings.address, settings.tls)
        front = tls == nil ? settings.bind : settings.address
        (folder, self.disk) = (settings.folder, disk)
    }

    /// Called when the node is a member of its cluster.
    func hasJoined() { isMember.store(true, ordering: .relaxed) }

    /// What dqlite responds.
    private struct Observation {
        let condition: NodeCondition
        /// nil if the leader doesn't respond.
        var members: [ClusterAdministration.Member]?

        var leader: UInt64? { condition.leader?.id }
    }

    private enum Path: String {
        case metrics = "/metrics"
        case health = "/health"
        case ready = "/ready"
    }

    func answers(to requests: [HTTPRequest]) -> [HTTPResponse] {
        // The connection of the observation is not counted.
        let values = counts.values
        let paths = requests.filter { $0.method == "GET" }.compactMap { Path(rawValue: $0.path) }
        let observation = paths.isEmpty ? nil : observe(withMembers: paths.contains { $0 != .health })
        return requests.map { request in
            guard let path = Path(rawValue: request.path) else {
                return HTTPResponse(status: .notFound, text: "there are only /metrics, /health and /ready\n")
            }
            guard request.method == "GET", let observation else {
                return HTTPResponse(status: .methodNotAllowed, text: "\(path.rawValue) only answers GET\n")
            }
            switch path {
            case .metrics: return HTTPResponse(status: .ok, text: metrics(observation, values))
            case .health: return response(healthProblem(observation))
            case .ready: return response(readinessProblem(observation))
            }
        }
    }

    private func response(_ problem: String?) -> HTTPResponse {
        HTTPResponse(status: problem == nil ? .ok : .serviceUnavailable, text: "\(problem ?? "ok")\n")
    }

    private func observe(withMembers: Bool) -> Observation {
        var observation = Observation(
            condition: NodeCondition(of: front.description, within: Self.patience, through: tls))
        guard withMembers, let leader = observation.condition.leader else { return observation }
        do {
            let address = try NodeAddress(leader.address)
            observation.members = try ClusterAdministration(addresses: [address], transport: tls)
                .members(within: .zero).members
        } catch {
            // The metrics then lack what the leader would report.
        }
        return observation
    }

    // MARK: Health

    private func healthProblem(_ observation: Observation) -> String? {
        guard !observation.condition.isReachable else { return nil }
        return "dqlite has not responded within a second: it may be running a long statement"
    }

    private func readinessProblem(_ observation: Observation) -> String? {
        if let problem = healthProblem(observation) { return problem }
        guard isMember.load(ordering: .relaxed) else { return "the node has not joined its cluster yet" }
        guard observation.leader != nil else {
            return "the node knows no leader: an election is running, or the majority of the voters does not respond"
        }
        if let members = observation.members, !members.contains(where: { $0.id == id }) {
            return "the node was removed from its cluster"
        }
        guard disk.space.isShort else { return nil }
        return "the disk is short of space: \(disk.space.available) bytes are left, and \(disk.space.reserve) should be"
    }

    // MARK: Metrics

    private func metrics(_ observation: Observation, _ values: FrontCounts.Values) -> String {
        var text = MetricsText()
        text.add(
            "info", .gauge, "The node and its versions.",
            [
                (
                    [
                        ("id", "\(id)"), ("address", address.description), ("version", RowanNode.version),
                        ("dqlite", RowanNode.dqliteVersion),
                    ], 1
                )
            ])
        text.add("up", .gauge, "Whether dqlite responds within a second.", observation.condition.isReachable)
        text.add("ready", .gauge, "Whether /ready responds with 200.", readinessProblem(observation) == nil)
        text.add("has_leader", .gauge, "Whether the node knows a leader.", observation.leader != nil)
        text.add("is_leader", .gauge, "Whether the node leads.", observation.leader == id)
        if let members = observation.members {
            let own = members.first { $0.id == id }?.role
            text.add(
                "role", .gauge, "1 for the role of the node, as the leader reports it.",
                NodeRole.allCases.map { ([("role", "\($0)")], own == $0 ? 1 : 0) })
            text.add(
                "members", .gauge, "The members of the cluster by role, as the leader reports them.",
                NodeRole.allCases.map { role in ([("role", "\(role)")], members.count { $0.role == role }) })
        }
        addCounts(&text, values)
        addResources(&text)
        return text.text
    }

    private func addCounts(_ text: inout MetricsText, _ values: FrontCounts.Values) {
        text.add(
            "connections", .gauge, "The connections of clients, and of other nodes.",
            [([("kind", "client")], values.clients), ([("kind", "peer")], values.peers)])
        text.add(
            "requests_total", .counter, "The requests of clients and nodes by kind.",
            RequestKind.allCases.map { ([("kind", "\($0)")], values.requests[Int($0.rawValue)]) })
        text.add("refused_requests_total", .counter, "The requests that the node has refused.", values.refusals)
        text.add("responses_total", .counter, "The responses to clients.", values.responses)
        text.add("received_bytes_total", .counter, "The bytes from clients and other nodes.", values.receivedBytes)
        text.add("sent_bytes_total", .counter, "The bytes to clients and other nodes.", values.sentBytes)
        text.add(
            "open_transactions", .gauge, "The clients that hold a transaction.", ConnectionWatch.transactionCount)
        text.add(
            "ended_transactions_total", .counter, "The transactions that have exceeded --idle-transaction-limit.",
            values.endedTransactions)
        text.add(
            "interrupted_statements_total", .counter, "The statements that have exceeded --statement-limit.",
            ConnectionWatch.interruptionCount)
    }

    private func addResources(_ text: inout MetricsText) {
        let space = disk.space
        // A disk that can't be asked.
        if space.available != .max {
            text.add(
                "disk_available_bytes", .gauge, "The bytes that are left on the disk of --data.", space.available)
        }
        text.add("disk_reserve_bytes", .gauge, "The bytes that should be left: --disk-reserve.", space.reserve)
        let process: [(String, String, UInt64?)] = [
            ("data_bytes", "The size of the log and the snapshots on the disk.", ProcessUsage.size(of: folder)),
            ("resident_memory_bytes", "The memory of the process.", ProcessUsage.residentMemory),
            ("open_descriptors", "The open descriptors of the process.", ProcessUsage.openDescriptorCount),
            ("descriptor_limit", "The maximum number of open descriptors.", ProcessUsage.descriptorLimit),
        ]
        for (name, help, value) in process { if let value { text.add(name, .gauge, help, value) } }
        text.add("start_time_seconds", .gauge, "When the process started, in seconds since 1970.", startTime)
    }
}
