// dqlite's node, from its creation to its end. It runs in a separate thread.

import CDqlite
import Glibc
import RowanCluster
import RowanClusterTLS

final class DqliteNode {
    /// The settings of a node before it starts.
    struct Settings {
        var id: UInt64
        var address: NodeAddress
        /// The address on which its front listens.
        var bind: NodeAddress
        var folder: String
        /// The latency of the network in milliseconds, from which heartbeats and elections are derived.
        var latency: UInt32
        var failureDomain: UInt64?
        /// The number of log entries after which it takes a snapshot, and the number it keeps after one.
        var snapshot: (threshold: UInt32, trailing: UInt32)?
        /// In seconds: see ``ConnectionWatch``.
        var statementLimit: UInt64 = 5
        /// In seconds: see ``Front``.
        var idleTransactionLimit: UInt64 = 5
        /// In bytes: see ``DiskWatch``.
        var diskReserve: UInt64 = 256 << 20
        var tls: ClusterTLS?
        var detours: [String: NodeAddress] = [:]
    }

    /// The ids with which a new node starts a cluster: 1, and the one that dqlite reserves for it.
    static let firstIDs: Set<UInt64> = [1, 0x2dc1_7185_8c31_55be]

    private let handle: OpaquePointer
    /// dqlite keeps an unretained pointer to it.
    private let dialer: Dialer
    private var isRunning = false
    private var isBroken = false

    /// - Throws: a `Failure` if the folder or the address can't be used.
    ///
    /// - Parameter dialed: takes over the connections to other nodes with TLS.
    init(_ settings: Settings, dialed: DialedPeers? = nil) throws(Failure) {
        // Unresponsive peers must not occupy all threads of libuv, which also write the log.
        setenv("UV_THREADPOOL_SIZE", "16", 0)
        try ConnectionWatch.begin(statementLimit: settings.statementLimit)
        let tls = if let tls = settings.tls, let dialed { (tls, dialed) } else { (ClusterTLS, DialedPeers)?.none }
        dialer = Dialer(timeout: max(1000, Int32(settings.latency) * 10), detours: settings.detours, tls: tls)
        var handle: OpaquePointer?
        let code = dqlite_node_create(settings.id, settings.address.description, settings.folder, &handle)
        guard code == 0, let handle else {
            let reason = handle.map { String(cString: dqlite_node_errmsg($0)) } ?? "code \(code)"
            throw Failure("can't open \(settings.folder): \(reason)")
        }
        self.handle = handle
        do {
            try configure(settings)
        } catch {
            // dqlite frees memory twice when such a node is destroyed, and the program exits anyway.
            isBroken = true
            throw error
        }
    }

    deinit {
        guard !isBroken else { return }
        if isRunning { dqlite_node_stop(handle) }
        dqlite_node_destroy(handle)
    }

    private func configure(_ settings: Settings) throws(Failure) {
        // A socket that only accepts connections of this process. dqlite has no message for a failure.
        guard dqlite_node_set_bind_address(handle, "@") == 0 else { throw .system("listen on a local socket") }
        let context = Unmanaged.passUnretained(dialer).toOpaque()
        try check(dqlite_node_set_connect_func(handle, connectToPeer, context), "set how it connects to peers")
        try check(
            dqlite_node_set_network_latency_ms(handle, settings.latency), "set a latency of \(settings.latency) ms")
        if let domain = settings.failureDomain {
            try check(dqlite_node_set_failure_domain(handle, domain), "set the failure domain \(domain)")
        }
        if let (threshold, trailing) = settings.snapshot {
            try check(dqlite_node_set_snapshot_params(handle, threshold, trailing), "set when it takes snapshots")
        }
    }

    /// The name of the abstract socket on which it listens.
    var socketName: String { String(String(cString: dqlite_node_get_bind_address(handle)).drop { $0 == "@" }) }

    /// - Throws: a `Failure` if the log in its folder can't be read.
    func start() throws(Failure) {
        try check(dqlite_node_start(handle), "start the node")
        isRunning = true
    }

    /// Closes the connections of clients and waits for pending writes.
    ///
    /// - Throws: a `Failure` if dqlite reports an error.
    func stop() throws(Failure) {
        isRunning = false
        try check(dqlite_node_stop(handle), "stop the node")
    }

    /// Makes the node the only member of its cluster. It must not have started.
    ///
    /// - Throws: a `Failure` if the log in its folder can't be read or written.
    func recover(_ settings: Settings) throws(Failure) {
        let code = settings.address.description.withCString { address in
            var member = dqlite_node_info_ext()
            member.size = UInt64(MemoryLayout<dqlite_node_info_ext>.size)
            member.id = settings.id
            member.address = UInt64(UInt(bitPattern: address))
            member.dqlite_role = 0
            return dqlite_node_recover_ext(handle, &member, 1)
        }
        try check(code, "recover \(settings.folder)")
    }

    private func check(_ code: Int32, _ action: @autoclosure () -> String) throws(Failure) {
        guard code != 0 else { return }
        let reason = dqlite_node_errmsg(handle).map { String(cString: $0) } ?? ""
        throw Failure("can't \(action()): \(reason.isEmpty ? "dqlite's code is \(code)" : reason)")
    }
}

/// Called by dqlite to connect to a peer: see `dqlite_node_set_connect_func`.
private func connectToPeer(
    _ context: UnsafeMutableRawPointer?, _ address: UnsafePointer<CChar>?, _ descriptor: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let context, let address, let descriptor else { return DQLITE_MISUSE }
    let dialer = Unmanaged<Dialer>.fromOpaque(context).takeUnretainedValue()
    do {
        descriptor.pointee = try dialer.connect(to: String(cString: address))
        return 0
    } catch {
        // Unreachable peers are expected; dqlite retries.
        return DQLITE_ERROR
    }
}
