// The pages of the damaged file.

import Rowan
import RowanPlatform
import RowanSQLite

/// A database file that is read page by page, without SQLite's interpretation.
///
/// The file is read through SQLite's own handle. Opening and closing it here would end the locks that other connections of
/// this process hold: <https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>
final class DamagedFile {
    private(set) var header: FileHeader
    /// The number of pages, with those that only the log has.
    private(set) var pageCount: UInt32 = 0
    private let connection: OpaquePointer
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let size: Int
    /// The newest pages of a write-ahead log, or the original ones of a transaction that was not finished.
    private var log: PageLog?

    /// Opens a file, and lets writers wait until it is closed, if SQLite can still lock it.
    ///
    /// - Throws: SQLITE_CANTOPEN, SQLITE_BUSY if a transaction is writing the file, or SQLITE_NOTADB if it has no page of a
    ///   database.
    init(path: String, busyTimeout: TimeInterval) throws {
        var pointer: OpaquePointer?
        let code = sqlite3_open_v2(path, &pointer, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let pointer else {
            defer { sqlite3_close_v2(pointer) }
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code),
                message: "\(pointer.map(Self.message) ?? "out of memory") - \(path)")
        }
        do {
            (file, size) = try Self.handle(pointer, path)
            try Self.lock(pointer, path, busyTimeout)
            header = FileHeader(pageSize: 4_096)
            connection = pointer
        } catch {
            sqlite3_close_v2(pointer)
            throw error
        }
        try findPages(path)
    }

    deinit { sqlite3_close_v2(connection) }

    private static func message(_ connection: OpaquePointer) -> String { String(cString: sqlite3_errmsg(connection)) }

    private static func handle(
        _ connection: OpaquePointer, _ path: String
    ) throws -> (UnsafeMutablePointer<sqlite3_file>, Int) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        var size: Int64 = 0
        guard sqlite3_file_control(connection, nil, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods, methods.pointee.xFileSize(file, &size) == SQLITE_OK
        else {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "the size of the file can't be read - \(path)")
        }
        return (file, Int(size))
    }

    /// Begins a read, which a damaged file may refuse.
    private static func lock(_ connection: OpaquePointer, _ path: String, _ timeout: TimeInterval) throws {
        sqlite3_busy_timeout(connection, CInt(clamping: Int(min(max(timeout, 0), 1_000_000) * 1_000)))
        let code = sqlite3_exec(connection, "BEGIN; SELECT 1 FROM sqlite_master LIMIT 1", nil, nil, nil)
        guard code & 0xFF != SQLITE_BUSY else {
            throw DatabaseError(
                resultCode: .SQLITE_BUSY,
                message: "the damaged file is being written: end the program that uses it - \(path)")
        }
    }

    /// Finds the log, the size of the pages, and their number.
    private func findPages(_ path: String) throws {
        log = try PageLog(writeAheadLog: path + "-wal") ?? PageLog(rollbackJournal: path + "-journal")
        let head = try log?.page(1) ?? bytes(at: 0, count: FileHeader.size)
        if let size = log?.pageSize {
            header = FileHeader(head) ?? FileHeader(pageSize: size)
            header.pageSize = size
        } else if let known = FileHeader(head), try score(known.pageSize) > 0 {
            header = known
        } else if let size = try guessedPageSize() {
            header = FileHeader(pageSize: size)
        } else {
            throw DatabaseError(
                resultCode: .SQLITE_NOTADB,
                message: "no page of the file can be read: it is encrypted, or not a database - \(path)")
        }
        pageCount = log?.pageCount ?? UInt32(clamping: (size + header.pageSize - 1) / header.pageSize)
    }

    /// The size with which the most pages make sense.
    private func guessedPageSize() throws -> Int? {
        let scores = try FileHeader.pageSizes.map { (size: $0, score: try score($0)) }
        return scores.filter { $0.score > 0 }.max { ($0.score, $0.size) < ($1.score, $1.size) }?.size
    }

    /// The number of pages that make sense with a size, in some parts of the file.
    private func score(_ pageSize: Int) throws -> Int {
        let part = 65_536
        let parts = (size + part - 1) / part
        var score = 0
        for start in stride(from: 0, to: parts, by: max(1, parts / 256)) {
            let bytes = try bytes(at: start * part, count: part)
            for offset in stride(from: 0, to: part, by: pageSize) where start * part + offset < size {
                let page = Array(bytes[offset..<(offset + pageSize)])
                let number: UInt32 = start == 0 && offset == 0 ? 1 : 2
                if let page = TreePage(number, page, usableSize: pageSize), page.isPlausible { score += 1 }
            }
        }
        return score
    }

    // MARK: Reading

    /// The bytes of a page. Those behind the end of the file are 0.
    func page(_ number: UInt32) throws -> [UInt8] {
        try log?.page(number) ?? bytes(at: (Int(number) - 1) * header.pageSize, count: header.pageSize)
    }

    private func bytes(at offset: Int, count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let code = file.pointee.pMethods.pointee.xRead(file, buffer.baseAddress, CInt(count), Int64(offset))
            switch ResultCode(rawValue: code) {
            case .SQLITE_OK, .SQLITE_IOERR_SHORT_READ: break
            case .SQLITE_IOERR_READ, .SQLITE_IOERR_CORRUPTFS:
                // Sectors of a disk that can't be read are part of the damage.
                buffer.initialize(repeating: 0)
            default:
                throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "the file can't be read")
            }
            initialized = count
        }
    }
}
