// The thread of the front: it waits for its sockets and moves bytes between them.

import CPoller
import Glibc
import RowanCluster
@_spi(Node) import RowanClusterTLS

/// The connections of a front. Only its thread uses it.
final class FrontLoop {
    let listener: Int32
    let dialed: DialedPeers
    let tls: ClusterTLS?
    let poller: Poller
    let dqlite: DqliteSocket
    let idleLimit: Duration
    let idleTime: String
    let disk: DiskWatch
    let counts: FrontCounts
    var clients: [UInt64: FrontClient] = [:]
    var lastID: UInt64 = 0
    /// The client whose database dqlite is opening. Others have to wait, so that the connection which SQLite opens
    /// meanwhile is known to be its own.
    var opening: UInt64?
    var nextSweep = ContinuousClock.now
    var isAccepting = true
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    /// The bytes that it keeps for dqlite, of all clients.
    var keptSize = 0
    /// Whether held clients may continue.
    var mayHeldContinue = false
    var turns = WriterTurns()
    /// The clients whose turn it is to write.
    var mayContinue: [UInt64] = []
    /// Clients whose bytes are with TLS and not with the system, so that no event reports them.
    var unfinished: Set<UInt64> = []
    /// When it last said that it refuses clients, and how many it has refused since.
    var refusals = (date: ContinuousClock.now - .seconds(1), count: 0)
    /// The maximum number of connections.
    private let largestCount: Int
    /// The number of connections that have sent requests as clients.
    private var admittedCount = 0

    /// How often it looks for idle transactions and silent connections.
    static let sweepInterval = Duration.milliseconds(250)
    /// A connection without a finished handshake and a protocol version is closed after this time.
    static let greetingTime = Duration.seconds(10)
    /// How long a client has to receive the reason for which it is refused.
    static let closingTime = Duration.seconds(2)
    /// The largest size of all requests that are incomplete or wait for dqlite.
    static let largestKeptSize = 3 << 29
    /// The descriptors that are left to dqlite, and to everything else.
    private static let otherDescriptorCount = 256
    /// The maximum number of connections without a request.
    private static let largestNewCount = 128
    /// The largest size of responses that wait for the rest of their chain.
    static let largestCork = 1 << 14

    static let listenerTag = UInt64.max
    static let dialedTag = UInt64.max - 1

    init(listener: Int32, dialed: DialedPeers, settings: Front.Settings, dqlite: String) throws(Failure) {
        self.listener = listener
        self.dialed = dialed
        tls = settings.tls
        idleLimit = .seconds(Int64(clamping: settings.idleTransactionLimit))
        idleTime = settings.idleTransactionLimit == 1 ? "a second" : "\(settings.idleTransactionLimit) seconds"
        (disk, counts) = (settings.disk, settings.counts)
        self.dqlite = DqliteSocket(name: dqlite)
        poller = try Poller()
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // A connection takes two descriptors.
        largestCount = max(16, (Int(clamping: limit.rlim_cur) - Self.otherDescriptorCount) / 2)
        guard poller.add(listener, tag: Self.listenerTag, events: .readable),
            poller.add(dialed.wake, tag: Self.dialedTag, events: .readable)
        else { throw .system("wait for sockets") }
    }

    deinit { scratch.deallocate() }

    func run() -> Never {
        var lastTurn = ContinuousClock.now
        while true {
            let isIncomplete = poller.wait(milliseconds: longestWait) { tag, events in
                if tag == Self.listenerTag { return accept() }
                if tag == Self.dialedTag { return takeOverDialed() }
                // An earlier event may have closed it.
                guard let client = clients[tag >> 1] else { return }
                if tag & 1 == 0 { clientIsReady(client, events) } else { nodeIsReady(client, events) }
                update(client)
            }
            continueClients()
            let now = ContinuousClock.now
            mayContinue += turns.takeExpired(at: now)
            // A process that was stopped has not seen what its clients have sent meanwhile.
            if now - lastTurn > .seconds(1) { for client in clients.values { client.lastProgress = now } }
            lastTurn = now
            // Many ready sockets delay it, but not permanently.
            if now >= nextSweep, !isIncomplete || now - nextSweep > .seconds(2) {
                nextSweep = now + Self.sweepInterval
                sweep(now)
            }
        }
    }

