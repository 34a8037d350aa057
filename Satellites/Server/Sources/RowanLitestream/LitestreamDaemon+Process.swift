// The process of Litestream: how it is started and restarted, and why it never outlives this process.

import Foundation
import Logging
import Subprocess
import Synchronization

#if canImport(System)
import System
#else
import SystemPackage
#endif

extension LitestreamDaemon {
    /// Runs Litestream repeatedly until the task is cancelled.
    func supervise(_ file: ConfigurationFile) async throws {
        var pause = Duration.milliseconds(500)
        while true {
            // The socket of a killed process would look like that of the next one. It may not exist.
            try? FileManager.default.removeItem(atPath: file.socket)
            let started = ContinuousClock.now
            let lines = LastLine()
            let status = try await replicate(file, lines)
            try Task.checkCancellation()
            let starts = state.withLock(\.starts)
            let reason = "litestream replicate has ended (\(status)): \(lines.value)"
            // It has never listened, so its settings are wrong.
            if starts == 1, !status.isSuccess, !FileManager.default.fileExists(atPath: file.socket) {
                throw LitestreamError(.commandFailed, reason)
            }
            if started.duration(to: .now) > .seconds(60) { pause = .milliseconds(500) }
            logger.error("\(reason). It is started again.", metadata: ["pause": "\(pause)"])
            try await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(30))
        }
    }

    /// Runs Litestream once.
    ///
    /// - Returns: its exit status.
    private func replicate(_ file: ConfigurationFile, _ last: LastLine) async throws -> TerminationStatus {
        try await Subprocess.run(
            .path("/bin/sh"),
            arguments: [
                "-c", Self.script, "sh", try replica.program.resolvedPath(), "replicate", "-config", file.path,
            ],
            environment: .inherit.updating(litestream: file.environment),
            platformOptions: .ownGroup, input: .inputWriter, output: .sequence, error: .combinedWithOutput
        ) { execution in
            state.withLock { state in
                state.process = execution.processIdentifier.value
                state.starts += 1
            }
            // An overlong line must not end it.
            for try await line in execution.standardOutput.strings(bufferingPolicy: .unbounded) where !line.isEmpty {
                last.value = line
                LogLine(line).log(to: logger)
            }
            // From here on, the number may become that of another process.
            state.withLock { $0.process = nil }
            try await execution.standardInputWriter.finish()
        }.terminationStatus
    }

    // Descriptor 3 is a pipe whose other end belongs to this process. When this process exits for any reason, the
    // program `cat` that Litestream runs (`exec` in its configuration) sees the end of the pipe and exits. Litestream
    // then sends the remaining changes and exits.
    //
    // At that point, nothing reads Litestream's log, and a Go program is killed by SIGPIPE: descriptor 4 reads the same
    // pipe.
    #if os(Linux)
    private static let script = #"exec "$@" 3<&0 4</proc/self/fd/1"#
    #else
    private static let script = #"exec "$@" 3<&0"#
    #endif
}

/// The last line that a process has logged.
private final class LastLine: Sendable {
    private let line = Mutex("")

    var value: String {
        get { line.withLock { $0 } }
        set { line.withLock { $0 = newValue } }
    }
}

/// A line that Litestream has logged: JSON, unless it exits with an error.
struct LogLine {
    private let level: Logger.Level
    private let message: String
    private let metadata: Logger.Metadata

    init(_ line: String) {
        // Other lines are text.
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        guard let object, let message = object["msg"] as? String else {
            level = line.hasPrefix("Error") ? .error : .debug
            message = line
            metadata = [:]
            return
        }
        self.message = message
        switch object["level"] as? String {
        case "WARN": level = .warning
        case "ERROR": level = .error
        // Litestream logs ten lines for each start.
        default: level = .debug
        }
        metadata = object.filter { !["time", "level", "msg"].contains($0.key) }.mapValues { "\($0)" }
    }

    func log(to logger: Logger) { logger.log(level: level, "\(message)", metadata: metadata) }
}
