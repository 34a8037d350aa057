import ArgumentParser
import Foundation
import Rowan

struct TransformCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transform", abstract: "Changes the columns of a table, which is made again. Writes the database.",
        discussion: """
            rowan transform players.sqlite player --type score=INTEGER --not-null name --order id,name,score

            The rows, indexes, triggers, views and foreign keys remain. After an error, nothing was changed: for instance, if a \
            column of INTEGER that becomes the key contains NULL. With --dry-run, prints the definition, and changes nothing.
            """)

    @OptionGroup var file: DatabaseFile
    @Argument(help: "The table.") var table: String
    @Option(help: "COLUMN=TYPE. SQLite converts the values, if it can. May be repeated.") var type: [String] = []
    @Option(help: "OLD=NEW. May be repeated. Can't be combined with other changes.") var rename: [String] = []
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
        guard rename.isEmpty else { return try await renameColumns() }
        let (name, command) = (table, self)
        let change = try await file.read { db in
            var change = try TableChange(db, name)
            try command.change(&change.text, change.table)
            if let strict = command.strict { change.isStrict = strict }
            if change.isStrict { try Self.checkTypes(change.text, change.table) }
            return change
        }
        let rowID = try change.rowIDColumn()
        guard !dryRun else { return print(change.definition.forTerminal) }
        try await file.writeWithoutTransaction { db in
            do { try change.run(db, rowID) } catch let error as DatabaseError
                where error.resultCode == .SQLITE_MISMATCH && rowID != nil
            {
                throw Failure(
                    message:
                        "a row of \(change.table) has no integer in \(rowID ?? ""), which would be its key: set one in each row"
                )
            }
        }
    }

    /// Other parts of the schema may name the columns: SQLite renames them.
    private func renameColumns() async throws {
        guard type.isEmpty, notNull.isEmpty, nullable.isEmpty, `default`.isEmpty, drop.isEmpty, key == nil,
            order == nil, strict == nil
        else {
            throw Failure.usage("--rename can't be combined with other changes: run the command twice")
        }
        let renames = try rename.map { try Self.pair($0, "--rename") }
        let (name, dryRun) = (table, dryRun)
        let definition = try await file.writeWithoutTransaction { db in
            var definition = ""
            try db.inTransaction {
                let table = try TableChange(db, name).table
                for (old, new) in renames {
                    let names = try db.columns(in: table, in: "main").map(\.name)
                    guard names.named(old) != nil else { throw Self.missing(old, table, names) }
                    try db.execute(
                        sql:
                            "ALTER TABLE main.\(table.quotedIdentifier) RENAME COLUMN \(old.quotedIdentifier) TO \(new.quotedIdentifier)"
                    )
                }
                definition = try TableChange(db, table).definition
                return dryRun ? .rollback : .commit
            }
            return definition
        }
        if dryRun { print(definition.forTerminal) }
    }

    private static func missing(_ column: String, _ table: String, _ names: [String]) -> Failure {
        Failure(message: "\(table) has no column \(column): there are \(names.joined(separator: ", "))")
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
                throw Self.missing(column, table, text.parts.filter { !$0.isConstraint }.map(\.name))
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
    }
}

/// A table with its new definition.
private struct TableChange: Sendable {
    let table: String
    var text: TableText
    var isStrict: Bool
    private let hasRowID: Bool

    init(_ db: Database, _ name: String) throws {
        let name = try db.existingTable(name)
        guard
            let sql = try db.schemaObjects(in: "main").first(where: { $0.kind == .table && $0.name == name })?.sql,
            let text = TableText(sql)
        else { throw Failure(message: "\(name) is a view or a virtual table: pass a table") }
        let options = try Row.fetchOne(
            db, sql: "SELECT wr, strict FROM pragma_table_list(?) WHERE schema = 'main'", arguments: [name])
        (table, self.text) = (name, text)
        (hasRowID, isStrict) = (!(options?["wr"] ?? false), options?["strict"] ?? false)
    }

    var definition: String {
        let options = (hasRowID ? [] : ["WITHOUT ROWID"]) + (isStrict ? ["STRICT"] : [])
        return "CREATE TABLE \(table.quotedIdentifier) (\n    "
            + text.parts.map(\.tokens.sql).joined(separator: ",\n    ")
            + "\n)\(options.isEmpty ? "" : " " + options.joined(separator: ", "))"
    }

    /// The column of the new definition that is the rowid.
    ///
    /// - Throws: a `Failure` if SQLite doesn't accept the definition.
    func rowIDColumn() throws -> String? {
        do {
            return try DatabaseQueue().write { db in
                try db.execute(sql: definition)
                return try db.primaryKey(table, in: "main").rowIDColumn
            }
        } catch let error as DatabaseError {
            throw Failure(message: "the new definition of \(table) is not valid: \(error.message ?? "\(error)")")
        }
    }

    /// - Parameter rowID: the column of the new definition that is the rowid. SQLite would choose a value for NULL, and rejects
    ///   a text.
    func run(_ db: Database, _ rowID: String?) throws {
        let values = rowID.map { [$0: "ifnull(\(sql: $0.quotedIdentifier), 'NULL')" as SQL] } ?? [:]
        try db.rebuild(table: table, strict: isStrict, copying: values) { t in
            for part in text.parts where !part.isConstraint { t.column(sql: part.tokens.sql) }
            for part in text.parts where part.isConstraint { t.constraint(sql: part.tokens.sql) }
        }
    }
}
