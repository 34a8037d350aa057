public import ArgumentParser
import Rowan
import RowanCommands

/// The command `rowan inspect`.
public struct InspectCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Shows a database on a page in the browser. Only reads.")

    @OptionGroup var file: DatabaseFile

    public init() {}

    public func run() async throws {}
}
