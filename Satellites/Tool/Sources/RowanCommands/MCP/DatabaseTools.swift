// What an assistant can do with a database.

import Foundation
import Rowan

struct DatabaseTools {
    let queue: DatabaseQueue

    /// The limit of the connection.
    static let maximumRowCount = 1_000
    static let names = ["list_tables", "describe_table", "query", "explain"]

    /// The tools with the JSON schemas of their arguments.
    static var descriptions: [[String: Any]] {
        func tool(
            _ name: String, _ description: String, _ arguments: [String: [String: Any]], _ required: [String]
        ) -> [String: Any] {
            [
                "name": name, "description": description,
                "annotations": ["readOnlyHint": true, "openWorldHint": false],
                "inputSchema": ["type": "object", "properties": arguments, "required": required],
            ]
        }
        let sql: [String: Any] = [
            "type": "string", "description": "One statement in SQLite's SQL, which can only read.",
        ]
        return [
            tool(names[0], "Lists the tables and views, with their columns.", [:], []),
            tool(
                names[1], "Describes a table or view: its columns, keys, indexes, and definition.",
                ["table": ["type": "string", "description": "The name of the table or view."]], ["table"]),
            tool(
                names[2],
                "Runs a query and returns its rows as JSON, at most \(maximumRowCount). Use LIMIT for large tables.",
                [
                    "sql": sql,
                    "parameters": ["type": "object", "description": "The values of arguments such as :name, by name."],
                ], ["sql"]),
            tool(names[3], "Returns how SQLite runs a query, without running it.", ["sql": sql], ["sql"]),
        ]
    }

    func call(_ name: String, _ arguments: [String: Any]) throws -> String {
        func text(_ key: String) throws -> String {
            guard let text = arguments[key] as? String else {
                throw Failure(message: "the argument \(key) is missing, or not a text")
            }
            return text
        }
        switch name {
        case "list_tables": return try queue.read(Self.list)
        case "describe_table":
            let table = try text("table")
            return try queue.read { try Self.describe($0.existingTable(table), $0) }
        case "query":
            let (sql, values) = (try text("sql"), try Self.values(arguments["parameters"]))
            return try queue.read { try Self.rows(sql, values, $0) }
        default:
            let sql = try text("sql")
            return try queue.read { try $0.explain(sql: sql).description }
        }
    }

    private static func list(_ db: Database) throws -> String {
        let lines = try (db.tables(in: "main") + db.views(in: "main")).filter { !$0.name.hasPrefix("sqlite_") }.map {
            table in
            "\(table.name) (\(try db.columns(in: table.name, in: "main").map(\.name).joined(separator: ", ")))"
        }
        return lines.isEmpty ? "the database has no tables" : lines.joined(separator: "\n")
    }

    private static func describe(_ table: String, _ db: Database) throws -> String {
        let objects = try db.schemaObjects(in: "main").filter { $0.tableName == table }
        var lines = objects.compactMap(\.sql).map { $0 + ";" }
        // Counting the rows of a large table would take too long.
        if let count = try? Int.fetchOne(db, sql: "SELECT count(*) FROM \(table.quotedIdentifier)") {
            lines.append("-- \(count) rows")
        }
        return lines.joined(separator: "\n")
    }

    private static func values(_ parameters: Any?) throws -> StatementArguments {
        guard let parameters else { return [] }
        guard let parameters = parameters as? [String: Any] else {
            throw Failure(message: "parameters is not an object")
        }
        var values: [String: (any DatabaseValueConvertible)?] = [:]
        for (name, value) in parameters {
            switch value {
            case is NSNull: values[name] = .some(nil)
            case let text as String: values[name] = text
            // Also true and false, which are 1 and 0.
            case let integer as Int64: values[name] = integer
            case let real as Double: values[name] = real
            default: throw Failure(message: "the parameter \(name) is not a text, a number, a Boolean or null")
            }
        }
        return StatementArguments(values)
    }

    private static func rows(_ sql: String, _ arguments: StatementArguments, _ db: Database) throws -> String {
        let statement = try db.makeStatement(sql: sql)
        guard statement.columnCount > 0 else { throw Failure(message: "the statement returns no rows: use a SELECT") }
        try statement.setArguments(arguments)
        let output = TextStream()
        var format = JSONLinesDumpFormat()
        format.nulls = .null
        try db.dumpSQL(SQL(sql: sql, arguments: arguments), format: format, to: output)
        return "[" + output.text.split(separator: "\n").joined(separator: ",\n") + "]"
    }

    private final class TextStream: TextOutputStream {
        var text = ""
        func write(_ string: String) { text += string }
    }
}
