// A folder for files of a process, removed by the next one if the process was killed.

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder that is locked while its process lives. A copy of a database may be large.
package struct LockedFolder: Sendable {
    package let path: String
    private let lock: CInt

    /// Creates a folder, and removes those of processes that were killed.
    package init(in parent: String, prefix: String) throws {
        try FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: true)
        try Self.removeLeftovers(in: parent, prefix)
        while true {
            let id = UUID().uuidString
            let path = "\(parent)/\(prefix)\(id)"
            if let lock = try Self.make("\(parent)/\(Self.newPrefix)\(id)", path) {
                (self.path, self.lock) = (path, lock)
                return
            }
        }
    }

    private static let newPrefix = ".rowan-new-"

    private static func removeLeftovers(in parent: String, _ prefix: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: parent) {
            let isNew = name.hasPrefix(newPrefix)
            guard isNew || name.hasPrefix(prefix) else { continue }
            let leftover = "\(parent)/\(name)"
            let lock = open(leftover, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            guard lock >= 0 else { continue }
            defer { close(lock) }
            guard flock(lock, LOCK_EX | LOCK_NB) == 0 else { continue }
            // One that another process is about to lock is empty, and that process then makes another one. It may have
            // its name by now.
            if isNew {
                rmdir(leftover)
            } else {
                // The next folder's initializer retries.
                try? FileManager.default.removeItem(atPath: leftover)
            }
        }
    }

    /// Creates a folder that gets its name with its lock.
    ///
    /// - Returns: the lock; nil if another process has taken the folder for a leftover.
    private static func make(_ unlocked: String, _ path: String) throws -> CInt? {
        guard mkdir(unlocked, 0o700) == 0 else { throw error(unlocked) }
        let lock: CInt
        do { lock = try Self.lock(unlocked) } catch {
            guard access(unlocked, F_OK) != 0, errno == ENOENT else { throw error }
            return nil
        }
        guard rename(unlocked, path) == 0 else {
            defer { close(lock) }
            guard errno == ENOENT else { throw error(path) }
            return nil
        }
        return lock
    }

    package func remove() {
        // The next folder's initializer retries.
        try? FileManager.default.removeItem(atPath: path)
        close(lock)
    }

    private static func lock(_ path: String) throws -> CInt {
        let file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw error(path) }
        while flock(file, LOCK_EX) != 0 {
            guard errno == EINTR else {
                defer { close(file) }
                throw error(path)
            }
        }
        return file
    }

    private static func error(_ path: String) -> CocoaError {
        CocoaError(
            .fileWriteUnknown,
            userInfo: ["reason": String(cString: strerror(errno)), NSFilePathErrorKey: path])
    }
}
