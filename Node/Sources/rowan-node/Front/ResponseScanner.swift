// The responses of dqlite on their way to a client. They pass unchanged; the front only has to know which are complete.

/// Finds the ends of responses in a stream of bytes.
struct ResponseScanner {
    /// What the front knows of a response.
    struct Response: Equatable {
        let type: UInt8
        fileprivate let firstWord: UInt64?

        var isFailure: Bool { type == 0 }
        /// The id of the database, in the response to a request that opens one.
        var database: UInt32? { type == 4 ? firstWord.map { UInt32(truncatingIfNeeded: $0) } : nil }
        /// The id of the statement, in the response to a request that prepares one.
        var statement: UInt32? { type == 5 ? firstWord.map { UInt32(truncatingIfNeeded: $0 >> 32) } : nil }
    }

    private var header = Word()
    /// The first and the last word of the body so far.
    private var first = Word()
    private var last: UInt64 = 0
    /// The bytes of the body that have not arrived.
    private var rest = 0

    private static let rows: UInt8 = 7
    /// The last word of rows that are followed by more.
    private static let moreRows: UInt64 = 0xeeee_eeee_eeee_eeee

    /// Whether no response has arrived in part.
    var isBetweenResponses: Bool { header.isEmpty }

    /// - Parameter body: called for each response that is complete.
    mutating func scan(_ bytes: UnsafeRawBufferPointer, _ body: (Response) -> Void) {
        var offset = 0
        while offset < bytes.count {
            if !header.isComplete {
                offset += header.fill(bytes[offset...])
                guard header.isComplete else { return }
                rest = 8 * Int(UInt32(truncatingIfNeeded: header.value))
            } else {
                offset += take(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
            }
            if rest == 0 { end(body) }
        }
    }

    /// Moves through the body.
    ///
    /// - Returns: the number of bytes.
    private mutating func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = min(rest, bytes.count)
        if !first.isComplete { _ = first.fill(bytes[..<count]) }
        // The last word arrives in the last eight bytes, possibly one by one.
        let firstOfLast = max(0, rest - 8)
        if firstOfLast < count {
            for byte in bytes[firstOfLast..<count] { last = last >> 8 | UInt64(byte) << 56 }
        }
        rest -= count
        return count
    }

    private mutating func end(_ body: (Response) -> Void) {
        let type = UInt8(truncatingIfNeeded: header.value >> 32)
        let isPart = type == Self.rows && last == Self.moreRows
        let response = Response(type: type, firstWord: first.isComplete ? first.value : nil)
        (header, first, last) = (Word(), Word(), 0)
        if !isPart { body(response) }
    }

    /// A word that arrives in pieces.
    private struct Word {
        private(set) var value: UInt64 = 0
        private var count: UInt64 = 0

        var isComplete: Bool { count == 8 }
        var isEmpty: Bool { count == 0 }

        /// - Returns: the number of bytes that belong to it.
        mutating func fill(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
            let taken = bytes.prefix(Int(8 - count))
            for byte in taken {
                value |= UInt64(byte) << (8 * count)
                count += 1
            }
            return taken.count
        }
    }
}
