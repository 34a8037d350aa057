// A virtual file system that measures the temporary files of one connection, which SQLite offers no limit for. It opens
// all files with another file system, and only wraps temporary ones. It is also where a sort can be ended: SQLite calls
// no progress handler while it merges, but writes files.
//
// Memory: SQLite owns an unused collation, and releases it after it has closed the last file of the connection.
// Sources: https://sqlite.org/vfs.html, https://sqlite.org/c3ref/io_methods.html

import RowanPlatform
import RowanSQLite
import Synchronization

/// The file system of a connection whose temporary files are limited.
final class TemporaryStorage {
    /// The registered name.
    let name: String
    private let budget: StatementBudget
    private let inner: UnsafeMutablePointer<sqlite3_vfs>
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>
    private let nameBytes: UnsafeMutablePointer<CChar>

    private static let lastNumber = Atomic<Int>(0)

    /// - Parameter vfs: the name of the file system that opens the files; nil for SQLite's default.
    init(_ budget: StatementBudget, vfs name: String?) throws {
        guard let inner = sqlite3_vfs_find(name) else {
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "no such vfs: \(name ?? "the default")")
        }
        self.budget = budget
        self.inner = inner
        self.name = "rowan-limited-\(Self.lastNumber.add(1, ordering: .relaxed).newValue)"
        nameBytes = strdup(self.name)
        vfs = .allocate(capacity: 1)
        vfs.initialize(to: inner.pointee)
        vfs.pointee.iVersion = 2
        vfs.pointee.szOsFile = CInt(TemporaryFile.size) + inner.pointee.szOsFile
        vfs.pointee.pNext = nil
        vfs.pointee.zName = UnsafePointer(nameBytes)
        vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
        forwardAll()
        let code = sqlite3_vfs_register(vfs, 0)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    deinit {
        sqlite3_vfs_unregister(vfs)
        vfs.deallocate()
        free(nameBytes)
    }

