// The header of a database file, as far as it can be read.
// Source: https://sqlite.org/fileformat2.html#the_database_header

import RowanPlatform

/// What the first 100 bytes of a file say, and what its pages say if the header is damaged.
struct FileHeader {
    /// In bytes.
    var pageSize: Int
    /// The bytes at the end of each page that SQLite leaves to extensions.
    var reservedSize = 0
    var encoding: Encoding?
    var hasPointerMap = false
    var userVersion: Int32 = 0
    var applicationID: Int32 = 0
    var firstFreePage: UInt32 = 0
    var freePageCount: UInt32 = 0
    /// Whether the header was read from the file.
    var isIntact = true

    /// The bytes of a page that SQLite uses.
    var usableSize: Int { pageSize - reservedSize }

    enum Encoding: UInt32 {
        case utf8 = 1
        case utf16LittleEndian, utf16BigEndian

        /// The value of the pragma.
        var name: String {
            switch self {
            case .utf8: "UTF-8"
            case .utf16LittleEndian: "UTF-16le"
            case .utf16BigEndian: "UTF-16be"
            }
        }
    }

    static let size = 100
    static let pageSizes = (9...16).map { 1 << $0 }

    /// Reads the header.
    ///
    /// - Returns: nil if it is no header of SQLite.
    init?(_ bytes: [UInt8]) {
        let magic = Array("SQLite format 3".utf8) + [0]
        guard bytes.count >= Self.size, Array(bytes[..<16]) == magic else { return nil }
        let size = Int(bytes.uint16(at: 16))
        pageSize = size == 1 ? 65_536 : size
        guard Self.pageSizes.contains(pageSize), Array(bytes[21..<24]) == [64, 32, 32] else { return nil }
        // SQLite refuses pages of which it can use less than 480 bytes.
        guard pageSize - Int(bytes[20]) >= 480 else { return nil }
        reservedSize = Int(bytes[20])
        firstFreePage = bytes.uint32(at: 32)
        freePageCount = bytes.uint32(at: 36)
        hasPointerMap = bytes.uint32(at: 52) != 0
        encoding = Encoding(rawValue: bytes.uint32(at: 56))
        userVersion = Int32(bitPattern: bytes.uint32(at: 60))
        applicationID = Int32(bitPattern: bytes.uint32(at: 68))
    }

    /// The header of a file whose own one can't be read.
    init(pageSize: Int) {
        self.pageSize = pageSize
        isIntact = false
    }
}

extension [UInt8] {
    /// The big-endian integer at an index, which must be in the array.
    func uint16(at index: Int) -> UInt16 { UInt16(self[index]) << 8 | UInt16(self[index + 1]) }

    /// The big-endian integer at an index, which must be in the array.
    func uint32(at index: Int) -> UInt32 { UInt32(uint16(at: index)) << 16 | UInt32(uint16(at: index + 2)) }

    /// The integer of variable length at an index, and the index behind it.
    /// <https://sqlite.org/fileformat2.html#varint>
    ///
    /// - Returns: nil if it doesn't end before `end`.
    func varint(at index: Int, before end: Int) -> (value: UInt64, end: Int)? {
        var value: UInt64 = 0
        for position in index..<(index + 9) {
            guard position < end else { return nil }
            let byte = self[position]
            if position == index + 8 { return (value << 8 | UInt64(byte), position + 1) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return (value, position + 1) }
        }
        return nil
    }
}
