import ArgumentParser
import Foundation
import Rowan

struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Prints the rows of a table that any program changes, until Ctrl-C.",
        discussion: """
            rowan tail players.sqlite player

            After each commit that is noticed: + for a new row, - for a deleted one, and ~ for a changed one with its old and new \
            values. Commits that follow each other quickly may be shown together. The rows of the table are kept in memory.
            """)

    @OptionGroup var file: DatabaseFile
    @Argument(help: "The table.") var table: String
    @Flag(help: "Print JSON lines, with the key change: insert, update or delete.") var json = false

    func run() async throws {
        let (path, name, json) = (file.database, table, json)
        try await DatabaseFile.explaining(path) {
            let queue = try DatabaseFile.open(path, isReadOnly: true, observesOthers: true)
            let rows = TailedRows(try await queue.read { try TailedTable($0, name) })
            let table = rows.table
            let observation = ValueObservation.tracking { db in try table.rows(db) }
            for try await next in observation.values(in: queue) {
                if rows.isEmpty { Console.printError("waiting for changes of \(table.name.onOneLine)") }
                for change in rows.changes(to: next) { print(json ? change.json : change.text) }
                try Console.flush()
            }
        }
    }
}

/// The table, its columns, and those of its key.
struct TailedTable: Sendable {
    let name: String
    let columns: [String]
    private let sql: String
    private let keyCount: Int

    typealias Rows = [[DatabaseValue]: [DatabaseValue]]

    init(_ db: Database, _ table: String) throws {
        name = try db.existingTable(table)
        guard try db.tableExists(name, in: "main") else { throw Failure(message: "\(name) is a view: pass a table") }
        columns = try db.columns(in: name, in: "main").map(\.name)
        let key = try db.columnsOfKey(name)
        keyCount = key.count
        sql = "SELECT \((key + columns).map(\.quotedColumn).joined(separator: ", ")) FROM \(name.quotedIdentifier)"
    }

    /// The rows by their keys. Rows without a key have that of their values, and rows with the same key are numbered.
    func rows(_ db: Database) throws -> Rows {
        var rows: Rows = [:]
        var counts: [[DatabaseValue]: Int] = [:]
        let cursor = try Row.fetchCursor(db, sql: sql)
        while let row = try cursor.next() {
            let values = Array(row.databaseValues)
            var key = keyCount == 0 ? values : Array(values.prefix(keyCount))
            if rows[key] != nil {
                counts[key, default: 1] += 1
                key.append(counts[key, default: 1].databaseValue)
            }
            rows[key] = Array(values.dropFirst(keyCount))
        }
        return rows
    }
}

/// The rows as they were last printed.
final class TailedRows {
    let table: TailedTable
    private var rows: TailedTable.Rows?

    init(_ table: TailedTable) { self.table = table }

    /// Before the first rows.
    var isEmpty: Bool { rows == nil }

    struct Change {
        let kind: String
        let columns: [String]
        let old: [DatabaseValue]?
        let new: [DatabaseValue]?

        var text: String {
            let sign = ["insert": "+", "delete": "-"][kind] ?? "~"
            let parts = columns.indices.map { index in
                let value = (new ?? old)?[index].shown ?? ""
                guard let old, let new, old[index] != new[index] else { return "\(columns[index])=\(value)" }
                return "\(columns[index])=\(old[index].shown)→\(value)"
            }
            return "\(sign) \(parts.joined(separator: "  "))".onOneLine
        }

        var json: String {
            func object(_ values: [DatabaseValue]) -> [String: Any] {
                Dictionary(zip(columns, values.map(\.json))) { first, _ in first }
            }
            var result: [String: Any] = ["change": kind]
            if let new { result["row"] = object(new) }
            if let old { result[new == nil ? "row" : "old"] = object(old) }
            // Invariant: these are values of JSON.
            let data = try? JSONSerialization.data(
                withJSONObject: result, options: [.sortedKeys, .withoutEscapingSlashes])
            return String(decoding: data ?? Data(), as: UTF8.self)
        }
    }

    /// The changes since the last call, in the order of the keys.
    func changes(to next: TailedTable.Rows) -> [Change] {
        defer { rows = next }
        // The first rows are the present ones.
        guard let rows else { return [] }
        let keys = Set(rows.keys).union(next.keys).filter { rows[$0] != next[$0] }
        return keys.sorted { $0.lexicographicallyPrecedes($1) { $0.isBefore($1) } }.map { key in
            let (old, new) = (rows[key], next[key])
            return Change(
                kind: old == nil ? "insert" : new == nil ? "delete" : "update", columns: table.columns, old: old,
                new: new)
        }
    }
}

extension DatabaseValue {
    /// The order of SQLite for numbers and texts.
    fileprivate func isBefore(_ other: DatabaseValue) -> Bool {
        switch (storage, other.storage) {
        case (.int64(let one), .int64(let other)): one < other
        case (.string(let one), .string(let other)): one < other
        default: description < other.description
        }
    }

    fileprivate var json: Any {
        switch storage {
        case .null: NSNull()
        case .int64(let integer): integer
        case .double(let real): real.isFinite ? real as Any : "\(real)"
        case .string(let text): text
        case .blob(let data): data.base64EncodedString()
        }
    }
}
