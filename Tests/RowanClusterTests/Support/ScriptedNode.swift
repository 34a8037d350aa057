// A node that answers requests as a test wants, behind the handshake.

import Foundation
import Rowan
import RowanCluster

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A node that answers each request with a closure.
final class ScriptedNode: Sendable {
    let address: String
    private let listener: Peer

    /// - Parameter answer: the bytes of the response to a request of a type; nil to close the connection.
    convenience init(_ answer: @escaping @Sendable (UInt8) -> [UInt8]?) throws {
        try self.init(requests: { answer($0[4]) })
    }

    /// - Parameters:
    ///   - answer: the bytes of the response to the bytes of a request; nil to close the connection.
    ///   - knowsChains: whether it runs none of a chain's requests after a failure.
    init(requests answer: @escaping @Sendable ([UInt8]) -> [UInt8]?, knowsChains: Bool = true) throws {
        let (listener, address) = try Peer.bound()
        precondition(listen(listener.descriptor, 64) == 0)
        self.listener = listener
        self.address = address.description
        let name = address.description
        Thread.detachNewThread {
            while true {
                let descriptor = accept(listener.descriptor, nil, nil)
                guard descriptor >= 0 else { return }
                Thread.detachNewThread {
                    let peer = Peer(descriptor)
                    guard peer.read(8) == words(1) else { return }
                    var chain = AnsweredChain()
                    while let request = peer.readFrame() {
                        let response: [UInt8]? =
                            switch request[4] {
                            // The leader and the only member.
                            case 0: frame(1, words(1) + text(name))
                            case 16: frame(3, words(1, 1) + text(name) + words(0))
                            case 241 where !knowsChains: frame(0, words(1001) + text("the unknown type 241"))
                            default: chain.answer(request, own: { $0 }, answer) { $0?.dropFirst(4).first == 0 }
                            }
                        guard let response, peer.write(response) else { break }
                    }
                    peer.shut()
                }
            }
        }
    }

    /// Ends the thread that accepts connections.
    func stop() { listener.shut() }

    /// The response of a well-behaved node with an empty database.
    static func properAnswer(_ type: UInt8) -> [UInt8] {
        switch type {
        case 1: frame(2, words(15_000))
        case 3: frame(4, words(0))
        case 4: frame(5, words(0, 0))
        case 5, 8: frame(6, words(0, 0))
        default: rowsFrame(["a"], [[.integer(1)]])
        }
    }
}
