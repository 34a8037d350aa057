// A VFS that shows tests SQLite's locks of a write-ahead log, and lets them act in between. It wraps the system's VFS,
// and replaces three methods.

import RowanSQLite
import Foundation
import Synchronization
import Testing

/// A call on a file.
enum FileCall: Equatable, Sendable {
    /// A lock in shared memory: 0 is the writer's, 1 is the checkpoint's.
    case lock(Int), unlock(Int)
    /// SQLite has read the changed header of the log, and is about to use it.
    case headerRead
}

enum InterleavingVFS {
    static let name = "rowan-interleaving"

    /// The tests' closures by path of the database file, and the paths of open files.
    private struct State {
        var handlers: [String: @Sendable (FileCall) -> Void] = [:]
        var paths: [UInt: String] = [:]
        var originals: [UInt: UInt] = [:]
    }

    private static let state = Mutex(State())

    /// Registers the VFS once.
    static let isRegistered: Bool = {
        guard let system = sqlite3_vfs_find(nil) else { return false }
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: system.pointee)
        vfs.pointee.pNext = nil
        vfs.pointee.zName = UnsafePointer(strdup(name))
        vfs.pointee.xOpen = { _, path, file, flags, outFlags in
            let code = sqlite3_vfs_find(nil)!.pointee.xOpen(sqlite3_vfs_find(nil), path, file, flags, outFlags)
            if code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let path, let file {
                InterleavingVFS.didOpen(String(cString: path), file)
            }
            return code
        }
        return sqlite3_vfs_register(vfs, 0) == SQLITE_OK
    }()

    /// Calls the closure before each file call of a database.
    static func observe(_ path: String, _ handler: (@Sendable (FileCall) -> Void)?) {
        state.withLock { $0.handlers[path] = handler }
    }

    private static func didOpen(_ path: String, _ file: UnsafeMutablePointer<sqlite3_file>) {
        guard let original = file.pointee.pMethods else { return }
        state.withLock { state in
            state.paths[UInt(bitPattern: file)] = path
            state.originals[UInt(bitPattern: file)] = UInt(bitPattern: original)
        }
        // Never freed, because tests open few files.
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: original.pointee)
        methods.pointee.xShmLock = { file, index, count, flags in
            if count == 1, flags & SQLITE_SHM_EXCLUSIVE != 0 {
                InterleavingVFS.call(file!, flags & SQLITE_SHM_LOCK != 0 ? .lock(Int(index)) : .unlock(Int(index)))
            }
            return InterleavingVFS.original(file!).xShmLock(file, index, count, flags)
        }
        methods.pointee.xUnfetch = { file, offset, page in
            if page == nil { InterleavingVFS.call(file!, .headerRead) }
            return InterleavingVFS.original(file!).xUnfetch(file, offset, page)
        }
        file.pointee.pMethods = UnsafePointer(methods)
    }

    private static func original(_ file: UnsafeMutablePointer<sqlite3_file>) -> sqlite3_io_methods {
        let address = state.withLock { $0.originals[UInt(bitPattern: file)]! }
        return UnsafePointer<sqlite3_io_methods>(bitPattern: address)!.pointee
    }

    private static func call(_ file: UnsafeMutablePointer<sqlite3_file>, _ call: FileCall) {
        let handler = state.withLock { state in state.paths[UInt(bitPattern: file)].flatMap { state.handlers[$0] } }
        handler?(call)
    }
}
