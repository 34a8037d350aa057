// Checks the bodies of requests. dqlite trusts what it reads: sixteen bytes of a wrong length end its process.
// Source: https://canonical.com/dqlite/docs/reference/wire-protocol

import Glibc

/// The requests of drivers and nodes. dqlite knows more of them; some end its process.
enum RequestKind: UInt8, CaseIterable {
    case leader = 0
    case client = 1
    case open = 3
    case prepare = 4
    case exec = 5
    case query = 6
    case finalize = 7
    case execSQL = 8
    case querySQL = 9
    /// Turns the connection into a stream of messages between nodes.
    case connect = 11
    case add = 12
    case assign = 13
    case remove = 14
    case dump = 15
    case cluster = 16
    case transfer = 17
    /// The front answers it itself.
    case diskSpace = 240
    /// The requests that follow run only while none of them fails. The front answers it itself.
    case chain = 241

    /// Whether dqlite never sees it.
    var isOwn: Bool { self == .diskSpace || self == .chain }

    /// Whether the first word contains the ids of a database and of a statement.
    var usesStatement: Bool { self == .exec || self == .query || self == .finalize }

    /// Whether the first word contains the id of a database.
    var usesDatabase: Bool { usesStatement || self == .prepare || self == .execSQL || self == .querySQL }

    /// Whether a body has the format of this request.
    func accepts(_ body: UnsafeRawBufferPointer) -> Bool {
        // Only SQL and its values have any length. Some clients send more than the fields.
        guard body.count <= Self.longestName * 4 || usesDatabase else { return false }
        var fields = BodyReader(body)
        return switch self {
        case .leader, .client, .finalize, .remove, .transfer, .diskSpace: fields.skipWord()
        case .chain: fields.skipWord(upTo: Self.longestChain) && fields.skipWord()
        case .cluster: fields.skipWord(upTo: Self.largestFormat)
        case .open:
            fields.skipText(upTo: Self.longestName) && fields.skipWord() && fields.skipText(upTo: Self.longestName)
        case .prepare: fields.skipWord() && fields.skipText()
        case .exec, .query: fields.skipWord() && fields.skipValues()
        case .execSQL, .querySQL: fields.skipWord() && fields.skipText() && fields.skipValues()
        case .connect, .add: fields.skipWord() && fields.skipText(upTo: Self.longestName)
        case .assign: fields.skipWord() && fields.skipWord(upTo: Self.largestRole)
        case .dump: fields.skipText(upTo: Self.longestName)
        }
    }

    /// The longest name of a database and the longest address, in bytes.
    private static let longestName = 255
    private static let longestChain: UInt64 = 100
    private static let largestFormat: UInt64 = 1
    private static let largestRole: UInt64 = 2
}

/// Moves through the fields of a body. Each method returns false if the field does not fit into the body.
private struct BodyReader {
    private let body: UnsafeRawBufferPointer
    private var offset = 0

    /// - Parameter body: whole words.
    init(_ body: UnsafeRawBufferPointer) { self.body = body }

    private mutating func skip(_ count: Int) -> Bool {
        guard count <= body.count - offset else { return false }
        offset += count
        return true
    }

    mutating func skipWord(upTo largest: UInt64 = .max) -> Bool {
        guard let value = word(at: offset), value <= largest else { return false }
        return skip(8)
    }

    private func word(at offset: Int) -> UInt64? {
        guard offset + 8 <= body.count else { return nil }
        return UInt64(littleEndian: body.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Text ends with a NUL and is padded to whole words.
    mutating func skipText(upTo longest: Int = .max) -> Bool {
        guard offset < body.count, let start = body.baseAddress?.advanced(by: offset),
            let end = memchr(start, 0, body.count - offset)
        else { return false }
        let length = UnsafeRawPointer(end) - start
        return length <= longest && skip(length / 8 * 8 + 8)
    }

    /// A blob has its length, its bytes, and padding to whole words.
    private mutating func skipBlob() -> Bool {
        // Compared before it is rounded up, which could overflow.
        guard let length = word(at: offset), length <= UInt64(body.count - offset - 8) else { return false }
        return skip(8 + (Int(length) + 7) / 8 * 8)
    }

    /// The values of parameters: their number, a type for each, and the values. Without values, there may be nothing.
    mutating func skipValues() -> Bool {
        guard offset < body.count else { return true }
        let count = Int(body[offset])
        let types = (offset + 1)..<(offset + 1 + count)
        guard skip((1 + count + 7) / 8 * 8) else { return false }
        return types.allSatisfy { index in
            switch body[index] {
            // Integers, floating-point numbers, NULL, times in seconds, and booleans.
            case 1, 2, 5, 9, 11: skipWord()
            // Text and times as text.
            case 3, 10: skipText()
            case 4: skipBlob()
            default: false
            }
        }
    }
}
