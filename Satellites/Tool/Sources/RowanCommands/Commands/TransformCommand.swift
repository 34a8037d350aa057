import ArgumentParser
import Foundation
import Rowan

struct TransformCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transform", abstract: "Changes the columns of a table, which is made again. Writes the database.",
        discussion: """
            rowan transform players.sqlite player --type score=INTEGER --not-null name --order id,name,score

            The rows, indexes, triggers, views and foreign keys remain. With --dry-run, prints the definition, and changes nothing.
            """)

    @OptionGroup var file: DatabaseFile
    @Argument(help: "The table.") var table: String
    @Option(help: "COLUMN=TYPE. SQLite converts the values, if it can. May be repeated.") var type: [String] = []
    @Option(help: "OLD=NEW. May be repeated.") var rename: [String] = []
    @Option(help: "A column to remove. May be repeated.") var drop: [String] = []
    @Option(help: "A column that must have a value. May be repeated.") var notNull: [String] = []
    @Option(help: "A column that may be NULL. May be repeated.") var nullable: [String] = []
    @Option(help: "COLUMN=EXPRESSION, the default value; COLUMN= removes it. May be repeated.") var `default`:
        [String] = []
    @Option(help: "The columns of the primary key, separated by commas.") var key: String?
    @Option(help: "The order of columns, separated by commas. Others follow.") var order: String?
    @Flag(inversion: .prefixedNo, help: "Whether the table is STRICT, which rejects values of other types.")
    var strict: Bool?
    @Flag(help: "Print the definition, and change nothing.") var dryRun = false

    func run() async throws {
        let (name, command) = (table, self)
        let definition = try await file.read { db in
            let table = try db.existingTable(name)
            guard
                let sql = try db.schemaObjects(in: "main").first(where: { $0.kind == .table && $0.name == table })?.sql,
                var text = TableText(sql)
            else { throw Failure(message: "\(table) is a view or a virtual table: pass a table") }
            try command.change(&text, table)
            let options = try Row.fetchOne(
                db, sql: "SELECT wr, strict FROM pragma_table_list(?) WHERE schema = 'main'", arguments: [table])
            let isStrict = command.strict ?? options?["strict"] ?? false
            if isStrict { try Self.checkTypes(text, table) }
            let words = (options?["wr"] ?? false ? ["WITHOUT ROWID"] : []) + (isStrict ? ["STRICT"] : [])
            return (table: table, text: text, options: words.joined(separator: ", "))
        }
        let (table, text, options) = definition
        let parts = text.parts.map(\.tokens.sql)
        guard !dryRun else {
            let list = parts.joined(separator: ",\n    ")
            return print(
                "CREATE TABLE \(table.quotedIdentifier) (\n    \(list)\n)\(options.isEmpty ? "" : " " + options)")
        }
        let strict = strict
        let renames = try rename.map { try Self.pair($0, "--rename") }
        try await file.writeWithoutTransaction { db in
            for (old, new) in renames {
                try db.execute(
                    sql:
                        "ALTER TABLE \(table.quotedIdentifier) RENAME COLUMN \(old.quotedIdentifier) TO \(new.quotedIdentifier)"
                )
            }
            guard renames.isEmpty else { return }
            try db.rebuild(table: table, strict: strict) { t in
                for part in text.parts where !part.isConstraint { t.column(sql: part.tokens.sql) }
                for part in text.parts where part.isConstraint { t.constraint(sql: part.tokens.sql) }
            }
        }
    }

    private static func checkTypes(_ text: TableText, _ table: String) throws {
        let hints = text.parts.filter { !$0.isConstraint }.compactMap { part in
            part.strictType.map { type in
                let value = "\(part.name)=\(type)"
                let isWord = value.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "=" }
                return "--type " + (isWord ? value : "'\(value.replacing("'", with: "'\\''"))'")
            }
        }
        guard hints.isEmpty else {
            throw Failure(
                message: "a STRICT table doesn't allow types of \(table): pass \(hints.joined(separator: " "))")
        }
    }

    private static func pair(_ text: String, _ option: String) throws -> (String, String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw Failure.usage("\(option) \(text): COLUMN=… is expected")
        }
        return (parts[0], parts[1])
    }

    private func change(_ text: inout TableText, _ table: String) throws {
        func index(_ column: String, _ text: TableText) throws -> Int {
            guard let index = text.index(ofColumn: column) else {
                let names = text.parts.filter { !$0.isConstraint }.map(\.name).joined(separator: ", ")
                throw Failure(message: "\(table) has no column \(column): there are \(names)")
            }
            return index
        }
        for type in type {
            let (column, type) = try Self.pair(type, "--type")
            text.parts[try index(column, text)].setType(type)
        }
        for column in notNull { text.parts[try index(column, text)].setNotNull(true) }
        for column in nullable { text.parts[try index(column, text)].setNotNull(false) }
        for value in `default` {
            let (column, expression) = try Self.pair(value, "--default")
            text.parts[try index(column, text)].setDefault(expression.isEmpty ? nil : expression)
        }
        for column in drop { text.parts.remove(at: try index(column, text)) }
        if let key {
            let columns = key.split(separator: ",").map(String.init)
            for column in columns { _ = try index(column, text) }
            for index in text.parts.indices where !text.parts[index].isConstraint { text.parts[index].removeKey() }
            text.parts.removeAll { part in
                part.isConstraint && part.tokens.contains { $0.isWord("PRIMARY") }
            }
            if columns.count == 1 {
                // An INTEGER PRIMARY KEY is the rowid only in the column's own definition.
                text.parts[try index(columns[0], text)].tokens += SQLToken.tokens("PRIMARY KEY")
            } else {
                text.parts.append(
                    TablePart(
                        SQLToken.tokens("PRIMARY KEY (\(columns.map(\.quotedIdentifier).joined(separator: ", ")))")))
            }
        }
        if let order {
            var first: [TablePart] = []
            for column in order.split(separator: ",") {
                first.append(text.parts.remove(at: try index(String(column), text)))
            }
            text.parts = first + text.parts
        }
        // Other parts of the definition may name the column: SQLite renames them.
        guard !rename.isEmpty else { return }
        guard type.isEmpty, notNull.isEmpty, nullable.isEmpty, `default`.isEmpty, drop.isEmpty, key == nil,
            order == nil,
            strict == nil
        else {
            throw Failure.usage("--rename can't be combined with other changes: run the command twice")
        }
    }
}
