// A folder for files of a process, removed by the next one if the process was killed.

import Foundation
import Rowan

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder that is locked for as long as its process lives. A copy of a database may be large.
struct DrillFolder {
    let path: String
    private let lock: CInt

    /// Creates a folder, and removes those of processes that were killed.
    init(in parent: String, prefix: String) throws {
        try FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: parent) where name.hasPrefix(prefix) {
            let leftover = "\(parent)/\(name)"
            let lock = open(leftover, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            guard lock >= 0 else { continue }
            // The next drill retries.
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { try? FileManager.default.removeItem(atPath: leftover) }
            close(lock)
        }
        let id = UUID().uuidString
        // Others only remove folders with the prefix, so it gets its name with its lock.
        let unlocked = "\(parent)/.rowan-new-\(id)"
        try FileManager.default.createDirectory(
            atPath: unlocked, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        path = "\(parent)/\(prefix)\(id)"
        lock = try Self.lock(unlocked)
        guard rename(unlocked, path) == 0 else {
            defer { close(lock) }
            throw Self.error(path)
        }
    }

    func remove() {
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

extension Configuration {
    /// The configuration of a copy: its functions, collations and passphrase, but none of what concerns the file.
    static func ofCopy(of configuration: Configuration) -> Configuration {
        var copy = configuration
        copy.readonly = false
        // The statements are the program's own, and may read all rows.
        if copy.trust != .trusted { copy.trust = .untrustedFile }
        copy.journalMode = .default
        copy.observesOtherProcesses = false
        copy.replicatedByLitestream = false
        copy.label = "restore drill"
        return copy
    }
}
