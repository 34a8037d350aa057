// A node in the memory of this process that answers requests as a test wants: there is no network to wait for.

import Rowan

@testable @_spi(Node) import RowanCluster

/// A connection to a node that answers each request with a closure, and closes the connection instead of being silent.
final class AnsweringPeer: LocalPeer {
    private struct State {
        /// The bytes of requests, after the version of the protocol.
        var input: [UInt8] = []
        var hasVersion = false
        var output: [UInt8] = []
        var chain = AnsweredChain()
    }

    private let state = Mutex(State())
    private let answer: @Sendable ([UInt8]) -> [UInt8]

    /// - Parameter answer: the bytes of the response to the bytes of a request.
    init(_ answer: @escaping @Sendable ([UInt8]) -> [UInt8]) { self.answer = answer }

    /// Options of a client whose nodes are such peers.
    ///
    /// - Parameter answer: the bytes of the response to a request of a type.
    static func options(_ answer: @escaping @Sendable (UInt8) -> [UInt8]) -> ClusterOptions {
        var options = ClusterOptions()
        // It has answered when the client looks for the answer. The client does not try again.
        options.failoverTimeout = .zero
        options.spinDuration = .zero
        options.requestTimeout = .seconds(60)
        options.localPeers = { address in
            AnsweringPeer { $0[4] == 0 ? frame(1, words(1) + text(address.description)) : answer($0[4]) }
        }
        return options
    }

    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            state.input += bytes
            if !state.hasVersion, state.input.count >= 8 {
                state.input.removeFirst(8)
                state.hasVersion = true
            }
            while state.input.count >= 8 {
                let size = 8 + 8 * (0..<4).reduce(0) { $0 | Int(state.input[$1]) << (8 * $1) }
                guard state.input.count >= size else { break }
                state.output += state.chain.answer(Array(state.input.prefix(size)), answer)
                state.input.removeFirst(size)
            }
        }
        return true
    }

    func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        state.withLock { state in
            let count = min(state.output.count, buffer.count)
            buffer.copyBytes(from: state.output.prefix(count))
            state.output.removeFirst(count)
            return count
        }
    }
}
