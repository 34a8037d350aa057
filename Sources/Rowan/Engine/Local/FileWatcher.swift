// Reports writes to the files of a database by any process, as notified by the kernel.
// Source: inotify(7)

import Dispatch
import RowanPlatform

/// Watches the files of a database: the file itself, its WAL and its journal.
package final class FileWatcher: Sendable {
    private let stop: @Sendable () -> Void

    /// Watches until this object is deallocated.
    ///
    /// - Parameters:
    ///   - path: the path of the database file.
    ///   - onWrite: called on a queue. Several writes may be reported together.
    /// - Throws: SQLITE_IOERR with the system's message.
    package init(path: String, onWrite: @escaping @Sendable () -> Void) throws {
        stop = try Self.watch(path, onWrite)
    }

    deinit { stop() }

    fileprivate static func systemError(_ action: String, _ path: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_IOERR,
            message: "can't \(action) to observe other processes: \(String(cString: strerror(errno))) - \(path)")
    }
}

/// A source of events. `@unchecked Sendable`: Dispatch allows any thread to cancel a source.
private struct FileEventSource: @unchecked Sendable {
    let source: any DispatchSourceProtocol
    func cancel() { source.cancel() }
}

#if canImport(Darwin)
extension FileWatcher {
    private static func watch(
        _ path: String, _ onWrite: @escaping @Sendable () -> Void
    ) throws -> @Sendable () -> Void {
        // In WAL mode, the WAL file is written first. Otherwise SQLite creates and deletes a journal in the folder. The
        // database itself is never opened: closing its descriptor would release all of SQLite's locks in this process.
        let wal = open(path + "-wal", O_EVTONLY)
        let folder = URL(fileURLWithPath: path).resolvingSymlinksInPath().deletingLastPathComponent().path
        let descriptor = wal >= 0 ? wal : open(folder, O_EVTONLY)
        guard descriptor >= 0 else { throw systemError("open the file", path) }
        let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib],
            queue: DispatchQueue(label: "Rowan.FileWatcher", qos: .utility))
        source.setEventHandler(handler: onWrite)
        source.setCancelHandler { close(descriptor) }
        source.resume()
        let events = FileEventSource(source: source)
        return { events.cancel() }
    }
}
#else
extension FileWatcher {
    private static func watch(
        _ path: String, _ onWrite: @escaping @Sendable () -> Void
    ) throws -> @Sendable () -> Void {
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        let name = url.lastPathComponent
        // The folder, because SQLite creates and deletes files next to the database.
        let number = try WatchedFolders.shared.add(
            url.deletingLastPathComponent().path, Set([name, name + "-wal", name + "-journal"]), onWrite)
        return { WatchedFolders.shared.remove(number) }
    }
}

/// The watched folders of this process. They share one inotify instance, of which each user has 128.
private final class WatchedFolders: Sendable {
    static let shared = WatchedFolders()

    private struct Watch {
        let names: Set<String>
        let onWrite: @Sendable () -> Void
    }

    private struct State {
        /// The inotify descriptor and its reader; nil while nothing is watched.
        var source: (descriptor: CInt, reader: FileEventSource)?
        var lastNumber = 0
        /// The watches of each folder, by the folder's inotify number.
        var folders: [CInt: [Int: Watch]] = [:]
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "Rowan.FileWatcher", qos: .utility)

    /// - Returns: the number of the watch.
    func add(_ folder: String, _ names: Set<String>, _ onWrite: @escaping @Sendable () -> Void) throws -> Int {
        try state.withLock { state in
            let descriptor = try open(&state, folder)
            let mask = UInt32(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO)
            let number = inotify_add_watch(descriptor, folder, mask)
            guard number >= 0 else {
                let error = FileWatcher.systemError("watch the folder", folder)
                closeIfUnused(&state)
                throw error
            }
            state.lastNumber += 1
            state.folders[number, default: [:]][state.lastNumber] = Watch(names: names, onWrite: onWrite)
            return state.lastNumber
        }
    }

    func remove(_ number: Int) {
        // Closures of the program are released outside the lock.
        let removed = state.withLock { state -> Watch? in
            guard let folder = state.folders.first(where: { $0.value[number] != nil })?.key else { return nil }
            let watch = state.folders[folder]?.removeValue(forKey: number)
            if state.folders[folder]?.isEmpty == true {
                state.folders[folder] = nil
                if let source = state.source { inotify_rm_watch(source.descriptor, folder) }
            }
            closeIfUnused(&state)
            return watch
        }
        withExtendedLifetime(removed) {}
    }

    private func open(_ state: inout State, _ folder: String) throws -> CInt {
        if let source = state.source { return source.descriptor }
        let descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { throw FileWatcher.systemError("watch files", folder) }
        let reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        reader.setEventHandler { self.read(descriptor) }
        reader.setCancelHandler { close(descriptor) }
        reader.resume()
        state.source = (descriptor, FileEventSource(source: reader))
        return descriptor
    }

    private func closeIfUnused(_ state: inout State) {
        guard state.folders.isEmpty else { return }
        state.source?.reader.cancel()
        state.source = nil
    }

    /// Reads the pending events and notifies the watches they concern.
    private func read(_ descriptor: CInt) {
        var concerned: [Int: Watch] = [:]
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                let events = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                concerned.merge(watches(concernedBy: events)) { first, _ in first }
            }
        }
        for watch in concerned.values { watch.onWrite() }
    }

    private func watches(concernedBy events: UnsafeRawBufferPointer) -> [Int: Watch] {
        let folders = state.withLock { $0.folders }
        var concerned: [Int: Watch] = [:]
        let headerSize = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + headerSize <= events.count {
            let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + headerSize + Int(event.len)
            // The lost events may have concerned any file.
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                for watches in folders.values { concerned.merge(watches) { first, _ in first } }
            } else if let watches = folders[event.wd] {
                let name = String(decoding: events[(offset + headerSize)..<end].prefix { $0 != 0 }, as: UTF8.self)
                for (number, watch) in watches where watch.names.contains(name) { concerned[number] = watch }
            }
            offset = end
        }
        return concerned
    }
}
#endif
