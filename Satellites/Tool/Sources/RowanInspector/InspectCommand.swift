public import ArgumentParser
import Foundation
import Rowan
import RowanCommands

/// The command `rowan inspect`.
public struct InspectCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Shows a database on a page in the browser. Only reads.",
        discussion: """
            rowan inspect players.sqlite

            Open the URL that the command prints: its token is the key to the page. Ctrl-C ends the server. Queries have 5 seconds, \
            and show at most 1,000 rows and 10 MB. They can't write, attach files, or load code.
            """)

    @OptionGroup var file: DatabaseFile
    @Option(help: "The port; 0 is a free one.") var port = 0
    @Option(help: "The address to listen at. Others than 127.0.0.1 can be reached by other machines.")
    var host = "127.0.0.1"

    public init() {}

    public func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be from 0 to 65535") }
    }

    public func run() async throws {
        let inspector = try DatabaseFile.explainingSync(file.database) {
            try Inspector(path: file.database, host: host)
        }
        try await DatabaseFile.explaining(file.database) { try await inspector.run(port: port) }
    }
}
