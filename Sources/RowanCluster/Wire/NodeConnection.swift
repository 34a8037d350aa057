// A connection to a node: requests out, responses in, in the same order. It has no thread: its user waits, with a deadline.

import RowanPlatform
import Rowan
import struct Synchronization.Atomic

/// A connection to a node.
///
/// Only one thread uses it at a time; others wait. `cancel()` does not wait.
package final class NodeConnection: Sendable {
    package let address: NodeAddress
    private let socket: any NodeChannel
    private let spinDuration: Duration
    private let transfer = Mutex(Transfer())

    /// What a user of the connection changes.
    private struct Transfer {
        var received = FrameBuffer()
        /// The reason why the connection is no longer usable.
        var failure: WireError?
    }

    /// The protocol version, as bytes.
    private static let version: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]

    /// Connects to a node.
    ///
    /// Resolving a name may take longer than the deadline, which the system can't limit.
    ///
    /// - Parameters:
    ///   - connector: how the connection is made.
    ///   - spinDuration: how long to poll for a response before the thread sleeps.
    /// - Throws: `unreachable`, `timedOut` or `closed`.
    package init(
        address: NodeAddress, deadline: ContinuousClock.Instant, through connector: NodeConnector = NodeConnector(),
        spinDuration: Duration = .zero
    ) throws(WireError) {
        self.address = address
        self.spinDuration = spinDuration
        socket = try connector.connect(to: address, deadline: deadline)
        try Self.version.withBytes { bytes throws(WireError) in
            try send(bytes, deadline: deadline, maximumBytes: FrameBuffer.largestFrame)
        }
    }

    /// Sends requests. While the node does not read, its responses are received.
    ///
    /// If it throws, the connection is no longer usable: the node may have received some of the requests.
    ///
    /// - Parameter maximumBytes: the maximum size of a response that arrives meanwhile.
    /// - Throws: `closed`, `timedOut`, `cancelled` or `malformed`.
    package func send(
        _ requests: borrowing RequestBuffer, deadline: ContinuousClock.Instant,
        maximumBytes: Int = FrameBuffer.largestFrame
    ) throws(WireError) {
        try requests.withUnsafeBytes { bytes throws(WireError) in
            try send(bytes, deadline: deadline, maximumBytes: maximumBytes)
        }
    }

    private func send(
        _ bytes: UnsafeRawBufferPointer, deadline: ContinuousClock.Instant, maximumBytes: Int
    ) throws(WireError) {
        try transfer.withLock { transfer throws(WireError) in
            try check(transfer)
            transfer.received.maximumFrame = maximumBytes
            do throws(WireError) {
                try send(bytes, &transfer, deadline)
            } catch {
                // Part of a request may have been sent.
                transfer.failure = error
                throw error
            }
        }
    }

    private func send(
        _ bytes: UnsafeRawBufferPointer, _ transfer: inout Transfer, _ deadline: ContinuousClock.Instant
    ) throws(WireError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = socket.write(UnsafeRawBufferPointer(rebasing: rest))
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: break
            case let code: throw ended(socket.reason(code))
            }
            // The node may wait until its responses are read before it reads further requests.
            let events = try socket.wait(for: Int32(POLLIN | POLLOUT), until: deadline)
            if events & Int32(POLLIN) != 0 { _ = try receive(&transfer) }
        }
    }

    /// The next response, in the order of the requests. A query has several responses: see `RowsPart.isLast`.
    ///
    /// After `timedOut`, waiting can continue. After any other error, the connection is no longer usable.
    ///
    /// - Parameter maximumBytes: the maximum size of the response.
    /// - Throws: `closed`, `timedOut`, `cancelled` or `malformed`.
    package func receive(
        deadline: ContinuousClock.Instant, maximumBytes: Int = FrameBuffer.largestFrame
    ) throws(WireError) -> Response {
        try transfer.withLock { transfer throws(WireError) in
            if socket.isCancelled { throw .cancelled }
            transfer.received.maximumFrame = maximumBytes
            do throws(WireError) {
                while true {
                    // Responses before the failure are complete.
                    if let response = try transfer.received.next() { return response }
                    try check(transfer)
                    if try !receiveSpinning(&transfer) { _ = try socket.wait(for: Int32(POLLIN), until: deadline) }
                }
            } catch {
                if error != .timedOut, transfer.failure == nil { transfer.failure = error }
                throw error
            }
        }
    }

    /// The number of threads that poll, and its limit: the others need processors, too.
    private static let spinners = Atomic(0)
    private static let maximumSpinners = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)) / 2)

    /// Receives what arrives soon: waking a sleeping thread takes longer than a node needs for a short response.
    ///
    /// - Returns: whether something has arrived.
    private func receiveSpinning(_ transfer: inout Transfer) throws(WireError) -> Bool {
        if try receive(&transfer) { return true }
        guard spinDuration > .zero else { return false }
        let count = Self.spinners.wrappingAdd(1, ordering: .relaxed).newValue
        defer { Self.spinners.wrappingSubtract(1, ordering: .relaxed) }
        guard count <= Self.maximumSpinners else { return false }
        let end = spinDuration.deadline
        while ContinuousClock.now < end {
            _ = sched_yield()
            if try receive(&transfer) { return true }
        }
        return false
    }

    /// Receives what has arrived.
    ///
    /// - Returns: whether something has arrived.
    private func receive(_ transfer: inout Transfer) throws(WireError) -> Bool {
        let count = try transfer.received.fill { socket.receive(into: $0) }
        if count > 0 { return true }
        // Set by the closure's last call.
        let code = errno
        if count == 0 { throw ended(transfer.received.isEmpty ? nil : "in the middle of a response") }
        switch code {
        case EINTR, EAGAIN, EWOULDBLOCK: return false
        default: throw ended(socket.reason(code))
        }
    }

    /// Whether an earlier call failed, so that the connection is no longer usable.
    package var isBroken: Bool { socket.isCancelled || transfer.withLock { $0.failure != nil } }

    private func check(_ transfer: Transfer) throws(WireError) {
        if socket.isCancelled { throw .cancelled }
        if let failure = transfer.failure { throw failure }
    }

    private func ended(_ reason: String?) -> WireError {
        if socket.isCancelled { return .cancelled }
        return .closed("the node \(address) closed the connection" + (reason.map { ": \($0)" } ?? ""))
    }

    /// Ends the connection, from any thread: a waiting call throws `cancelled`, as does every later one.
    package func cancel() { socket.cancel() }

    /// Ends the connection and releases its socket. A call of another thread finishes first.
    package func close() {
        socket.cancel()
        transfer.withLock { _ in socket.release() }
    }
}

extension [UInt8] {
    /// `withUnsafeBytes` with a typed error.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result: Swift.Result<Result, Failure> = withUnsafeBytes { bytes in
            do throws(Failure) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
