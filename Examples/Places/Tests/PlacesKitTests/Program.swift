import Foundation
import PlacesKit

/// The `places` program, which is built next to the package's resources.
enum Program {
    static let executable = URL(fileURLWithPath: ZoneinfoFolder.bundled.path)
        .deletingLastPathComponent()
        .appendingPathComponent("places")

    struct Result {
        var output: String
        var errors: String
        var code: Int32
    }

    static func run(_ arguments: String...) throws -> Result {
        let process = Process()
        let output = Pipe()
        let errors = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Errors are short, so they fit in the pipe while the output is read.
        let outputData = output.fileHandleForReading.readDataToEndOfFile()
        let errorData = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Result(
            output: String(decoding: outputData, as: UTF8.self), errors: String(decoding: errorData, as: UTF8.self),
            code: process.terminationStatus)
    }
}

/// The running program, whose output is read line by line.
final class RunningProgram {
    private let process = Process()
    private let output = Pipe()
    private var unread = Data()

    convenience init(_ arguments: String...) throws { try self.init(arguments) }

    init(_ arguments: [String]) throws {
        process.executableURL = Program.executable
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// Waits for the next line.
    func nextLine() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread = Data(unread[(end + 1)...]) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw EndOfOutput() }
            unread.append(more)
        }
    }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// The exit code.
    func waitForEnd() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    struct EndOfOutput: Error {}
}
