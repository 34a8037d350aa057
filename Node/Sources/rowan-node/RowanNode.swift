// The program rowan-node: its commands.

import CDqlite
import Glibc

@main
struct RowanNode {
    static let version = "0.1.0"

    static func main() {
        // Writing to a disconnected peer or client fails instead of ending the program.
        signal(SIGPIPE, SIG_IGN)
        do {
            try run(CommandLine.arguments.dropFirst())
        } catch {
            writeLine("rowan-node: \(error.message)", to: STDERR_FILENO)
            exit(error.code)
        }
    }

    static func run(_ words: ArraySlice<String>) throws(Failure) {
        if words.contains("--help") || words.first == "help" {
            return writeLine(Help.text, to: STDOUT_FILENO)
        }
        switch words.first {
        case nil:
            throw .usage("no command was given")
        case "--version":
            let dqlite = Int(dqlite_version_number())
            writeLine(
                "rowan-node \(version) (dqlite \(dqlite / 10000).\(dqlite / 100 % 100).\(dqlite % 100))",
                to: STDOUT_FILENO)
        case "status":
            try StatusCommand(words.dropFirst()).run()
        case "remove":
            try RemoveCommand(words.dropFirst()).run()
        case "recover":
            try RecoverCommand(words.dropFirst()).run()
        default:
            try RunCommand(words).run()
        }
    }
}