    /// In milliseconds.
    private var longestWait: Int32 {
        if mayHeldContinue || !unfinished.isEmpty || !mayContinue.isEmpty { return 0 }
        if clients.isEmpty, isAccepting { return -1 }
        guard let deadline = turns.nextDeadline else { return 100 }
        return Int32(max(0, min(100, (deadline - .now) / .milliseconds(1) + 1)))
    }

    /// Continues with clients for which no event arrives.
    private func continueClients() {
        let more = unfinished
        unfinished = []
        for id in more {
            guard let client = clients[id] else { continue }
            if client.readsClient { clientIsReady(client, .readable) }
            update(client)
        }
        let next = mayContinue
        mayContinue = []
        for id in next {
            guard let client = clients[id] else { continue }
            advance(client)
            update(client)
        }
        guard mayHeldContinue else { return }
        mayHeldContinue = false
        for client in clients.values where client.isHeld {
            advance(client)
            update(client)
        }
    }

    // MARK: Connections

    func accept() {
        while true {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = poller_accept(listener, &address, &length)
            if descriptor < 0 {
                switch errno {
                case EINTR, ECONNABORTED: continue
                case EAGAIN, EWOULDBLOCK: return
                // Without descriptors or memory, it waits for a connection to end.
                default: return setAccepting(false)
                }
            }
            removeOldestNew()
            guard clients.count < largestCount else {
                close(descriptor)
                continue
            }
            configure(descriptor)
            let name = SocketAddress(address, length).description
            do throws(ClusterTLSError) {
                let session = try tls.map { tls throws(ClusterTLSError) in try tls.accept(descriptor) }
                add(FrontSocket(descriptor, tls: session), name)
            } catch {
                // Only without memory.
                Log.write(.error, "not-accepted", ["client": name, "error": error.description])
                close(descriptor)
            }
        }
    }

    /// - Returns: nil if the system watches too many sockets. The socket is then closed.
    @discardableResult
    func add(_ socket: FrontSocket, _ name: String) -> FrontClient? {
        lastID += 1
        guard poller.add(socket.descriptor, tag: lastID << 1, events: .readable) else {
            close(socket.descriptor)
            return nil
        }
        let client = FrontClient(id: lastID, socket, name: name, counts: counts)
        clients[client.id] = client
        client.clientEvents = .readable
        return client
    }

    /// Connections that prove nothing must not keep out those that do.
    private func removeOldestNew() {
        let isFull = clients.count >= largestCount
        guard isFull || clients.count >= Self.largestNewCount else { return }
        let new = clients.values.filter(\.isNew)
        guard isFull || new.count >= Self.largestNewCount, let oldest = new.min(by: { $0.id < $1.id }) else { return }
        remove(oldest)
    }

    /// The maximum number of clients: however many there are, the other nodes must reach this one.
    private var largestClientCount: Int { largestCount - min(64, largestCount / 4) }

    /// Counts a connection that sends its first request as a client.
    ///
    /// - Returns: the reason for which it is refused; nil if it is not.
    func admit(_ client: FrontClient) -> String? {
        if client.isAdmitted { return nil }
        guard admittedCount < largestClientCount else {
            return "more than \(largestClientCount) clients: raise the limit of open files, or close connections"
        }
        client.isAdmitted = true
        admittedCount += 1
        return nil
    }

    func takeOverDialed() {
        for peer in dialed.removeAll() {
            guard let client = add(FrontSocket(peer.socket, tls: peer.tls), peer.name) else {
                close(peer.pair)
                continue
            }
            client.state = .peer
            if setNode(client, peer.pair) { update(client) } else { remove(client) }
        }
    }

    /// - Returns: false if the system watches too many sockets. The descriptor is then closed.
    func setNode(_ client: FrontClient, _ descriptor: Int32) -> Bool {
        guard poller.add(descriptor, tag: client.id << 1 | 1, events: .readable) else {
            close(descriptor)
            return false
        }
        client.node = FrontSocket(descriptor)
        client.nodeEvents = .readable
        return true
    }

    func setAccepting(_ isAccepting: Bool) {
        self.isAccepting = isAccepting
        poller.modify(listener, tag: Self.listenerTag, events: isAccepting ? .readable : [])
    }

    /// A client whose machine has disappeared is noticed after 15 seconds if no bytes are on their way to it.
    func configure(_ descriptor: Int32) {
        setOption(descriptor, IPPROTO_TCP, TCP_NODELAY, 1)
        setOption(descriptor, Int(SOL_SOCKET), SO_KEEPALIVE, 1)
        setOption(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 5)
        setOption(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 2)
        setOption(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 5)
    }

