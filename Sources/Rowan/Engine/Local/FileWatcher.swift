// Tells when a file of a database is written, by whichever process. The kernel reports it: nothing polls.
// Source: inotify(7)

import Dispatch
import Foundation

/// Watches the files of a database: the file itself, its WAL and its journal.
package final class FileWatcher: Sendable {
    private let source: Mutex<any DispatchSourceProtocol>

    /// Watches until this object is deallocated.
    ///
    /// - Parameters:
    ///   - path: the path of the database file.
    ///   - onWrite: called on a queue of its own. Several writes may be reported once.
    /// - Throws: the error of the system: SQLITE_IOERR with its message.
    package init(path: String, onWrite: @escaping @Sendable () -> Void) throws {
        let queue = DispatchQueue(label: "Rowan.FileWatcher", qos: .utility)
        let source = try Self.makeSource(path, queue, onWrite)
        source.resume()
        self.source = Mutex(source)
    }

    deinit { source.withLock { $0.cancel() } }

    private static func systemError(_ action: String, _ path: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_IOERR,
            message: "can't \(action) to observe other processes: \(String(cString: strerror(errno))) - \(path)")
    }
}

#if canImport(Darwin)
extension FileWatcher {
    private static func makeSource(
        _ path: String, _ queue: DispatchQueue, _ onWrite: @escaping @Sendable () -> Void
    ) throws -> sending any DispatchSourceProtocol {
        // In WAL mode, the file of the WAL is written first. Otherwise SQLite creates and deletes a journal in the folder.
        // Never the database itself: closing its descriptor would release all locks of SQLite in this process.
        let wal = open(path + "-wal", O_EVTONLY)
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        let descriptor = wal >= 0 ? wal : open(folder, O_EVTONLY)
        guard descriptor >= 0 else { throw systemError("open the file", path) }
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib], queue: queue)
        source.setEventHandler(handler: onWrite)
        source.setCancelHandler { close(descriptor) }
        return source
    }
}
#else
extension FileWatcher {
    private static func makeSource(
        _ path: String, _ queue: DispatchQueue, _ onWrite: @escaping @Sendable () -> Void
    ) throws -> sending any DispatchSourceProtocol {
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw systemError("watch files", path) }
        // The folder, because SQLite creates and deletes files beside the database.
        let mask = UInt32(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO)
        guard inotify_add_watch(descriptor, url.deletingLastPathComponent().path, mask) >= 0 else {
            let error = systemError("watch the folder", path)
            close(descriptor)
            throw error
        }
        let name = url.lastPathComponent
        let names = Set([name, name + "-wal", name + "-journal"])
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { if readEvents(descriptor, of: names) { onWrite() } }
        source.setCancelHandler { close(descriptor) }
        return source
    }

    /// Reads the waiting events.
    ///
    /// - Returns: whether one of them concerns one of the files.
    private static func readEvents(_ descriptor: CInt, of names: Set<String>) -> Bool {
        var isConcerned = false
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                // Lost events may have concerned a file.
                if concerns(UnsafeRawBufferPointer(rebasing: buffer[..<count]), names) { isConcerned = true }
            }
        }
        return isConcerned
    }

    private static func concerns(_ events: UnsafeRawBufferPointer, _ names: Set<String>) -> Bool {
        let headerSize = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + headerSize <= events.count {
            let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + headerSize + Int(event.len)
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
            let name = events[(offset + headerSize)..<end].prefix { $0 != 0 }
            if names.contains(String(decoding: name, as: UTF8.self)) { return true }
            offset = end
        }
        return false
    }
}
#endif
