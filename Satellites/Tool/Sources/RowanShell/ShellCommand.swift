public import ArgumentParser
import Rowan
import RowanCommands

/// The command `rowan shell`.
public struct ShellCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(commandName: "shell", abstract: "Runs SQL at a prompt.")

    @OptionGroup var file: DatabaseFile

    public init() {}

    public func run() async throws {}
}
