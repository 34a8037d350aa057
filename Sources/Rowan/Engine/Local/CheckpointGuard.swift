// Checkpoints alongside writers. With the WAL-reset bug, a checkpoint that runs while another connection commits can
// damage the database. SQLite's own checkpoints after commits can do so, as can other checkpoints while the log has a
// writer. On affected versions, the file of each connection takes the writer lock along with the checkpoint lock, so
// every checkpoint, in any mode, runs alone. The file also reports the results of checkpoints. Sources:
// https://sqlite.org/wal.html#walresetbug, https://sqlite.org/walformat.html#the_wal_locks,
// https://sqlite.org/c3ref/io_methods.html

import RowanSQLite
import Dispatch
import Synchronization

/// A checkpoint that has finished, or that could not start.
package struct CheckpointResult {
    package let mode: CInt
    /// SQLITE_BUSY if another connection held a lock.
    package let code: CInt
    /// The number of frames in the log, and the number of those that are in the database file.
    package let frameCount: Int
    package let copiedFrameCount: Int
    package let nanoseconds: UInt64
}

/// A layer between SQLite and the methods of an open file. Only the connection's thread uses it. Connections with a
/// shared cache have one file, and SQLite holds the cache lock during each call.
///
/// SQLite finds the methods by `sqlite3_file.pMethods`. They are replaced while the file is open.
final class CheckpointGuard {
    typealias File = UnsafeMutablePointer<sqlite3_file>

    /// The first property has the address of the whole struct, so the methods find the rest from it.
    private struct Methods {
        var methods: sqlite3_io_methods
        let original: UnsafePointer<sqlite3_io_methods>
        /// Retained until the file closes.
        let owner: Unmanaged<CheckpointGuard>
    }

    /// The locks in the shared memory of a log, as defined by the WAL format.
    private static let writerLock: CInt = 0
    private static let checkpointLock: CInt = 1
    /// The offsets of the frame counts in the first region of the shared memory.
    private static let frameCountOffset = 16
    private static let copiedFrameCountOffset = 96

    /// The file; nil once it is closed.
    private(set) var file: File?
    private let original: UnsafePointer<sqlite3_io_methods>
    private let excludesWriters: Bool
    private let report: ((CheckpointResult) -> Void)?
    /// The mode of the checkpoint that the program has requested; passive after commits.
    var mode = SQLITE_CHECKPOINT_PASSIVE
    /// Whether a writer or another checkpoint prevented the last checkpoint from starting.
    private(set) var hasMetOther = false
    private var isCheckpointing = false
    private var start: UInt64 = 0
    /// The first region of the shared memory, while it is mapped.
    private var sharedMemory: UnsafeRawPointer?

    /// The addresses of the files that have guards.
    private static let guardedFiles = Mutex<Set<UInt>>([])

    /// Guards an open file.
    ///
    /// - Returns: nil for a file without shared memory, which can't have a log, or for a file that already has a guard.
    init?(_ file: File, excludesWriters: Bool, _ report: ((CheckpointResult) -> Void)?) {
        guard let original = file.pointee.pMethods, original.pointee.iVersion >= 2, original.pointee.xShmLock != nil,
            original.pointee.xShmMap != nil, original.pointee.xShmUnmap != nil, original.pointee.xClose != nil,
            Self.guardedFiles.withLock({ $0.insert(UInt(bitPattern: file)).inserted })
        else { return nil }
        (self.file, self.original, self.excludesWriters, self.report) = (file, original, excludesWriters, report)
        let methods = UnsafeMutablePointer<Methods>.allocate(capacity: 1)
        methods.initialize(
            to: Methods(methods: original.pointee, original: original, owner: Unmanaged.passRetained(self)))
        methods.pointee.methods.xShmLock = { file, index, count, flags in
            CheckpointGuard.of(file) { $0.lock(index, count, flags) }
        }
        methods.pointee.methods.xShmMap = { file, region, size, extends, address in
            CheckpointGuard.of(file) { $0.map(region, size, extends, address) }
        }
        methods.pointee.methods.xShmUnmap = { file, deletes in
            CheckpointGuard.of(file) { owner in
                owner.sharedMemory = nil
                return owner.original.pointee.xShmUnmap(file, deletes)
            }
        }
        methods.pointee.methods.xClose = { file in
            let owner = CheckpointGuard.of(file) { $0 }
            owner.letGo()
            return owner.original.pointee.xClose(file)
        }
        file.pointee.pMethods = UnsafeRawPointer(methods).assumingMemoryBound(to: sqlite3_io_methods.self)
    }

