// The bytes of a file, of which the current record is in memory.

import Rowan
import RowanPlatform

/// The part of a source that has been read and not yet passed. Positions count from the start of the current record.
struct ImportBuffer: ~Copyable {
    let source: any ImportSource
    private var storage: UnsafeMutableRawBufferPointer
    /// The current record, and the end of what has been read, in the storage.
    private var first = 0
    private var end = 0
    private var isAtEnd = false

    /// The size of the longest value that SQLite can store.
    private static let maximumRecordLength = 1 << 31

    init(_ source: any ImportSource, capacity: Int) throws {
        self.source = source
        storage = .allocate(byteCount: max(capacity, 4), alignment: 1)
        while end < 4, try read(line: 1) {}
        try skipByteOrderMark()
    }

    deinit { storage.deallocate() }

    /// The number of bytes of the record and of those after it.
    var count: Int { end &- first }

    /// The record, and what has been read after it.
    var bytes: UnsafeMutablePointer<UInt8> {
        storage.baseAddress.unsafelyUnwrapped.advanced(by: first).assumingMemoryBound(to: UInt8.self)
    }

    /// Ends the record.
    mutating func pass(_ length: Int) { first += length }

    /// The byte at a position; nil at the end of the source.
    mutating func byte(at position: Int, line: Int) throws -> UInt8? {
        if first + position == end { guard try read(line: line) else { return nil } }
        return storage[first + position]
    }

    /// Reads more bytes. The record moves to the start of the storage, which grows if it is full.
    ///
    /// - Parameter line: the line for an error.
    /// - Returns: false at the end of the source.
    mutating func read(line: Int) throws -> Bool {
        guard !isAtEnd else { return false }
        // A short rest would take a call of the system for a few bytes.
        if storage.count - end < storage.count / 2 {
            memmove(storage.baseAddress.unsafelyUnwrapped, bytes, count)
            (first, end) = (0, count)
            if end > storage.count / 2 { try grow(line) }
        }
        let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: storage[end...]))
        end += count
        isAtEnd = count == 0
        return count > 0
    }

    private mutating func grow(_ line: Int) throws {
        guard storage.count < Self.maximumRecordLength else {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG,
                message: "\(source.name.map { "\($0), " } ?? "")line \(line): the row is longer than two gigabytes")
        }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * storage.count, alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<end]))
        storage.deallocate()
        storage = larger
    }

    private mutating func skipByteOrderMark() throws {
        if storage[..<end].starts(with: [0xEF, 0xBB, 0xBF]) { first = 3 }
        guard !storage[..<end].starts(with: [0xFF, 0xFE]), !storage[..<end].starts(with: [0xFE, 0xFF]) else {
            throw ImportError(source.name, line: 1, field: nil, "the text is UTF-16: convert it to UTF-8")
        }
    }
}
