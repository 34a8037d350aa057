public import ArgumentParser
import Foundation
import Rowan
import RowanCommands

/// The command `rowan shell`.
public struct ShellCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "shell", abstract: "Runs SQL at a prompt, or a script.",
        discussion: """
            rowan shell players.sqlite
            rowan shell players.sqlite --write < script.sql

            Statements end with a semicolon; .help lists the commands of the prompt. Tab completes names, Ctrl-R searches the \
            history, Ctrl-C stops a statement, and Ctrl-D ends the session. Earlier statements are kept in \
            ~/.local/state/rowan/history, except for those that begin with a space. A script is UTF-8, \
            and stops at the first error. Without --write, nothing is written, no copy by VACUUM either.
            """)

    @OptionGroup var file: DatabaseFile
    @OptionGroup var format: RowFormatOptions
    @Flag(help: "The statements may write.") var write = false
    @Flag(help: "Read and write no history of statements.") var noHistory = false

    public init() {}

    public func run() async throws {
        let path = file.database
        try await DatabaseFile.explaining(path) {
            let queue = try DatabaseFile.open(path, isReadOnly: !write)
            let signals = try Signals { queue.interrupt() }
            try signals.receiving {
                try queue.writeWithoutTransaction { db in
                    // A file that is no database is noticed before the prompt.
                    try db.execute(sql: "PRAGMA schema_version")
                    try run(
                        ShellSession(
                            db, path: path, isReadOnly: !write, format: format.format, limit: format.limit,
                            signals: signals))
                }
            }
        }
    }

    private func run(_ session: ShellSession) throws {
        let names = NamesCache()
        let history = noHistory ? nil : HistoryFile()
        let editor =
            !LineEditor.isPossible
            ? nil
            : LineEditor(signals: session.signals, history: history) { [db = session.db] in
                Completer(names: names.current(db)).complete($0, after: $1)
            }
        let result = Result {
            guard let editor else { return try session.runScript(Input(STDIN_FILENO, signals: session.signals)) }
            let name = (file.database as NSString).lastPathComponent.onOneLine
            Console.printError("\(name)\(write ? "" : ", for reading only"): .help lists the commands")
            try session.runPrompt(editor)
        }
        let wasOpen = try session.end()
        if wasOpen, editor == nil, case .success = result {
            throw Failure(message: "the script ends in a transaction, which was rolled back: add COMMIT")
        }
        if wasOpen { Console.printError("rowan: the open transaction was rolled back") }
        try result.get()
        if let signal = session.signals.ending {
            throw Failure(message: "ended by signal \(signal)", exitCode: 128 + signal)
        }
    }
}