    private static func of<T>(_ file: File?, _ body: (CheckpointGuard) -> T) -> T {
        // Invariant: SQLite calls the methods with their file, which uses them until it closes.
        UnsafeRawPointer(file!.pointee.pMethods!).assumingMemoryBound(to: Methods.self).pointee.owner
            ._withUnsafeGuaranteedRef(body)
    }

    /// Restores the methods of the file, which closes.
    private func letGo() {
        guard let file, let methods = file.pointee.pMethods else { return }
        file.pointee.pMethods = original
        self.file = nil
        Self.guardedFiles.withLock { _ = $0.remove(UInt(bitPattern: file)) }
        UnsafeMutableRawPointer(mutating: methods).assumingMemoryBound(to: Methods.self).deallocate()
        Unmanaged.passUnretained(self).release()
    }

    private func map(
        _ region: CInt, _ size: CInt, _ extends: CInt, _ address: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> CInt {
        let code = original.pointee.xShmMap(file, region, size, extends, address)
        if code == SQLITE_OK, region == 0, let memory = address?.pointee { sharedMemory = UnsafeRawPointer(memory) }
        return code
    }

    // MARK: Locks

    private func lock(_ index: CInt, _ count: CInt, _ flags: CInt) -> CInt {
        // SQLite takes the checkpoint lock on its own; a recovery takes it together with others.
        guard count == 1, flags & SQLITE_SHM_EXCLUSIVE != 0 else { return call(index, count, flags) }
        let isUnlocking = flags & SQLITE_SHM_UNLOCK != 0
        if index == Self.checkpointLock { return isUnlocking ? endCheckpoint(flags) : beginCheckpoint(flags) }
        // A checkpoint already holds the writer lock.
        if index == Self.writerLock, isCheckpointing, excludesWriters { return SQLITE_OK }
        return call(index, count, flags)
    }

    private func beginCheckpoint(_ flags: CInt) -> CInt {
        start = DispatchTime.now().uptimeNanoseconds
        var code = call(Self.checkpointLock, 1, flags)
        if code == SQLITE_OK, excludesWriters {
            code = call(Self.writerLock, 1, flags)
            if code != SQLITE_OK {
                _ = call(Self.checkpointLock, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
            }
        }
        hasMetOther = excludesWriters && code == SQLITE_BUSY
        isCheckpointing = code == SQLITE_OK
        if !isCheckpointing { tell(code) }
        return code
    }

    private func endCheckpoint(_ flags: CInt) -> CInt {
        if isCheckpointing, excludesWriters { _ = call(Self.writerLock, 1, flags) }
        let code = call(Self.checkpointLock, 1, flags)
        if isCheckpointing { tell(SQLITE_OK) }
        isCheckpointing = false
        return code
    }

    private func call(_ index: CInt, _ count: CInt, _ flags: CInt) -> CInt {
        original.pointee.xShmLock(file, index, count, flags)
    }

    // MARK: Reports

    /// While the program waits for a lock, only the last attempt is reported.
    var isWaiting = false
    private var lastAttempt: CheckpointResult?

    private func tell(_ code: CInt) {
        guard let report else { return }
        let result = CheckpointResult(
            mode: mode, code: code, frameCount: frameCount ?? 0,
            copiedFrameCount: number(Self.copiedFrameCountOffset) ?? 0,
            nanoseconds: DispatchTime.now().uptimeNanoseconds - start)
        if isWaiting, code == SQLITE_BUSY { lastAttempt = result } else { report(result) }
    }

    /// Called when the program has stopped waiting or has obtained its lock.
    func endWaiting(_ code: CInt) {
        isWaiting = false
        if let last = lastAttempt.take(), code == SQLITE_BUSY { report?(last) }
    }

    /// The number of frames in the log; nil without a log.
    var frameCount: Int? { number(Self.frameCountOffset) }

    private func number(_ offset: Int) -> Int? {
        // Others may write it at the same time, but it is an aligned number used only in reports.
        sharedMemory.map { Int($0.load(fromByteOffset: offset, as: UInt32.self)) }
    }
}
