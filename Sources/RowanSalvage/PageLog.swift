// Pages outside of the database file: the committed ones of a write-ahead log, or the originals in a rollback journal.
// Sources: https://sqlite.org/fileformat2.html#the_write_ahead_log, https://sqlite.org/fileformat2.html#the_rollback_journal

import Rowan
import RowanPlatform

/// Pages that replace those of the database file.
final class PageLog {
    let pageSize: Int
    /// The number of pages of the database, if the log knows it.
    private(set) var pageCount: UInt32?
    private let descriptor: CInt
    /// The positions of the pages in the log.
    private var positions: [UInt32: Int] = [:]

    deinit { close(descriptor) }

    /// Finds the pages of all committed transactions.
    ///
    /// - Returns: nil if there are none.
    init?(writeAheadLog path: String) throws {
        guard let descriptor = try Self.open(path) else { return nil }
        self.descriptor = descriptor
        guard let header = Self.bytes(descriptor, at: 0, count: 32), header.uint32(at: 0) | 1 == 0x377F_0683,
            case let size = Int(header.uint32(at: 8)), FileHeader.pageSizes.contains(size)
        else {
            pageSize = 0
            return nil
        }
        pageSize = size
        let isBigEndian = header.uint32(at: 0) & 1 == 1
        var sum = Checksum(isBigEndian: isBigEndian)
        sum.add(header[..<24])
        guard sum.matches(header, at: 24) else { return nil }
        var (position, pending) = (32, [UInt32: Int]())
        while let frame = Self.bytes(descriptor, at: position, count: 24 + size) {
            sum.add(frame[..<8])
            sum.add(frame[24...])
            guard frame[8..<16] == header[16..<24], sum.matches(frame, at: 16) else { break }
            pending[frame.uint32(at: 0)] = position + 24
            if case let count = frame.uint32(at: 4), count > 0 {
                positions.merge(pending) { $1 }
                pending = [:]
                pageCount = count
            }
            position += 24 + size
        }
        if positions.isEmpty { return nil }
    }

    /// Finds the original pages of a transaction that was not finished.
    ///
    /// - Returns: nil if there are none.
    init?(rollbackJournal path: String) throws {
        guard let descriptor = try Self.open(path) else { return nil }
        self.descriptor = descriptor
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        guard let first = Self.bytes(descriptor, at: 0, count: 28), Array(first[..<8]) == magic,
            case let size = Int(first.uint32(at: 24)), FileHeader.pageSizes.contains(size)
        else {
            pageSize = 0
            return nil
        }
        pageSize = size
        pageCount = first.uint32(at: 16)
        let sectorSize = max(Int(first.uint32(at: 20)), 512)
        var start = 0
        // A journal has a header for each part that was synchronized.
        while let header = Self.bytes(descriptor, at: start, count: 28), Array(header[..<8]) == magic {
            let (count, nonce) = (header.uint32(at: 8), header.uint32(at: 12))
            var position = start + sectorSize
            var number = 0
            // The number of records is unknown if the journal was not synchronized.
            while count == .max || number < Int(count) {
                guard let record = Self.bytes(descriptor, at: position, count: 8 + size), record.uint32(at: 0) > 0,
                    Self.journalSum(record[4..<(4 + size)], nonce) == record.uint32(at: 4 + size)
                else { break }
                if positions[record.uint32(at: 0)] == nil { positions[record.uint32(at: 0)] = position + 4 }
                position += 8 + size
                number += 1
            }
            start = (position + sectorSize - 1) / sectorSize * sectorSize
        }
        if positions.isEmpty { return nil }
    }

    /// The bytes of a page, if the log has them.
    func page(_ number: UInt32) -> [UInt8]? {
        positions[number].flatMap { Self.bytes(descriptor, at: $0, count: pageSize) }
    }

    // MARK: Reading

    private static func open(_ path: String) throws -> CInt? {
        let descriptor = RowanPlatform.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor < 0, errno != ENOENT else { return descriptor < 0 ? nil : descriptor }
        throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "\(String(cString: strerror(errno))) - \(path)")
    }

    /// - Returns: nil if the file has fewer bytes.
    private static func bytes(_ descriptor: CInt, at offset: Int, count: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let size = pread(
                    descriptor, buffer.baseAddress! + initialized, count - initialized, off_t(offset + initialized))
                if size < 0, errno == EINTR { continue }
                guard size > 0 else { return }
                initialized += size
            }
        }
        return bytes.count == count ? bytes : nil
    }

    private static func journalSum(_ page: ArraySlice<UInt8>, _ nonce: UInt32) -> UInt32 {
        var sum = nonce
        var index = page.count - 200
        while index > 0 {
            sum &+= UInt32(page[page.startIndex + index])
            index -= 200
        }
        return sum
    }

    /// The running checksum of a write-ahead log.
    private struct Checksum {
        let isBigEndian: Bool
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { bytes in
                for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                    first &+= word(bytes, offset) &+ second
                    second &+= word(bytes, offset + 4) &+ first
                }
            }
        }

        private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
            let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
        }

        func matches(_ bytes: [UInt8], at index: Int) -> Bool {
            bytes.uint32(at: index) == first && bytes.uint32(at: index + 4) == second
        }
    }
}
