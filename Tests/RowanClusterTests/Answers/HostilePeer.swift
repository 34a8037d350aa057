// A node in the memory of this process that answers some requests properly and others with hostility.

@_spi(Node) import RowanCluster

/// A hostile node, and the counts of what it has done.
///
/// One client uses it, one thread at a time.
final class HostileNode: @unchecked Sendable {
    private let proper = ProperNode()
    fileprivate var hostility: HostileAnswers
    /// How many answers there are for each hostile one. The first ones decide how far a client gets.
    var rarity = 1
    /// Whether the node may stay silent: the client must not wait.
    let allowsSilence: Bool
    /// Interrupts the client.
    var interrupt: () -> Void = {}

    /// The number of hostile answers.
    fileprivate(set) var hostileCount = 0
    /// The number of all answers since the access began.
    fileprivate(set) var answerCount = 0
    /// What a client must not do.
    fileprivate(set) var offence: String?

    /// More answers in one access are a loop without end.
    fileprivate static let maximumAnswerCount = 20_000

    init(_ random: SeededRandom, allowsSilence: Bool) {
        hostility = HostileAnswers(random: random)
        self.allowsSilence = allowsSilence
    }

    /// Called before each access.
    func accessWillBegin() {
        rarity = hostility.pick([1, 2, 4, 8, 16, 32])
        answerCount = 0
    }

    func peer(_ address: String) -> HostilePeer { HostilePeer(self, .init(proper, address: address)) }
}

/// A connection to a hostile node.
final class HostilePeer: LocalPeer, @unchecked Sendable {
    private let node: HostileNode
    private let session: ProperNode.Session
    /// The bytes of a request that has not arrived in full.
    private var input: [UInt8] = []
    private var hasVersion = false
    private var output: [AnswerPart] = []
    /// The number of bytes of the first part that have been sent.
    private var offset = 0
    private var late: [UInt8]?

    fileprivate init(_ node: HostileNode, _ session: ProperNode.Session) {
        self.node = node
        self.session = session
    }

    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        input.append(contentsOf: bytes)
        if !hasVersion, input.count >= 8 {
            input.removeFirst(8)
            hasVersion = true
        }
        var start = 0
        while input.count - start >= 8 {
            let size = 8 + 8 * (0..<4).reduce(0) { $0 | Int(input[start + $1]) << (8 * $1) }
            guard input.count - start >= size else { break }
            answer(Array(input[start..<start + size]))
            start += size
        }
        input.removeFirst(start)
        return true
    }

    private func answer(_ request: [UInt8]) {
        let proper = session.answer(request)
        node.answerCount += 1
        guard node.answerCount < HostileNode.maximumAnswerCount else {
            node.offence = "the client sends requests without end"
            output.append(.close)
            return
        }
        var parts = [AnswerPart.bytes(proper)]
        if node.rarity == 1 || node.hostility.number(1...node.rarity) == 1 {
            node.hostileCount += 1
            parts = node.hostility.answer(
                proper, isForProgram: session.isForProgram, allowsSilence: node.allowsSilence)
        }
        for part in parts {
            if case .late(let bytes) = part { late = (late ?? []) + bytes } else { output.append(part) }
        }
        if case .late? = parts.last { return }
        if let bytes = late {
            output.append(.bytes(bytes))
            late = nil
        }
    }

    func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int? {
        while let part = output.first {
            switch part {
            case .bytes(let bytes):
                let rest = bytes[offset...]
                // Frames arrive in pieces of any size.
                let limit = node.hostility.chance(10) ? node.hostility.number(1...64) : buffer.count
                let count = min(rest.count, limit, buffer.count)
                buffer.copyBytes(from: rest.prefix(count))
                advance(count, bytes.count)
                if count > 0 { return count }
            case .endless(let bytes, let byteCount, let mayBeRead):
                guard byteCount > 0 else {
                    if !mayBeRead { node.offence = "the client reads an answer without end" }
                    output = [.close]
                    continue
                }
                let count = min(bytes.count - offset, buffer.count)
                buffer.copyBytes(from: bytes[offset..<offset + count])
                offset = (offset + count) % bytes.count
                output[0] = .endless(bytes, byteCount: byteCount - count, mayBeRead: mayBeRead)
                return count
            case .interruption:
                output.removeFirst()
                node.interrupt()
            case .silence: return nil
            case .close: return 0
            case .late: output.removeFirst()
            }
        }
        // Everything that the client has requested was answered.
        return node.allowsSilence ? nil : 0
    }

    private func advance(_ count: Int, _ total: Int) {
        offset += count
        guard offset == total else { return }
        output.removeFirst()
        offset = 0
    }
}
