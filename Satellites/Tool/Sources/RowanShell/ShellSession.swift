// A session: statements and commands, their results and errors.

import Foundation
import Rowan
import RowanCommands

/// Runs what is entered, line by line.
final class ShellSession {
    let db: Database
    let signals: Signals
    let output: ShellOutput
    var printer: RowPrinter
    var printsTime = false
    var isEnding = false
    private let path: String
    private let isReadOnly: Bool
    private var parameters: [String: (any DatabaseValueConvertible)?] = [:]
    /// The files that are being read.
    private var files: [String] = []

    init(_ db: Database, path: String, isReadOnly: Bool, format: RowFormat, limit: Int, signals: Signals) {
        (self.db, self.path, self.isReadOnly, self.signals) = (db, path, isReadOnly, signals)
        output = ShellOutput(signals: signals)
        printer = RowPrinter(format: format, limit: limit, hint: ".limit 0 shows all of them")
    }

    var arguments: StatementArguments { StatementArguments(parameters) }

    // MARK: Lines

    /// Runs what a person enters. Errors are printed.
    func runPrompt(_ lines: any LineSource) throws {
        var splitter = StatementSplitter()
        var entry: [String] = []
        while !isEnding, signals.ending == nil {
            signals.reset()
            let isInTransaction = db.isInsideTransaction
            let prompt =
                entry.isEmpty
                ? (isInTransaction ? "rowan*> " : "rowan> ") : (isInTransaction ? "    ...> " : "   ...> ")
            switch try lines.next(prompt: prompt) {
            case .end:
                Console.printError("")
                return
            case .interrupted:
                Console.printError(signals.ending == nil ? "^C" : "")
                (splitter, entry) = (StatementSplitter(), [])
            case .invalid:
                Console.printError("rowan: \(Self.invalidText)")
                (splitter, entry) = (StatementSplitter(), [])
            case .line(let line):
                entry.append(line)
                do { try run(line, number: entry.count, &splitter) { self.remember(entry, in: lines, $0) } } catch {
                    Console.printError("rowan: \(explained(error))")
                    splitter = StatementSplitter()
                }
                if splitter.isBlank { entry = [] }
            }
        }
    }

    /// Keeps an entry, except for one that begins with a space.
    private func remember(_ entry: [String], in lines: any LineSource, _ isComplete: Bool) {
        let text = entry.joined(separator: "\n")
        guard isComplete, !text.hasPrefix(" "), !text.allSatisfy(\.isWhitespace) else { return }
        lines.remember(text)
    }

    /// Runs the lines of a script, up to the first error.
    func runScript(_ lines: any LineSource, name: String? = nil) throws {
        var splitter = StatementSplitter()
        var number = 0
        var start = 0
        do {
            while !isEnding {
                switch try lines.next(prompt: "") {
                case .interrupted: throw Interruption()
                case .invalid:
                    start = number + 1
                    throw Failure(message: Self.invalidText)
                case .end:
                    if let line = splitter.lineOfOpenComment {
                        start = line
                        throw Failure(message: "the comment has no end: add */")
                    }
                    guard let rest = splitter.rest else { return }
                    start = rest.line
                    return try run(rest)
                case .line(let line):
                    number += 1
                    start = number
                    try run(line, number: number, &splitter, willRun: { start = $0.line })
                }
            }
        } catch {
            // Without a line, nothing could be read.
            let place = start > 0 ? (name.map { $0 + ", " } ?? "") + "line \(start): " : ""
            let code = signals.isInterrupted ? 128 + (signals.ending ?? SIGINT) : 3
            throw Failure(message: place + explained(error), exitCode: code)
        }
    }

    private static let readOnlyText = "the statement writes: start the shell with --write to allow it"
    private static let invalidText = "the text is not valid UTF-8: convert it"

    /// Runs a command, or the statements that end on a line.
    private func run(
        _ line: String, number: Int, _ splitter: inout StatementSplitter,
        didSplit: (_ isComplete: Bool) -> Void = { _ in },
        willRun: (StatementSplitter.Statement) -> Void = { _ in }
    ) throws {
        let trimmed = line.trimmingCharacters(in: .whitespacesAndNewlines)
        if splitter.isBlank, trimmed.hasPrefix(".") {
            didSplit(true)
            return try DotCommand.run(trimmed, self)
        }
        let statements = splitter.add(line, number: number)
        didSplit(splitter.isBlank)
        for statement in statements {
            willRun(statement)
            try run(statement)
        }
    }