    /// Keeps this object until SQLite has closed the last file of the connection.
    func keepAlive(with connection: SQLiteConnection) throws {
        let retained = Unmanaged.passRetained(self)
        let code = sqlite3_create_collation_v2(
            connection, name, SQLITE_UTF8, retained.toOpaque(), { _, _, _, _, _ in 0 },
            { Unmanaged<TemporaryStorage>.fromOpaque($0!).release() })
        guard code == SQLITE_OK else {
            // Unlike for functions, SQLite does not release the object if the call fails.
            retained.release()
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
    }

    // MARK: The file system

    private static func storage(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> TemporaryStorage {
        // Invariant: SQLite calls a file system only while it is registered, which this object outlives.
        Unmanaged<TemporaryStorage>.fromOpaque(vfs!.pointee.pAppData).takeUnretainedValue()
    }

    private static func inner(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> UnsafeMutablePointer<sqlite3_vfs> {
        storage(vfs).inner
    }

    /// The functions receive the file system that they belong to, because its data may decide how they work.
    private func forwardAll() {
        vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
            TemporaryStorage.storage(vfs).open(name, file!, flags, outFlags)
        }
        vfs.pointee.xDelete = { vfs, name, syncs in
            TemporaryStorage.inner(vfs).pointee.xDelete(TemporaryStorage.inner(vfs), name, syncs)
        }
        vfs.pointee.xAccess = { vfs, name, flags, result in
            TemporaryStorage.inner(vfs).pointee.xAccess(TemporaryStorage.inner(vfs), name, flags, result)
        }
        vfs.pointee.xFullPathname = { vfs, name, count, path in
            TemporaryStorage.inner(vfs).pointee.xFullPathname(TemporaryStorage.inner(vfs), name, count, path)
        }
        // No extension can be loaded, so that no symbol of one is ever asked for.
        vfs.pointee.xDlOpen = { _, _ in nil }
        vfs.pointee.xDlError = { _, count, text in if count > 0 { text?.pointee = 0 } }
        vfs.pointee.xDlSym = nil
        vfs.pointee.xDlClose = nil
        vfs.pointee.xRandomness = { vfs, count, bytes in
            TemporaryStorage.inner(vfs).pointee.xRandomness(TemporaryStorage.inner(vfs), count, bytes)
        }
        vfs.pointee.xSleep = { vfs, microseconds in
            TemporaryStorage.inner(vfs).pointee.xSleep(TemporaryStorage.inner(vfs), microseconds)
        }
        vfs.pointee.xCurrentTime = { vfs, time in
            TemporaryStorage.inner(vfs).pointee.xCurrentTime(TemporaryStorage.inner(vfs), time)
        }
        vfs.pointee.xGetLastError = { vfs, count, text in
            TemporaryStorage.inner(vfs).pointee.xGetLastError?(TemporaryStorage.inner(vfs), count, text) ?? 0
        }
        if inner.pointee.iVersion < 2 || inner.pointee.xCurrentTimeInt64 == nil {
            vfs.pointee.iVersion = 1
        } else {
            vfs.pointee.xCurrentTimeInt64 = { vfs, time in
                TemporaryStorage.inner(vfs).pointee.xCurrentTimeInt64(TemporaryStorage.inner(vfs), time)
            }
        }
    }

    private static let temporary =
        SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL

    private func open(
        _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: CInt,
        _ outFlags: UnsafeMutablePointer<CInt>?
    ) -> CInt {
        guard flags & Self.temporary != 0 else { return inner.pointee.xOpen(inner, name, file, flags, outFlags) }
        let temporary = UnsafeMutableRawPointer(file).assumingMemoryBound(to: TemporaryFile.self)
        temporary.initialize(to: TemporaryFile(budget: Unmanaged.passUnretained(budget)))
        let code = inner.pointee.xOpen(inner, name, TemporaryFile.inner(file), flags, outFlags)
        // SQLite closes a file that has methods, even if it could not be opened.
        if code == SQLITE_OK || TemporaryFile.inner(file).pointee.pMethods != nil {
            file.pointee.pMethods = TemporaryFile.methods
        }
        return code
    }
}

/// A temporary file, followed by the file that it wraps.
private struct TemporaryFile {
    private var base = sqlite3_file(pMethods: nil)
    private var size: Int64 = 0
    // Invariant: the storage keeps the budget, and the connection keeps the storage until its files are closed.
    private let budget: Unmanaged<StatementBudget>

    init(budget: Unmanaged<StatementBudget>) { self.budget = budget }

    static let size = MemoryLayout<TemporaryFile>.stride

    static func inner(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<sqlite3_file> {
        (UnsafeMutableRawPointer(file!) + size).assumingMemoryBound(to: sqlite3_file.self)
    }

    private static func calls(_ file: UnsafeMutablePointer<sqlite3_file>?) -> sqlite3_io_methods {
        inner(file).pointee.pMethods.pointee
    }

    private static func resize(_ file: UnsafeMutablePointer<sqlite3_file>?, to size: Int64) -> Bool {
        let this = UnsafeMutableRawPointer(file!).assumingMemoryBound(to: TemporaryFile.self)
        let isAccepted = this.pointee.budget._withUnsafeGuaranteedRef {
            $0.resizeTemporaryFiles(by: Int(size - this.pointee.size))
        }
        if isAccepted { this.pointee.size = size }
        return isAccepted
    }

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: CInt, _ offset: Int64
    ) -> CInt {
        let this = UnsafeMutableRawPointer(file!).assumingMemoryBound(to: TemporaryFile.self)
        // SQLITE_INTERRUPT ends the statement. SQLITE_FULL would end the transaction of a statement that only reads.
        guard this.pointee.budget._withUnsafeGuaranteedRef({ $0.mayContinue() }),
            resize(file, to: max(this.pointee.size, offset + Int64(count)))
        else { return SQLITE_INTERRUPT }
        return calls(file).xWrite(inner(file), bytes, count, offset)
    }

    /// The methods of version 1: those of later versions are for shared and mapped files.
    ///
    /// Invariant: never changed, and never released.
    nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: sqlite3_io_methods())
        methods.pointee.iVersion = 1
        methods.pointee.xClose = { file in
            let code = calls(file).xClose(inner(file))
            _ = resize(file, to: 0)
            return code
        }
        methods.pointee.xRead = { calls($0).xRead(inner($0), $1, $2, $3) }
        methods.pointee.xWrite = { write($0, $1, $2, $3) }
        methods.pointee.xTruncate = { file, size in
            let code = calls(file).xTruncate(inner(file), size)
            if code == SQLITE_OK { _ = resize(file, to: size) }
            return code
        }
        methods.pointee.xSync = { calls($0).xSync(inner($0), $1) }
        methods.pointee.xFileSize = { calls($0).xFileSize(inner($0), $1) }
        methods.pointee.xLock = { calls($0).xLock(inner($0), $1) }
        methods.pointee.xUnlock = { calls($0).xUnlock(inner($0), $1) }
        methods.pointee.xCheckReservedLock = { calls($0).xCheckReservedLock(inner($0), $1) }
        methods.pointee.xFileControl = { calls($0).xFileControl(inner($0), $1, $2) }
        methods.pointee.xSectorSize = { calls($0).xSectorSize(inner($0)) }
        methods.pointee.xDeviceCharacteristics = { calls($0).xDeviceCharacteristics(inner($0)) }
        return UnsafePointer(methods)
    }()
}
