// The responses of the front itself.

@_spi(Node) import RowanCluster

enum FrontResponse {
    /// SQLite's code for a protocol that is violated, which dqlite uses as well.
    static let badRequest: UInt64 = 1001
    /// A code of this program, which the driver knows.
    static let transactionEnded: UInt64 = 20_001
    /// The code of a request that does not run, because an earlier one of its chain has failed.
    static let skipped: UInt64 = 20_002
    /// SQLite's code SQLITE_BUSY.
    static let busy: UInt64 = 5

    /// The response to a request that needs no other.
    static var empty: [UInt8] { word(1 | 8 << 32) + word(0) }

    /// The bytes of a failure, as dqlite would send it.
    static func failure(code: UInt64, _ message: String) -> [UInt8] {
        var text = Array(message.utf8.filter { $0 != 0 }) + [0]
        text += repeatElement(0, count: (8 - text.count % 8) % 8)
        // The type of failures is 0, so that the header is the number of words.
        return word(UInt64(1 + text.count / 8)) + word(code) + text
    }

    static func diskSpace(_ space: DiskSpace) -> [UInt8] {
        word(2 | UInt64(RequestKind.diskSpace.rawValue) << 32) + word(space.available) + word(space.reserve)
    }

    private static func word(_ value: UInt64) -> [UInt8] { withUnsafeBytes(of: value.littleEndian, Array.init) }
}
