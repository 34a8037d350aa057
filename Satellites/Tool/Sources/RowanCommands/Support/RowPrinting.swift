// Rows in the formats that commands offer.

package import ArgumentParser
import Foundation
package import Rowan

/// The format of rows.
package enum RowFormat: String, ExpressibleByArgument, CaseIterable {
    case box, json, jsonl, csv, tsv, markdown, line
}

package struct RowFormatOptions: ParsableArguments {
    package init() {}

    @Option(
        name: [.short, .customLong("format")],
        help: "The format of the rows: box, json, jsonl, csv, tsv, markdown, line.")
    package var format: RowFormat = .box

    @Option(help: "The maximum number of rows of a table that is shown in a terminal. 0 shows all of them.")
    package var limit = 1000

    package func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must not be negative") }
    }

    /// Prints the rows of all statements of a text.
    package func print(_ sql: String, _ arguments: StatementArguments, _ db: Database) throws {
        try RowPrinter(format: format, limit: limit).print(sql, arguments, db)
    }
}

/// Prints rows in a format.
package struct RowPrinter: Sendable {
    package var format: RowFormat
    /// The maximum number of rows of a box in a terminal; 0 for all of them.
    package var limit: Int
    /// How to print all rows.
    private let hint: String

    package init(format: RowFormat, limit: Int, hint: String = "pass --limit 0 for all of them") {
        (self.format, self.limit, self.hint) = (format, limit, hint)
    }

    /// Prints the rows of all statements of a text.
    ///
    /// - Parameter stream: an instance of a class; nil for the standard output.
    package func print(
        _ sql: String, _ arguments: StatementArguments, _ db: Database, to stream: (any TextOutputStream)? = nil
    ) throws {
        let literal = SQL(sql: sql, arguments: arguments)
        let stream = format == .box ? stream : TerminalStream.ifNeeded(stream)
        switch format {
        case .json: try db.dumpSQL(literal, format: .json(), to: stream)
        case .jsonl: try db.dumpSQL(literal, format: .jsonLines(), to: stream)
        case .csv: try db.dumpSQL(literal, format: .csv(header: true), to: stream)
        case .tsv: try db.dumpSQL(literal, format: .csv(header: true, separator: "\t"), to: stream)
        case .line: try db.dumpSQL(literal, format: .line(nullValue: "NULL"), to: stream)
        case .box, .markdown:
            let statements = try db.allStatements(literal: literal)
            while let statement = try statements.next() {
                guard statement.columnCount > 0 else {
                    try statement.execute()
                    continue
                }
                try printTable(of: statement, to: stream)
            }
        }
    }

    private func printTable(of statement: Statement, to stream: (any TextOutputStream)?) throws {
        var table = TextTable(columns: statement.columnNames)
        var numbers = Set(table.columns.indices)
        let width = Console.width
        // A pipe gets all rows.
        let limit = format == .box && width != nil && limit > 0 ? limit : Int.max
        var hasMore = false
        let rows = try Row.fetchCursor(statement)
        while let row = try rows.next() {
            if table.rows.count == limit {
                hasMore = true
                break
            }
            let values = Array(row.databaseValues)
            for (index, value) in values.enumerated() where !value.isNumberOrNull { numbers.remove(index) }
            table.rows.append(values.map(\.shown))
        }
        table.numbers = numbers
        let text = table.text(format == .box ? .box : .markdown, width: width)
        if var stream { stream.write(text) } else { Swift.print(text, terminator: "") }
        if hasMore { Console.printError("the first \(limit) rows are shown: \(hint)") }
    }
}

/// Shows the escape sequences in values.
final class TerminalStream: TextOutputStream {
    private var base: (any TextOutputStream)?

    private init(_ base: (any TextOutputStream)?) { self.base = base }

    /// - Parameter base: nil for the standard output.
    static func ifNeeded(_ base: (any TextOutputStream)? = nil) -> (any TextOutputStream)? {
        Console.width == nil ? base : TerminalStream(base)
    }

    func write(_ string: String) {
        let text = string.forTerminal
        if base == nil { Swift.print(text, terminator: "") } else { base?.write(text) }
    }
}

extension DatabaseValue {
    /// The value for a person.
    package var shown: String {
        switch storage {
        case .null: "NULL"
        case .int64(let integer): String(integer)
        case .double(let real): "\(real)"
        case .string(let text): text
        case .blob(let data):
            "x'" + data.prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
                + (data.count > 16 ? "…' (\(data.count) bytes)" : "'")
        }
    }

    fileprivate var isNumberOrNull: Bool {
        switch storage {
        case .null, .int64, .double: true
        case .string, .blob: false
        }
    }
}

/// The values of arguments.
package struct ArgumentOptions: ParsableArguments {
    package init() {}

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The value of an argument, as NAME=VALUE for :NAME, or as VALUE for ?. May be repeated.",
            discussion:
                "A value that is written as a number, such as 1.50 or 1e3, is a number, except with leading zeros. NAME= is an empty text, and null is NULL."
        ))
    var parameter: [String] = []

    var arguments: StatementArguments {
        var named: [String: (any DatabaseValueConvertible)?] = [:]
        var positional: [(any DatabaseValueConvertible)?] = []
        for text in parameter {
            if let (name, value) = Self.named(text) {
                named[name] = value
            } else {
                positional.append(Self.value(text))
            }
        }
        return StatementArguments(positional) &+ StatementArguments(named)
    }

    /// The parts of NAME=VALUE; nil for another text.
    package static func named(_ text: String) -> (name: String, value: (any DatabaseValueConvertible)?)? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first, name.first?.isLetter ?? false,
            name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
        else { return nil }
        return (String(name), value(String(parts[1])))
    }

    private static func value(_ text: String) -> (any DatabaseValueConvertible)? {
        if text == "null" { return nil }
        // As SQLite writes numbers, also with a sign. 01234 is a text.
        guard text.wholeMatch(of: /[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/) != nil else {
            return text
        }
        if let integer = Int64(text) { return integer }
        return Double(text) ?? text
    }
}
