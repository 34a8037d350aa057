// The requests of clients on their way to dqlite, and what the front does by itself over time.

import Glibc
import RowanCluster
@_spi(Node) import RowanClusterTLS

extension FrontLoop {
    /// How far requests have passed.
    struct Outcome {
        /// The number of bytes that have passed.
        var count = 0
        var problem: Problem?
    }

    enum Problem {
        case otherProtocol
        case request(String)
    }

    /// Passes on the requests at the start of the bytes.
    func check(_ bytes: UnsafeRawBufferPointer, _ client: FrontClient) -> Outcome {
        var (outcome, passed) = (Outcome(), 0)
        client.isHeld = false
        if client.state == .new {
            guard bytes.count >= 8 else { return outcome }
            guard bytes.loadUnaligned(as: UInt64.self) == UInt64(littleEndian: 1) else {
                outcome.problem = .otherProtocol
                return outcome
            }
            guard connect(client) else { return outcome }
            client.state = .client
            outcome.count = 8
        }
        loop: while client.state == .client, outcome.count < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[outcome.count...])
            if opening != nil, rest.count >= 5, RequestKind(rawValue: rest[4]) == .open {
                client.isHeld = true
                break
            }
            switch client.requests.next(rest) {
            case .wait: break loop
            case .hold:
                client.isHeld = true
                break loop
            case .refuse(let problem):
                outcome.problem = .request("the node refuses \(problem)")
                break loop
            case .skip(let size):
                pass(bytes[passed..<outcome.count], client)
                outcome.count += size
                passed = outcome.count
                answer(client, Self.skipped)
            case .begin(let chain, let size):
                guard let response = begin(chain, client) else {
                    client.isHeld = true
                    break loop
                }
                pass(bytes[passed..<outcome.count], client)
                outcome.count += size
                passed = outcome.count
                counts.update { $0.requests[Int(RequestKind.chain.rawValue)] += 1 }
                answer(client, response)
            case .pass(.connect, let size) where !isFromNode(client, rest[..<size]):
                outcome.problem = .request(
                    "the node refuses a node whose certificate is not that of a node with its address")
                break loop
            case .pass(let kind, let size):
                if kind != .connect, let problem = admit(client) {
                    outcome.problem = .request("the node refuses \(problem)")
                    break loop
                }
                if kind == .diskSpace {
                    pass(bytes[passed..<outcome.count], client)
                    passed = outcome.count + size
                    answer(client, FrontResponse.diskSpace(disk.space))
                }
                counts.update { $0.requests[Int(kind.rawValue)] += 1 }
                outcome.count += size
                if kind == .connect { client.state = .peer }
                if kind == .open { startOpening(client) }
            }
        }
        // The messages of another node are not checked.
        if client.state == .peer { outcome.count = bytes.count }
        pass(bytes[passed..<outcome.count], client)
        return outcome
    }

    /// Whether a connection of another node has the certificate of that node.
    func isFromNode(_ client: FrontClient, _ request: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let tls = client.client.tls else { return true }
        // The id, and the address.
        let text = String(decoding: request.dropFirst(16).prefix { $0 != 0 }, as: UTF8.self)
        guard let address = try? NodeAddress(text) else { return false }
        return tls.isFor(address.host)
    }

    func answer(_ client: FrontClient, _ response: [UInt8]) {
        counts.update { $0.addAnswer(response.count) }
        // If it is disconnected, the poller says so next.
        _ = response.withUnsafeBytes { send($0, client) }
    }

    // MARK: Chains

    private static let skipped = FrontResponse.failure(
        code: FrontResponse.skipped, "an earlier request of the chain has failed")
    private static let isBusy = FrontResponse.failure(code: FrontResponse.busy, "database is locked")

    /// Begins a chain, if it is the client's turn to write.
    ///
    /// - Returns: the response; nil while the client waits for its turn.
    private func begin(_ chain: RequestGuard.Chain, _ client: FrontClient) -> [UInt8]? {
        if let limit = chain.turnLimit, let database = client.requests.databaseName {
            switch turns.take(database, for: client.id, within: limit) {
            case .waiting: return nil
            case .granted: break
            case .expired:
                client.requests.begin(chain, isFailed: true)
                return Self.isBusy
            }
        }
        client.requests.begin(chain)
        return FrontResponse.empty
    }

    /// Ends the turn of a client that has nothing left to write.
    func endTurnIfOver(_ client: FrontClient) {
        guard hasTurn(client), !client.requests.isWaiting, !client.requests.isInChain,
            !ConnectionWatch.isInTransaction(client: client.id)
        else { return }
        endTurn(client)
    }

    private func hasTurn(_ client: FrontClient) -> Bool {
        client.requests.databaseName.map { turns.isHeld($0, by: client.id) } ?? false
    }

    func endTurn(_ client: FrontClient) {
        guard let database = client.requests.databaseName, let next = turns.end(database, of: client.id) else { return }
        mayContinue.append(next)
    }

    func end(_ outcome: Outcome, _ client: FrontClient) {
        // It may have been closed meanwhile.
        guard client.state != .removed, client.state != .closing else { return }
        switch outcome.problem {
        // It would not understand a response.
        case .otherProtocol:
            counts.update { $0.refusals += 1 }
            remove(client)
        case .request(let problem): refuse(client, problem)
        case nil:
            break
        }
    }

    /// Refuses a request: the client receives a sentence, and the connection ends.
    func refuse(_ client: FrontClient, _ problem: String) {
        counts.update { $0.refusals += 1 }
        report("refused", client, problem)
        guard client.acceptsMessage else { return remove(client) }
        startClosing(client)
        answer(client, FrontResponse.failure(code: FrontResponse.badRequest, problem))
    }

    /// Refuses the requests that have arrived after the end of a transaction: a client sends several at once, and
    /// waits for a response to each.
    func refuseEnded(_ client: FrontClient) {
        while client.state == .ended {
            let header = client.inbox.withUnsafeBytes { $0.count < 8 ? nil : $0.loadUnaligned(as: UInt32.self) }
            guard let words = header.map(UInt32.init(littleEndian:)) else { return }
            let size = 8 + 8 * Int(words)
            guard size <= RequestGuard.largestSize else {
                return refuse(client, "the node refuses a request of this size")
            }
            guard client.inbox.count >= size else { return }
            client.inbox.removeFirst(size)
            counts.update { $0.refusals += 1 }
            answer(
                client,
                FrontResponse.failure(
                    code: FrontResponse.transactionEnded,
                    """
                    the node has rolled back the transaction, because its client sent nothing for \(idleTime): make it \
                    shorter, or start the nodes with a longer --idle-transaction-limit
                    """))
        }
    }

    func startOpening(_ client: FrontClient) {
        opening = client.id
        ConnectionWatch.open(for: client.id)
    }

    func endOpening() {
        opening = nil
        ConnectionWatch.open(for: nil)
        mayHeldContinue = true
    }

    /// - Returns: false if dqlite has too many new connections to accept another one now. It is tried again.
    func connect(_ client: FrontClient) -> Bool {
        if let descriptor = dqlite.connect(), setNode(client, descriptor) { return true }
        client.isHeld = true
        return false
    }

    // MARK: Time

    func sweep(_ now: ContinuousClock.Instant) {
        if !isAccepting { setAccepting(true) }
        for client in clients.values {
            let (age, silence) = (client.start.duration(to: now), client.lastProgress.duration(to: now))
            switch client.state {
            case .new where age > Self.greetingTime && !client.isHeld: remove(client)
            case .securing where age > Self.greetingTime: remove(client)
            case .closing where silence > Self.closingTime: remove(client)
            case .client where !client.isAdmitted && age > Self.greetingTime && !client.isHeld: remove(client)
            case .client
            where silence > idleLimit && client.isIdle && ConnectionWatch.isInTransaction(client: client.id):
                endTransaction(client)
                update(client)
            // It has not sent the rest of a chain.
            case .client where silence > idleLimit && client.isIdle && hasTurn(client): endTurn(client)
            case .client where silence > Self.sweepInterval && client.isCorked:
                client.isCorked = false
                update(client)
            case .new where client.isHeld:
                advance(client)
                update(client)
            default: break
            }
        }
    }

    func endTransaction(_ client: FrontClient) {
        counts.update { $0.endedTransactions += 1 }
        Log.write(.warning, "transaction-ended", ["client": client.name, "idle-for": idleTime])
        guard client.acceptsMessage else { return remove(client) }
        client.state = .ended
        closeNode(client)
        // Requests that have arrived meanwhile.
        refuseEnded(client)
    }
}
