// The program as a process.

import Foundation
import Rowan
import Testing

/// The program, and a folder for its files.
struct Tool {
    struct Output: Equatable {
        var output: String
        var errors: String
        var code: Int32

        init(_ output: String, errors: String = "", code: Int32 = 0) {
            (self.output, self.errors, self.code) = (output, errors, code)
        }
    }

    let folder: URL

    /// The folder of all tests, removed when they have ended. A test may use its files for longer than its `Tool`.
    private static let root: URL = {
        atexit { try? FileManager.default.removeItem(at: root) }
        return FileManager.default.temporaryDirectory.appending(path: "RowanTool-\(UUID())")
    }()

    init() throws {
        folder = Self.root.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Makes a database.
    @discardableResult
    func database(
        _ sql: String, _ name: String = "d.sqlite", configuration: Configuration = Configuration()
    ) throws -> String {
        let queue = try DatabaseQueue(path: path(name), configuration: configuration)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
        return path(name)
    }

    func write(_ text: String, _ name: String) throws -> String {
        try Data(text.utf8).write(to: folder.appending(path: name))
        return path(name)
    }

    func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }

    /// The program is next to the tests.
    static let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "rowan")

    /// Runs a command in the folder.
    func run(_ arguments: String..., input: String = "") throws -> Output {
        try run(arguments, input: input)
    }

    func run(_ arguments: [String], input: String = "", environment: [String: String] = [:]) throws -> Output {
        try run(arguments, of: Self.program, input: Data(input.utf8), environment: environment)
    }

    /// Runs a script of sh, for which the program is `$rowan`.
    func shell(_ script: String, input: Data = Data()) throws -> Output {
        try run(
            ["-c", script], of: URL(filePath: "/bin/sh"), input: input, environment: ["rowan": Self.program.path])
    }

    private func run(
        _ arguments: [String], of program: URL, input: Data, environment: [String: String]
    ) throws -> Output {
        let process = Process()
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (stdin, stdout, stderr)
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try stdin.fileHandleForWriting.close()
        // The errors are short: they fit in the pipe.
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        let errors = stderr.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Output(
            String(decoding: output, as: UTF8.self), errors: String(decoding: errors, as: UTF8.self),
            code: process.terminationStatus)
    }
}

extension DatabaseValue {
    /// The value as SQL.
    var literal: String {
        switch storage {
        case .null: "NULL"
        case .int64(let integer): String(integer)
        case .double(let real): "\(real)"
        case .string(let text): "'\(text)'"
        case .blob(let data): "x'" + data.map { String($0, radix: 16) }.joined(separator: " ") + "'"
        }
    }
}
