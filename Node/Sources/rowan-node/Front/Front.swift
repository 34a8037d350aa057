// The front of a node. It accepts the connections of clients and other nodes, checks requests, and passes them on to
// dqlite, which only accepts connections from its own process. It therefore knows which client has stopped in the middle
// of a transaction, and can end it.

import Glibc
import RowanCluster
import RowanClusterTLS

/// The front of a node: a thread that accepts connections and passes on what they send.
struct Front {
    struct Settings {
        /// The address on which it listens.
        var address: NodeAddress
        /// How long the client of a transaction may send nothing, in seconds.
        var idleTransactionLimit: UInt64
        /// With it, clients and other nodes have to prove who they are.
        var tls: ClusterTLS?
        /// What it answers when it is asked for the space on the disk.
        var disk: DiskWatch
        /// What it counts.
        var counts: FrontCounts
    }

    /// The connections to other nodes that it takes over.
    let dialed: DialedPeers
    private let settings: Settings
    private let listener: Int32

    /// Listens. Connections are accepted once it has started.
    ///
    /// - Throws: a `Failure` if the address can't be used.
    init(_ settings: Settings) throws(Failure) {
        self.settings = settings
        dialed = try DialedPeers()
        listener = try settings.address.listen()
        Self.allowManyDescriptors()
    }

    /// Each connection takes two descriptors.
    private static func allowManyDescriptors() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // With the old limit, it serves fewer clients.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Accepts connections, in a thread of its own, until the process ends.
    ///
    /// - Parameter dqlite: the name of the abstract socket on which dqlite listens, after its `@`.
    /// - Throws: a `Failure` if the system has no thread for it.
    func start(dqlite: String) throws(Failure) {
        let loop = Unmanaged.passRetained(
            try FrontLoop(listener: listener, dialed: dialed, settings: settings, dqlite: dqlite))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<FrontLoop>.fromOpaque(context!).takeRetainedValue().run()
            }, loop.toOpaque())
        guard code == 0 else { throw .system("start a thread", code: code) }
    }
}
