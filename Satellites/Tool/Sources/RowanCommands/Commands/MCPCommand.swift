import ArgumentParser
import Foundation
import Rowan

struct MCPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Serves a database to an assistant, with the Model Context Protocol. Only reads.",
        discussion: """
            Add this command to the configuration of an assistant: rowan mcp /path/to/players.sqlite

            The assistant can list and describe the tables, run queries, and explain them. Its SQL can't write, attach files, or \
            load code; it has 5 seconds, 1,000 rows and 10 MB per query. Messages are lines of JSON on the standard input and output.
            """)

    @OptionGroup var file: DatabaseFile

    func run() throws {
        var limits = SQLLimits()
        limits.rows = DatabaseTools.maximumRowCount
        limits.resultBytes = 10 << 20
        let queue = try DatabaseFile.explainingSync(file.database) {
            try DatabaseFile.open(file.database, isReadOnly: true, trust: .untrustedSQL(limits))
        }
        let server = MCPServer(tools: DatabaseTools(queue: queue))
        while let line = readLine() {
            guard let response = server.respond(to: line) else { continue }
            print(response)
            // The assistant waits for it.
            try Console.flush()
        }
    }
}
