// The program rowan-node: its commands.

import CDqlite
import Glibc

@main
struct RowanNode {
    static let version = "0.1.0"

    static var dqliteVersion: String {
        let number = Int(dqlite_version_number())
        return "\(number / 10000).\(number / 100 % 100).\(number % 100)"
    }

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
            writeLine("rowan-node \(version) (dqlite \(dqliteVersion))", to: STDOUT_FILENO)
        case "status":
            try StatusCommand(words.dropFirst()).run()
        case "remove":
            try RemoveCommand(words.dropFirst()).run()
        case "recover":
            try RecoverCommand(words.dropFirst()).run()
        case "backup":
            try BackupCommand(words.dropFirst()).run()
        case "restore":
            try RestoreCommand(words.dropFirst()).run()
        default:
            // Wrong options are for the person who typed them; what follows is for the log.
            let node = try RunCommand(words)
            do throws(Failure) {
                try node.run()
            } catch {
                Log.write(.error, "failed", ["error": error.message])
                exit(error.code)
            }
        }
    }
}
