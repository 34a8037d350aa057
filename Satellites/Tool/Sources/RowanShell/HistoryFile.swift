// The statements of earlier sessions.

import Foundation

/// A file with one entry per line. Several sessions may share it.
struct HistoryFile: Sendable {
    static let limit = 1000
    let path: String

    /// - Parameter environment: the variables of the process.
    init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
            path = folder + "/rowan/history"
        } else if let home = environment["HOME"], !home.isEmpty {
            path = home + "/.local/state/rowan/history"
        } else {
            return nil
        }
    }

    /// The entries, oldest first; none if the file can't be read.
    func load() -> [String] {
        // Without a history, the session begins with an empty one.
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return [] }
        return Self.entries(data).suffix(Self.limit)
    }

    /// Adds an entry at the end, unless it is there already. Errors are ignored: the history is not worth a message.
    func add(_ entry: String) {
        // A folder that can't be made is the error of the next line.
        try? FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        // Another session may be adding an entry. What can't be read is not replaced.
        guard flock(file, LOCK_EX) == 0, let data = try? handle.readToEnd() ?? Data() else { return }
        var entries = Self.entries(data)
        guard entries.last != entry else { return }
        entries.append(entry)
        // The history is not worth a message: see above.
        if entries.count <= Self.limit {
            try? handle.write(contentsOf: Self.line(entry))
        } else {
            try? handle.seek(toOffset: 0)
            try? handle.write(contentsOf: Data(entries.suffix(Self.limit).flatMap { Self.line($0) }))
            try? handle.truncate(atOffset: handle.offset())
        }
    }

    private static func line(_ entry: String) -> Data {
        Data((entry.replacing("\\", with: "\\\\").replacing("\n", with: "\\n") + "\n").utf8)
    }

    private static func entries(_ data: Data) -> [String] {
        data.split(separator: 10).map { line in
            var bytes: [UInt8] = []
            var isEscaped = false
            for byte in line {
                if byte == UInt8(ascii: "\\"), !isEscaped {
                    isEscaped = true
                    continue
                }
                bytes.append(isEscaped && byte == UInt8(ascii: "n") ? 10 : byte)
                isEscaped = false
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
