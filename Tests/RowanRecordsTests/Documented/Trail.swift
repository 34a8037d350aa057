// Records the effects of using a definition, to compare the documented definition with the macro's.

import Foundation
import Rowan
import RowanRecords
import Testing

/// The statements that ran, the result of each step, and the stored rows.
final class Trail {
    private(set) var statements: [String] = []
    private(set) var results: [String] = []
    private(set) var rows: [String] = []
    private var isTracing = true

    /// Statements that read the schema are omitted, because they depend on what is cached.
    fileprivate func trace(_ event: Database.TraceEvent) {
        guard isTracing, case .statement(let statement) = event else { return }
        let text = statement.sql.lowercased()
        guard !text.contains("sqlite_master"), !text.contains("pragma") else { return }
        // The SQL with its parameters, then with its arguments.
        statements += [statement.sql, statement.expandedSQL]
    }

    /// Records the result of a step, or its error.
    func note(_ step: String, _ body: () throws -> Any) {
        let result: String
        do { result = try contents(of: body()) } catch { result = "error: \(error)" }
        results.append("\(step): \(result)")
    }

    /// Records the rows of all tables, with the storage class of each value.
    func keepRows(_ db: Database) throws {
        isTracing = false
        defer { isTracing = true }
        for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
            let names = try String.fetchAll(
                db, sql: "SELECT name FROM pragma_table_xinfo(?) ORDER BY cid", arguments: [table])
            let values = names.map { "typeof(\"\($0)\") || ' ' || quote(\"\($0)\")" }.joined(separator: ", ")
            for row in try Row.fetchAll(db, sql: "SELECT \(values) FROM \"\(table)\"") {
                let texts = zip(names, row.databaseValues).map { "\($0) \(String.fromDatabaseValue($1) ?? "?")" }
                rows.append("\(table): \(texts.joined(separator: ", "))")
            }
        }
    }

    /// The trail of a closure in an in-memory database.
    static func of(
        _ schema: String, configuration: Configuration = Configuration(), _ body: (Database, Trail) throws -> Void
    ) throws -> Trail {
        let trail = Trail()
        try DatabaseQueue(configuration: configuration).write { db in
            try db.execute(sql: schema)
            db.trace { trail.trace($0) }
            try body(db, trail)
            try trail.keepRows(db)
            db.trace(nil)
        }
        return trail
    }
}

/// A value as text: the same for equal values of types that differ only in their namespace.
func contents(of value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional { return mirror.children.first.map { contents(of: $0.value) } ?? "nil" }
    switch value {
    case let number as any BinaryInteger: return "\(number)"
    case let text as String: return "\"\(text)\""
    case let date as Date: return "date \(date.timeIntervalSinceReferenceDate)"
    // A row of `*` has the columns in table order.
    case let row as Row: return "\(row.map { "\($0.0) \($0.1)" }.sorted())"
    case let data as Data: return "data \(Array(data))"
    case let convertible as any DatabaseValueConvertible: return "\(convertible.databaseValue)"
    default: break
    }
    switch mirror.displayStyle {
    case .struct?, .class?, .tuple?:
        return "(\(mirror.children.map { "\($0.label ?? "") \(contents(of: $0.value))" }.joined(separator: ", ")))"
    case .collection?: return "[\(mirror.children.map { contents(of: $0.value) }.joined(separator: ", "))]"
    case .dictionary?: return "[\(mirror.children.map { contents(of: $0.value) }.sorted().joined(separator: ", "))]"
    default: return "\(value)"
    }
}

/// The intentional differences between the SQL of two definitions.
struct Difference {
    /// The tables for which the macro lists the columns and the documented definition selects `*`.
    var listedColumns: [String: [String]] = [:]

    static let none = Difference()

    /// A macro record selects its columns, in the order of its properties. A documented one selects `*`, unless it
    /// declares its selection.
    static func columnsAreListed(_ types: any TableRecord.Type...) -> Difference {
        var result = Difference()
        for type in types {
            result.listedColumns[type.databaseTableName] = type.databaseSelection.map {
                ($0 as? any ColumnExpression)?.name ?? "not a column"
            }
        }
        return result
    }

    /// The SQL of a documented definition, as the macro generates it.
    func applied(to sql: String) -> String {
        var sql = sql
        for (table, columns) in listedColumns {
            let list = columns.map { "\"\($0)\"" }
            // Several joins of the same table have numbered aliases.
            for alias in [table, "\(table)1", "\(table)2"] {
                let qualified = list.map { "\"\(alias)\".\($0)" }
                sql = sql.replacingOccurrences(of: "\"\(alias)\".*", with: qualified.joined(separator: ", "))
            }
            for word in ["SELECT", "DISTINCT"] {
                sql = sql.replacingOccurrences(
                    of: "\(word) * FROM \"\(table)\"", with: "\(word) \(list.joined(separator: ", ")) FROM \"\(table)\""
                )
            }
            // With annotations, the table comes last, after their subqueries.
            if sql.hasPrefix("SELECT *, "),
                sql.components(separatedBy: " FROM ").last?.hasPrefix("\"\(table)\"") == true
            {
                sql = "SELECT \(list.joined(separator: ", "))" + sql.dropFirst("SELECT *".count)
            }
            if sql.contains(" \"\(table)\" ") {
                sql = sql.replacingOccurrences(of: "RETURNING *", with: "RETURNING \(list.joined(separator: ", "))")
            }
        }
        return sql
    }
}

/// Expects the same statements, results and rows.
func expectSame(
    _ documented: Trail, _ byMacro: Trail, _ difference: Difference = .none,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    func expectSameLines(_ what: String, _ first: [String], _ second: [String]) {
        #expect(!first.isEmpty, "no \(what)", sourceLocation: sourceLocation)
        let index = zip(first, second).enumerated().first { $1.0 != $1.1 }?.offset ?? min(first.count, second.count)
        guard index < max(first.count, second.count) else { return }
        func line(_ lines: [String]) -> String { index < lines.count ? lines[index] : "nothing" }
        Issue.record(
            "\(what) \(index): documented\n\(line(first))\nby macro\n\(line(second))", sourceLocation: sourceLocation)
    }
    expectSameLines("statements", documented.statements.map(difference.applied), byMacro.statements)
    expectSameLines("results", documented.results.map(difference.applied), byMacro.results)
    expectSameLines("rows", documented.rows, byMacro.rows)
    if !difference.listedColumns.isEmpty {
        #expect(
            documented.statements != byMacro.statements, "the stated difference does not exist",
            sourceLocation: sourceLocation)
    }
}
