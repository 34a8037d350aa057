// The bytes of clients and of dqlite, as they arrive.

import Glibc
@_spi(Node) import RowanClusterTLS

extension FrontLoop {
    func clientIsReady(_ client: FrontClient, _ events: SocketEvents) {
        if case .securing = client.state { return secure(client) }
        if events.contains(.writable) {
            guard client.client.flush() else { return remove(client) }
            client.lastProgress = .now
        }
        guard events != .writable else { return }
        guard client.readsClient else {
            if !events.isDisjoint(with: [.failed, .ended]) { remove(client) }
            return
        }
        guard let bytes = receive(&client.client) else { return remove(client) }
        guard !bytes.isEmpty else { return }
        counts.update { $0.receivedBytes += UInt64(bytes.count) }
        // The time to close a connection does not depend on what it still sends.
        if client.state == .closing { return }
        client.lastProgress = .now
        switch client.state {
        case .closing, .securing, .removed: break
        case .ended:
            client.inbox.append(bytes)
            refuseEnded(client)
        case .peer: pass(bytes[...], client)
        case .new, .client:
            // A request that arrives in one piece passes without a copy.
            guard client.inbox.isEmpty else {
                client.inbox.append(bytes)
                return advance(client)
            }
            let outcome = check(bytes, client)
            guard client.state != .removed else { return }
            if outcome.count < bytes.count {
                client.inbox.append(UnsafeRawBufferPointer(rebasing: bytes[outcome.count...]))
            }
            end(outcome, client)
            endTurnIfOver(client)
        }
    }

    func nodeIsReady(_ client: FrontClient, _ events: SocketEvents) {
        guard client.node != nil else { return }
        if events.contains(.writable), client.node?.flush() == false { return nodeIsClosed(client) }
        // What dqlite has sent before it closed the connection is read in any case.
        guard events != .writable, var node = client.node,
            client.readsNode || !events.isDisjoint(with: .failed)
        else { return }
        guard let bytes = receive(&node) else { return nodeIsClosed(client) }
        guard !bytes.isEmpty else { return }
        client.lastProgress = .now
        counts.update { $0.sentBytes += UInt64(bytes.count) }
        guard client.state == .client else {
            if !client.client.send(bytes) { remove(client) }
            return
        }
        var hasOpened = false
        var hasCompleted = false
        client.responses.scan(bytes) { response in
            hasCompleted = true
            counts.update { $0.responses += 1 }
            if client.requests.receive(response) == .open { hasOpened = true }
        }
        // Rows that arrive one after the other are sent as they arrive.
        guard send(bytes, client, hasCompleted: hasCompleted) else { return remove(client) }
        if hasOpened, opening == client.id { endOpening() }
        // Before the client can ask for the next turn.
        endTurnIfOver(client)
        if !client.inbox.isEmpty { advance(client) }
    }

    /// Sends bytes to a client, or keeps a response of a chain for the next one.
    ///
    /// - Parameter hasCompleted: whether a response ends with them.
    /// - Returns: whether the client is still connected.
    func send(_ bytes: UnsafeRawBufferPointer, _ client: FrontClient, hasCompleted: Bool = true) -> Bool {
        client.isCorked =
            hasCompleted && client.state == .client && client.requests.isInChain
            && client.client.queue.count + bytes.count <= Self.largestCork
        if client.isCorked {
            client.client.keep(bytes)
            return true
        }
        return client.client.send(bytes) && client.client.flush()
    }

    /// The client gets what dqlite has sent before.
    func nodeIsClosed(_ client: FrontClient) {
        startClosing(client)
        if client.client.queue.isEmpty { remove(client) }
    }

    /// - Returns: bytes that are valid until the next call; nil if the socket is closed.
    func receive(_ socket: inout FrontSocket) -> UnsafeRawBufferPointer? {
        socket.receive(into: scratch).map { UnsafeRawBufferPointer(rebasing: scratch[..<$0]) }
    }

    /// Passes on the requests that have waited.
    func advance(_ client: FrontClient) {
        guard client.state == .new || client.state == .client else { return }
        let outcome = checkInbox(client)
        switch client.state {
        // Its inbox is already empty.
        case .removed, .closing, .ended: return
        case .securing, .new, .client, .peer: break
        }
        client.inbox.removeFirst(outcome.count)
        end(outcome, client)
        endTurnIfOver(client)
    }

    /// The inbox may be emptied meanwhile.
    private func checkInbox(_ client: FrontClient) -> Outcome {
        let inbox = client.inbox
        return inbox.withUnsafeBytes { check($0, client) }
    }

    func pass(_ bytes: Slice<UnsafeRawBufferPointer>, _ client: FrontClient) {
        guard !bytes.isEmpty else { return }
        if client.node?.send(UnsafeRawBufferPointer(rebasing: bytes)) == false { nodeIsClosed(client) }
    }
}