    // MARK: Statements

    private func run(_ statement: StatementSplitter.Statement) throws {
        if let missing = statement.variables.first(where: { parameters[String($0.dropFirst())] == nil }) {
            let name = missing.dropFirst()
            let hint =
                name.first?.isLetter ?? false ? "set it with .param \(name)=VALUE" : "name it, as in :name, for .param"
            throw Failure(message: "\(missing) has no value: \(hint)")
        }
        // SQLite lets a connection for reading write a copy to another file.
        if isReadOnly, statement.verb == "VACUUM" { throw Failure(message: Self.readOnlyText) }
        let wasInTransaction = db.isInsideTransaction
        let clock = ContinuousClock()
        let start = clock.now
        defer { if printsTime { Console.printError("took \((clock.now - start).shown)") } }
        do {
            try output.writing {
                try signals.interrupting { try printer.print(statement.sql, arguments, db, to: output) }
            }
        } catch {
            if wasInTransaction, !db.isInsideTransaction, statement.verb != "COMMIT", statement.verb != "END" {
                throw Failure(message: "\(explained(error)); the transaction was rolled back")
            }
            throw error
        }
        if let verb = statement.verb, ["INSERT", "REPLACE", "UPDATE", "DELETE"].contains(verb) {
            Console.printError(db.changesCount.counted("row changed", "rows changed"))
        }
    }

    /// A sentence for an error.
    private func explained(_ error: any Error) -> String {
        switch error {
        case is Interruption: return "interrupted"
        case let failure as Failure: return failure.message
        case let error as DatabaseError:
            switch error.resultCode {
            case .SQLITE_INTERRUPT: return "interrupted"
            case .SQLITE_READONLY where isReadOnly && error.extendedResultCode == .SQLITE_READONLY:
                return Self.readOnlyText
            case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CANTOPEN, .SQLITE_READONLY:
                return explained(DatabaseFile.explained(error, path))
            default: return error.sentence(arguments: "set them with .param NAME=VALUE").onOneLine
            }
        default: return "\(error)"
        }
    }

    /// Rolls back what is open, and closes the file of the results.
    ///
    /// - Returns: whether a transaction was open.
    func end() throws -> Bool {
        let wasOpen = db.isInsideTransaction
        if wasOpen { try db.rollback() }
        try output.redirect(to: nil)
        return wasOpen
    }

    // MARK: Commands

    /// Runs the lines of a file.
    func read(_ file: String) throws {
        guard !files.contains(file) else { throw Failure(message: "\(file) reads itself") }
        files.append(file)
        defer { files.removeLast() }
        try runScript(try Input(path: file, signals: signals), name: file)
    }

    /// Sets, removes or prints values of arguments.
    func setParameter(_ text: String) throws {
        if let (name, value) = ArgumentOptions.named(text) {
            parameters[name] = .some(value)
        } else if text.isEmpty {
            for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
                output.write("\(name)=\(value.map { $0.databaseValue.shown.onOneLine } ?? "null")\n")
            }
        } else if parameters.removeValue(forKey: text) == nil {
            throw Failure(message: "there is no value of :\(text.onOneLine): set it with .param NAME=VALUE")
        }
    }

    func printTables(like pattern: String) throws {
        let names = try ShellNames(db).tables.map { $0.schema == "main" ? $0.name : "\($0.schema).\($0.name)" }
        for name in names where try Bool.fetchOne(db, sql: "SELECT ? LIKE ?", arguments: [name, pattern]) ?? false {
            output.write(name.onOneLine + "\n")
        }
    }
}

extension Duration {
    /// The duration in a unit that suits it.
    fileprivate var shown: String {
        let seconds = self / .seconds(1)
        switch seconds {
        case ..<0.001: return String(format: "%.0f µs", seconds * 1_000_000)
        case ..<1: return String(format: "%.1f ms", seconds * 1000)
        case ..<60: return String(format: "%.2f s", seconds)
        default: return String(format: "%.0f min %02d s", (seconds / 60).rounded(.down), Int(seconds) % 60)
        }
    }
}
