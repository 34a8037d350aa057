import Foundation
import PlacesKit

/// The `places` program, which the build leaves beside the resources of the package.
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
        // Errors are short, they fit in the pipe while the output is read.
        let outputData = output.fileHandleForReading.readDataToEndOfFile()
        let errorData = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Result(
            output: String(decoding: outputData, as: UTF8.self), errors: String(decoding: errorData, as: UTF8.self),
            code: process.terminationStatus)
    }
}