    func remove(_ client: FrontClient) {
        guard clients[client.id] === client else { return }
        clients[client.id] = nil
        if client.isAdmitted { admittedCount -= 1 }
        client.state = .removed
        closeNode(client)
        close(client.client.descriptor)
        client.inbox.removeAll()
        keptSize -= client.keptSize
    }

    /// dqlite then rolls back the transaction of the client.
    func closeNode(_ client: FrontClient) {
        guard let node = client.node else { return }
        close(node.descriptor)
        client.node = nil
        client.nodeEvents = []
        client.isCorked = false
        ConnectionWatch.forget(client: client.id)
        endTurn(client)
        if opening == client.id { endOpening() }
    }

    /// From now on, the client only receives what is meant for it.
    func startClosing(_ client: FrontClient) {
        guard client.state != .closing, client.state != .removed else { return }
        client.state = .closing
        client.lastProgress = .now
        client.inbox.removeAll()
        closeNode(client)
    }

    /// Registers the sockets for the events that are of use.
    func update(_ client: FrontClient) {
        guard clients[client.id] === client else { return }
        let size = client.inbox.count + (client.node?.queue.count ?? 0)
        keptSize += size - client.keptSize
        client.keptSize = size
        if keptSize > Self.largestKeptSize, size > 1 << 20, client.state != .peer {
            refuse(client, "too many large requests arrive at the same time")
            guard clients[client.id] === client else { return }
        }
        if client.readsClient, client.client.hasMore { unfinished.insert(client.id) }
        if client.state == .closing, client.client.queue.isEmpty { shutdown(client.client.descriptor, Int32(SHUT_WR)) }
        var events = Self.events(client.readsClient, client.client, isCorked: client.isCorked)
        if client.state == .securing(.writable) { events.insert(.writable) }
        // The rest of a disconnected client's chain must not run: its program may treat it as rolled back.
        if client.state == .client, !client.readsClient { events.insert(.ended) }
        if events != client.clientEvents {
            client.clientEvents = events
            poller.modify(client.client.descriptor, tag: client.id << 1, events: events)
        }
        guard let node = client.node else { return }
        let nodeEvents = Self.events(client.readsNode, node)
        if nodeEvents != client.nodeEvents {
            client.nodeEvents = nodeEvents
            poller.modify(node.descriptor, tag: client.id << 1 | 1, events: nodeEvents)
        }
    }

    static func events(_ reads: Bool, _ socket: FrontSocket, isCorked: Bool = false) -> SocketEvents {
        var events: SocketEvents = reads ? .readable : []
        if !socket.queue.isEmpty, !isCorked { events.insert(.writable) }
        return events
    }

    // MARK: TLS

    /// Continues the TLS handshake.
    func secure(_ client: FrontClient) {
        guard let session = client.client.tls else { return }
        if !client.isSecuring, startsWithVersion(client) {
            client.client = FrontSocket(client.client.descriptor)
            client.state = .new
            return refuse(
                client, "the node only accepts TLS: set ClusterOptions.tls, or pass --certificate, --key and --ca")
        }
        client.isSecuring = true
        do {
            client.state = try session.handshake().map(FrontClient.State.securing) ?? .new
        } catch {
            report("not-secured", client, "\(error)")
            // OpenSSL has sent the reason. Whatever arrives meanwhile is not read with TLS any more.
            client.client = FrontSocket(client.client.descriptor)
            startClosing(client)
        }
    }

    /// Logs at most one refusal per second: anyone who reaches the port causes them.
    func report(_ event: String, _ client: FrontClient, _ problem: String) {
        let now = ContinuousClock.now
        guard now - refusals.date > .seconds(1) else {
            refusals.count += 1
            return
        }
        let more = refusals.count
        refusals = (now, 0)
        Log.write(.warning, event, ["client": client.name, "error": problem, "others": "\(more)"])
    }

    /// Whether the client sends the version of dqlite's protocol, without TLS.
    func startsWithVersion(_ client: FrontClient) -> Bool {
        var byte: UInt8 = 0
        return recv(client.client.descriptor, &byte, 1, Int32(MSG_PEEK)) == 1 && byte == 1
    }
}
