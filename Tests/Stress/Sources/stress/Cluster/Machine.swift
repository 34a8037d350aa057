// The machines of nodes and clients: all processes run on one, whose clock and disk a shim changes for each of them.

import Foundation

/// The clock and the disk of a process, as it sees them.
final class Machine: Sendable {
    private let path: String
    private let state: Locked<[Int64]>

    /// - Parameter clockOffset: the seconds by which its clock is wrong.
    init(path: String, clockOffset: Int64 = 0) throws {
        self.path = path
        state = Locked([clockOffset, 0])
        try store()
    }

    /// The variables of a process on this machine.
    ///
    /// - Throws: `StressFailure` without the shims.
    func environment() throws -> [String: String] {
        guard let shims = ProcessInfo.processInfo.environment["STRESS_SHIMS"] else {
            throw StressFailure("STRESS_SHIMS is the folder of the shims, and is not set")
        }
        return ["LD_PRELOAD": "\(shims)/machine.so", "STRESS_MACHINE": path]
    }

    func setClockOffset(_ seconds: Int64) throws {
        state.with { $0[0] = seconds }
        try store()
    }

    func setFull(_ isFull: Bool) throws {
        state.with { $0[1] = isFull ? 1 : 0 }
        try store()
    }

    /// Writes into the file, which the processes have mapped.
    private func store() throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: Data(count: 16))
        }
        guard let file = FileHandle(forWritingAtPath: path) else { throw StressFailure("can't write \(path)") }
        try file.write(contentsOf: state.current.withUnsafeBytes { Data($0) })
        try file.close()
    }
}
