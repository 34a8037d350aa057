// The program: its commands, and what becomes of their errors.

public import ArgumentParser
import Foundation
import Rowan

/// The command `rowan`, with all of its commands.
public struct RowanCommand: ParsableCommand {
    public static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "rowan", abstract: "Looks at SQLite databases, and looks after them.",
            discussion: """
                Commands only read, except for those that say that they write. Results are printed on the standard output, and \
                everything else on the standard error. The exit code is 0 for success, 1 for findings such as those of a check, \
                2 for wrong arguments, and 3 for an error of a database or a file.
                """,
            subcommands: [
                SchemaCommand.self, DiagramCommand.self, QueryCommand.self, ExplainCommand.self, ProfileCommand.self,
                UsageCommand.self,
                DumpCommand.self, BackupCommand.self, ImportCommand.self, DoctorCommand.self, MigrateCommand.self,
                TransformCommand.self,
                GenerateCommand.self, TailCommand.self, MCPCommand.self,
            ] + additional)
    }

    /// Commands of other modules.
    @TaskLocal private static var additional: [any ParsableCommand.Type] = []

    public init() {}

    /// Runs a command.
    ///
    /// - Parameters:
    ///   - arguments: the arguments without the name of the program; by default, those of the process.
    ///   - commands: commands of your own.
    /// - Returns: the exit code.
    public static func execute(
        _ arguments: [String]? = nil, adding commands: [any ParsableCommand.Type] = []
    ) async -> Int32 {
        Console.reserveStandardFiles()
        let code = await $additional.withValue(commands) { await run(arguments) }
        // What was printed may not have been written.
        do { try Console.flush() } catch { return report(error) }
        return code
    }

    private static func run(_ arguments: [String]?) async -> Int32 {
        do {
            var command = try parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            return 0
        } catch {
            return report(error)
        }
    }

    /// Prints an error.
    ///
    /// - Returns: the exit code.
    private static func report(_ error: any Error) -> Int32 {
        switch error {
        case is Findings: return 1
        case let failure as Failure:
            Console.printError("rowan: \(failure.message)")
            return failure.exitCode
        case is CancellationError:
            Console.printError("rowan: interrupted; nothing was changed")
            return 130
        case let error as DatabaseError:
            Console.printError("rowan: \(error.withAdvice("\(error)"))")
            return 3
        case let error as CocoaError:
            Console.printError("rowan: \(error.sentence)")
            return 3
        default:
            let code = exitCode(for: error)
            let message = fullMessage(for: error)
            // Help was asked for.
            if code == .success {
                print(message)
                return 0
            }
            Console.printError(code == .validationFailure ? message : "rowan: \(error)")
            return code == .validationFailure ? 2 : 3
        }
    }
}

/// A check has found something, which was printed.
package struct Findings: Error {
    package init() {}
}

/// An error with a sentence that says what to do.
package struct Failure: Error {
    package let message: String
    package let exitCode: Int32

    package init(message: String, exitCode: Int32 = 3) { (self.message, self.exitCode) = (message, exitCode) }

    package static func usage(_ message: String) -> Failure { Failure(message: message, exitCode: 2) }
}
