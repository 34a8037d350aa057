// The server of --metrics: a thread that answers GET /metrics, /health and /ready.

import CPoller
import Glibc
import RowanCluster

/// The server of a node's metrics.
struct MetricsServer {
    private let listener: Int32
    private let report: NodeReport

    /// Listens. Requests are answered once it has started.
    ///
    /// - Throws: a `Failure` if the address can't be used.
    init(address: NodeAddress, _ report: NodeReport) throws(Failure) {
        listener = try address.listen()
        self.report = report
    }

    /// Answers requests, in a thread of its own, until the process ends.
    ///
    /// - Throws: a `Failure` if the system has no thread for it.
    func start() throws(Failure) {
        let loop = Unmanaged.passRetained(try MetricsLoop(listener: listener, report))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { context in
                Unmanaged<MetricsLoop>.fromOpaque(context!).takeRetainedValue().run()
            }, loop.toOpaque())
        guard code == 0 else { throw .system("start a thread", code: code) }
    }
}

/// The connections of the server. Only its thread uses it.
private final class MetricsLoop {
    private final class Connection {
        var socket: FrontSocket
        var inbox: [UInt8] = []
        /// Whether its request is answered. What arrives later is ignored.
        var isAnswered = false
        /// When it is closed.
        var deadline = ContinuousClock.now + MetricsLoop.requestTime

        init(_ descriptor: Int32) { socket = FrontSocket(descriptor) }
    }

    private let listener: Int32
    private let report: NodeReport
    private let poller: Poller
    private var connections: [UInt64: Connection] = [:]
    private var lastID: UInt64 = 0
    private var isAccepting = true
    /// The requests that have arrived since it last waited. They share what dqlite responds.
    private var requests: [(id: UInt64, HTTPRequest)] = []

    /// The oldest connection ends when there are more.
    private static let largestConnectionCount = 32
    /// How long a client has to send its request, and then to receive the response.
    private static let requestTime = Duration.seconds(5)
    private static let listenerTag: UInt64 = 0

    init(listener: Int32, _ report: NodeReport) throws(Failure) {
        self.listener = listener
        self.report = report
        poller = try Poller()
        guard poller.add(listener, tag: Self.listenerTag, events: .readable) else { throw .system("wait for sockets") }
    }

    func run() -> Never {
        while true {
            _ = poller.wait(milliseconds: connections.isEmpty && isAccepting ? -1 : 250) { tag, events in
                tag == Self.listenerTag ? accept() : connectionIsReady(tag, events)
            }
            answer()
            let now = ContinuousClock.now
            for (id, connection) in connections where connection.deadline < now { remove(id) }
            if !isAccepting { setAccepting(true) }
        }
    }

    private func accept() {
        while true {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = poller_accept(listener, &address, &length)
            if descriptor < 0 {
                switch errno {
                case EINTR, ECONNABORTED: continue
                case EAGAIN, EWOULDBLOCK: return
                // Without descriptors or memory, it tries again later.
                default: return setAccepting(false)
                }
            }
            if connections.count == Self.largestConnectionCount, let oldest = connections.keys.min() { remove(oldest) }
            lastID += 1
            guard poller.add(descriptor, tag: lastID, events: .readable) else {
                close(descriptor)
                continue
            }
            connections[lastID] = Connection(descriptor)
        }
    }

    private func setAccepting(_ isAccepting: Bool) {
        self.isAccepting = isAccepting
        poller.modify(listener, tag: Self.listenerTag, events: isAccepting ? .readable : [])
    }

    private func remove(_ id: UInt64) {
        if let connection = connections.removeValue(forKey: id) { close(connection.socket.descriptor) }
    }

    private func connectionIsReady(_ id: UInt64, _ events: SocketEvents) {
        guard let connection = connections[id] else { return }
        if events.contains(.writable) { flush(id, connection) }
        guard events != .writable, connections[id] != nil else { return }
        var bytes = [UInt8](repeating: 0, count: HTTPRequest.largestSize)
        let count = read(connection.socket.descriptor, &bytes, bytes.count)
        guard count > 0 else {
            if count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) { remove(id) }
            return
        }
        guard !connection.isAnswered else { return }
        connection.inbox += bytes[..<count]
        switch HTTPRequest.parse(connection.inbox) {
        case .incomplete: break
        case .malformed(let reason): send(HTTPResponse(status: .badRequest, text: reason + "\n"), id)
        case .request(let request):
            connection.isAnswered = true
            requests.append((id, request))
        }
    }

    private func answer() {
        guard !requests.isEmpty else { return }
        let answers = report.answers(to: requests.map(\.1))
        for (request, answer) in zip(requests, answers) { send(answer, request.id) }
        requests = []
    }

    private func send(_ response: HTTPResponse, _ id: UInt64) {
        guard let connection = connections[id] else { return }
        connection.isAnswered = true
        connection.inbox = []
        connection.deadline = ContinuousClock.now + Self.requestTime
        guard response.bytes.withUnsafeBytes({ connection.socket.send($0) }) else { return remove(id) }
        flush(id, connection)
    }

    /// Sends what is left of the response. The client then closes the connection.
    private func flush(_ id: UInt64, _ connection: Connection) {
        guard connection.socket.flush() else { return remove(id) }
        let isSent = connection.socket.queue.isEmpty
        if isSent { shutdown(connection.socket.descriptor, Int32(SHUT_WR)) }
        poller.modify(connection.socket.descriptor, tag: id, events: isSent ? .readable : [.readable, .writable])
    }
}
