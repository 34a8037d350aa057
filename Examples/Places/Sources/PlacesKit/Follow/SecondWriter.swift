import Foundation

/// A second process that changes places at random times.
public final class SecondWriter: Sendable {
    // Process is not Sendable. Only the methods of this class use it, on any thread.
    nonisolated(unsafe) private let process = Process()

    /// Starts `places simulate`.
    ///
    /// - Parameter onFailure: called if the process fails.
    public init(
        executable: URL, database: String, changes: Int, seed: UInt64, countryCode: String?,
        onFailure: @escaping @Sendable () -> Void
    ) throws {
        process.executableURL = executable
        process.arguments =
            ["simulate", "--changes", "\(changes)", "--seed", "\(seed)", "--no-sql", "--database", database]
            + (countryCode.map { ["--country", $0] } ?? [])
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.terminationHandler = { process in
            if process.terminationStatus != 0 { onFailure() }
        }
        try process.run()
    }

    /// Terminates the process if it is running, and throws if it has failed before.
    public func stop() throws {
        guard !process.isRunning else {
            process.terminate()
            return process.waitUntilExit()
        }
        guard process.terminationStatus == 0 else { throw Failure(code: process.terminationStatus) }
    }

    public struct Failure: Error, CustomStringConvertible {
        public let code: Int32

        public var description: String { "the process that changes places failed with exit code \(code)" }
    }
}
