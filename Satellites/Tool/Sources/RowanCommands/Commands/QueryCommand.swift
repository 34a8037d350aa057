import ArgumentParser
import Foundation
package import Rowan

struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query", abstract: "Runs SQL, and prints its rows.",
        discussion: """
            rowan query players.sqlite "SELECT * FROM player WHERE team = :team" -p team=Reds
            rowan query players.sqlite "SELECT * FROM player" --format csv > players.csv
            rowan query players.sqlite - < report.sql
            """)

    @OptionGroup var file: DatabaseFile
    @Argument(help: "The statements; - reads them from the standard input.") var sql: String
    @OptionGroup var arguments: ArgumentOptions
    @OptionGroup var format: RowFormatOptions
    @Flag(help: "The statements may write. After an error, none of them has.") var write = false

    func run() async throws {
        let sql = try sql.orStandardInput()
        let (arguments, format) = (arguments.arguments, format)
        let body: @Sendable (Database) throws -> Void = { db in try format.print(sql, arguments, db) }
        guard !write else { return try await file.write(body) }
        do { try await file.read(body) } catch let failure as Failure {
            guard failure.message.contains("attempt to write a readonly database") else { throw failure }
            throw Failure(message: "the SQL writes, and nothing was changed: pass --write to allow it")
        }
    }
}

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Prints how SQLite runs a query, and marks tables that it reads in full.",
        discussion: "rowan explain players.sqlite \"SELECT * FROM player ORDER BY score\"")

    @OptionGroup var file: DatabaseFile
    @Argument(help: "The statement; - reads it from the standard input.") var sql: String
    @OptionGroup var arguments: ArgumentOptions

    func run() async throws {
        let sql = try sql.orStandardInput()
        let arguments = arguments.arguments
        let plan = try await file.read { try $0.explain(sql: sql, arguments: arguments) }
        print(plan.text, terminator: "")
    }
}

extension QueryPlan {
    /// The plan as a tree, with remarks.
    package var text: String { Self.text(nodes, Set(fullScans), indentation: "") }

    private static func text(_ nodes: [Node], _ fullScans: Set<String>, indentation: String) -> String {
        nodes.enumerated().map { index, node in
            let isLast = index == nodes.count - 1
            let remark = node.remark(fullScans)
            let text = node.detail.onOneLine + (remark.map { "  ← " + $0 } ?? "")
            return indentation + (isLast ? "└─ " : "├─ ") + (remark == nil ? text : Console.styled(text, .warning))
                + "\n"
                + self.text(node.children, fullScans, indentation: indentation + (isLast ? "   " : "│  "))
        }.joined()
    }
}

extension String {
    /// The text itself or, for -, the standard input.
    fileprivate func orStandardInput() throws -> String {
        guard self == "-" else { return self }
        let data = try Console.readStandardInput()
        if let text = String(validating: data, as: UTF8.self) {
            // SQLite accepts a comment without an end, which would swallow the statements after it.
            guard text.contains("/*"), let last = SQLToken.tokens(text).last, last.kind == .openComment else {
                return text
            }
            let line = text.utf8.count { $0 == 10 } - last.text.utf8.count { $0 == 10 } + 1
            throw Failure(message: "line \(line): the comment has no end: add */")
        }
        let line = data.split(separator: 10, omittingEmptySubsequences: false).firstIndex {
            String(validating: $0, as: UTF8.self) == nil
        }
        throw Failure(message: "line \((line ?? 0) + 1): the text is not valid UTF-8: convert it")
    }
}

extension QueryPlan.Node {
    /// What should be looked at.
    ///
    /// - Parameter fullScans: the tables that the plan reads in full.
    package func remark(_ fullScans: Set<String>) -> String? {
        switch operation {
        case .scan(let table, let index, _) where fullScans.contains(table):
            index == nil ? "reads the whole table" : "reads the whole index"
        case .search(_, .automatic, _, _): "builds an index for this query: create one"
        case .temporaryBTree(let purpose): "sorts for \(purpose)"
        default: nil
        }
    }
}
