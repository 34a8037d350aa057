// The commands that begin with a dot.

import Foundation
import Rowan
import RowanCommands

/// A command of the prompt.
struct DotCommand: Sendable {
    /// What Tab completes after the name.
    enum Arguments: Sendable {
        case nothing, tables, columns, files, sql
        case words([String])
    }

    let name: String
    let arguments: String
    let help: String
    let completion: Arguments
    /// Receives the text after the name.
    let action: @Sendable (ShellSession, String) throws -> Void

    static let all: [DotCommand] = [
        DotCommand(name: "exit", arguments: "", help: "ends the session", completion: .nothing) { session, _ in
            session.isEnding = true
        },
        DotCommand(name: "explain", arguments: "SQL", help: "prints how SQLite runs a query", completion: .sql) {
            guard !$1.isEmpty else { throw Failure(message: ".explain needs a query: .explain SELECT …") }
            $0.output.write(try $0.db.explain(sql: $1, arguments: $0.arguments).text)
        },
        DotCommand(name: "help", arguments: "", help: "prints the commands", completion: .nothing) { session, _ in
            session.output.write(helpText)
        },
        DotCommand(
            name: "limit", arguments: "[N]", help: "sets the number of rows that a terminal shows; 0 shows all of them",
            completion: .nothing
        ) {
            guard !$1.isEmpty else { return $0.output.write("\($0.printer.limit)\n") }
            guard let limit = Int($1), limit >= 0 else {
                throw Failure(message: ".limit needs a number of rows: .limit 50")
            }
            $0.printer.limit = limit
        },
        DotCommand(
            name: "mode", arguments: "[FORMAT]", help: "sets the format of rows: \(formats.joined(separator: ", "))",
            completion: .words(formats)
        ) {
            guard !$1.isEmpty else { return $0.output.write("\($0.printer.format.rawValue)\n") }
            guard let format = RowFormat(rawValue: $1) else {
                throw Failure(message: "unknown format \($1): use \(formats.joined(separator: ", "))")
            }
            $0.printer.format = format
        },
        DotCommand(
            name: "output", arguments: "FILE",
            help: "writes results to a new file; - writes them to the terminal again",
            completion: .files
        ) {
            guard !$1.isEmpty else { throw Failure(message: ".output needs the name of a new file, or -") }
            try $0.output.redirect(to: $1 == "-" ? nil : $1.asPath)
        },
        DotCommand(
            name: "param", arguments: "[NAME[=VALUE]]",
            help: "sets the value of :NAME, removes it, or prints all values", completion: .nothing
        ) { try $0.setParameter($1) },
        DotCommand(
            name: "profile", arguments: "TABLE [COLUMN…]", help: "prints what columns contain", completion: .columns
        ) {
            let words = $1.shellWords
            guard let table = words.first else { throw Failure(message: ".profile needs a table: .profile TABLE") }
            $0.output.write(try $0.db.profileText(of: table, columns: Array(words.dropFirst())))
        },
        DotCommand(name: "quit", arguments: "", help: "ends the session, like Ctrl-D", completion: .nothing) {
            session, _ in session.isEnding = true
        },
        DotCommand(
            name: "read", arguments: "FILE", help: "runs the statements and commands of a file", completion: .files
        ) {
            guard !$1.isEmpty else { throw Failure(message: ".read needs a file: .read FILE") }
            try $0.read($1.asPath)
        },
        DotCommand(name: "schema", arguments: "[TABLE…]", help: "prints definitions", completion: .tables) {
            $0.output.write(try $0.db.definitions(of: $1.shellWords).forTerminal)
        },
        DotCommand(
            name: "tables", arguments: "[PATTERN]",
            help: "prints the names of tables and views, or those like a pattern with %",
            completion: .tables
        ) { try $0.printTables(like: $1.shellWords.first ?? "%") },
        DotCommand(
            name: "timer", arguments: "[on|off]", help: "prints how long statements take",
            completion: .words(["on", "off"])
        ) {
            switch $1 {
            case "": $0.output.write($0.printsTime ? "on\n" : "off\n")
            case "on", "off": $0.printsTime = $1 == "on"
            default: throw Failure(message: ".timer needs on or off")
            }
        },
    ]

    private static let formats = RowFormat.allCases.map(\.rawValue)

    private static var helpText: String {
        let rows = all.map { (".\($0.name) \($0.arguments)", $0.help) }
        let width = rows.map { $0.0.terminalWidth }.max() ?? 0
        return rows.map { "\($0.0.padded(to: width))  \($0.1)\n" }.joined() + """

            Statements end with a semicolon. Tab completes names, Ctrl-R searches the history, and Ctrl-C stops a statement.

            """
    }

    /// Runs a line that begins with a dot.
    static func run(_ line: String, _ session: ShellSession) throws {
        let parts = line.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        let name = parts[0].dropFirst()
        guard let command = all.first(where: { $0.name == name }) else {
            let nearest = all.map(\.name).min { $0.distance(to: name) < $1.distance(to: name) }
            let hint = nearest.flatMap { $0.distance(to: name) <= 2 ? "did you mean .\($0)?" : nil }
            throw Failure(
                message: "unknown command .\(name.description.onOneLine): \(hint ?? ".help lists the commands")")
        }
        let rest = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        try session.output.writing { try session.signals.interrupting { try command.action(session, rest) } }
    }
}

extension StringProtocol {
    /// The number of characters to insert, delete or replace for another word.
    fileprivate func distance(to other: some StringProtocol) -> Int {
        var row = Array(0...other.count)
        for (index, character) in enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, otherCharacter) in other.enumerated() {
                let replaced = diagonal + (character == otherCharacter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}

extension String {
    /// The words, of which those in quotes may contain spaces.
    fileprivate var shellWords: [String] {
        var words: [String] = []
        var rest = self[...]
        while let first = rest.first {
            let quote: Character? = first == "\"" || first == "'" ? first : nil
            if quote != nil { rest.removeFirst() }
            let end = rest.firstIndex { quote == nil ? $0.isWhitespace : $0 == quote } ?? rest.endIndex
            words.append(String(rest[..<end]))
            rest = rest[end...].dropFirst().drop(while: \.isWhitespace)
        }
        return words
    }

    /// A path, which may contain spaces, and may be in quotes.
    fileprivate var asPath: String {
        let inner =
            count > 1 && (first == "\"" || first == "'") && last == first ? String(dropFirst().dropLast()) : self
        return (inner as NSString).expandingTildeInPath
    }
}
