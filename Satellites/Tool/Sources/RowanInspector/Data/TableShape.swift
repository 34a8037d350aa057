// What the pages know of a table.

import Foundation
import Rowan
import RowanCommands

/// A table or a view.
struct TableShape: Sendable {
    struct Reference: Sendable {
        /// The table that refers to the other.
        let origin: String
        let destination: String
        let mapping: [(origin: String, destination: String)]
    }

    let name: String
    let isView: Bool
    let columns: [ColumnInfo]
    /// The columns of the key; empty for a view, and for a table whose rows have no name.
    let key: [String]
    let references: [Reference]
    let definition: String

    init(_ db: Database, _ name: String) throws {
        let name = try db.existingTable(name)
        self.name = name
        isView = try db.viewExists(name, in: "main")
        columns = try db.columns(in: name, in: "main")
        key = isView ? [] : try Self.key(db, name, columns)
        references = isView ? [] : try Self.references(db, name)
        let objects = try db.schemaObjects(in: "main").filter { $0.tableName == name }
        definition = objects.compactMap(\.sql).map { $0 + ";" }.joined(separator: "\n")
    }

    /// The columns that name a row: the primary key or, if that can be NULL, the rowid.
    private static func key(_ db: Database, _ table: String, _ columns: [ColumnInfo]) throws -> [String] {
        let key = try db.primaryKey(table, in: "main")
        let parts = columns.filter { $0.primaryKeyIndex > 0 }
        guard !key.isRowID, !parts.allSatisfy(\.isNotNull) else { return key.columns }
        let rowID = ["rowid", "_rowid_", "oid"].first { name in columns.map(\.name).named(name) == nil }
        guard let rowID else { return key.columns }
        // A table without rowid has no NULL in its key.
        let sql = "SELECT \(rowID) FROM \(table.quotedIdentifier) LIMIT 0"
        return (try? db.makeStatement(sql: sql)) == nil ? key.columns : [rowID]
    }

    /// The foreign keys that refer to a table.
    static func references(_ db: Database, to table: String) throws -> [Reference] {
        let sql = """
            SELECT m.name, f.id, f."from", f."to" FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
            WHERE m.type = 'table' AND f."table" = ? COLLATE NOCASE ORDER BY m.name, f.id, f.seq
            """
        let rows = try Row.fetchAll(db, sql: sql, arguments: [table])
        let key = try db.primaryKey(table, in: "main").columns
        var references: [(id: Int, reference: Reference)] = []
        for row in rows {
            let (origin, id): (String, Int) = (row[0], row[1])
            var mapping: [(origin: String, destination: String)] = []
            if let last = references.last, last.id == id, last.reference.origin == origin {
                mapping = last.reference.mapping
                references.removeLast()
            }
            // Without columns, a foreign key refers to the primary key.
            let destination = (row[3] as String?) ?? (mapping.count < key.count ? key[mapping.count] : "")
            mapping.append((row[2], destination))
            references.append((id, Reference(origin: origin, destination: table, mapping: mapping)))
        }
        return references.map(\.reference)
    }

    /// The foreign keys of a table. One that refers to a missing table, or to a key that doesn't exist, has no row to show.
    static func references(_ db: Database, _ table: String) throws -> [Reference] {
        do {
            return try db.foreignKeys(on: table, in: "main").map { key in
                Reference(origin: table, destination: key.destinationTable, mapping: key.mapping)
            }
        } catch is DatabaseError { return [] }
    }

    /// The tables and views that pages show: those of SQLite, and behind virtual tables, are left out.
    static func names(_ db: Database) throws -> (tables: [String], views: [String]) {
        let objects = try db.schemaObjects(in: "main").filter {
            !$0.isShadowTable && !$0.name.lowercased().hasPrefix("sqlite_")
        }
        return (
            objects.filter { $0.kind == .table }.map(\.name).sorted(),
            objects.filter { $0.kind == .view }.map(\.name).sorted()
        )
    }

    /// The column with a name from an address.
    func column(_ name: String) -> String? {
        (columns.map(\.name) + key).named(name)
    }

    /// The columns of the key, then two for each column: see ``Cell``.
    func selection(characters: Int) -> SQL {
        let cells = columns.map { Cell.selection($0, characters: characters) }
        return (key.map { SQL(sql: Self.quoted($0)) } + cells).joined(separator: ", ")
    }

    func row(_ row: Row, characters: Int) -> ShownRow {
        ShownRow(
            key: key.isEmpty ? nil : RowKey(values: key.indices.map { row[$0] }),
            cells: columns.indices.map { Cell(row, at: key.count + 2 * $0, characters: characters) })
    }

    /// A hidden rowid has no quotes: SQLite would take it for a text, if no column had the name.
    static func quoted(_ name: String) -> String {
        ["rowid", "_rowid_", "oid"].contains(name) ? name : name.quotedIdentifier
    }

    /// About how many rows there are, and whether that is exact.
    func count(_ db: Database) throws -> (count: Int, isExact: Bool) {
        let limit = 10_000
        let table = name.quotedIdentifier
        let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT \(limit + 1))") ?? 0
        guard count > limit else { return (count, true) }
        // ANALYZE has counted them.
        if try db.tableExists("sqlite_stat1", in: "main") {
            let sql = "SELECT CAST(stat AS TEXT) FROM sqlite_stat1 WHERE tbl = ? COLLATE NOCASE AND stat IS NOT NULL"
            let statistics = try String.fetchAll(db, sql: sql, arguments: [name])
            if let count = statistics.compactMap({ $0.split(separator: " ").first.flatMap { Int($0) } }).max() {
                return (count, false)
            }
        }
        guard !isView, let rowID = try db.primaryKey(name, in: "main").rowIDColumn ?? hiddenRowID(db) else {
            return (limit, false)
        }
        let bounds = try Row.fetchOne(
            db,
            sql:
                "SELECT (SELECT min(\(Self.quoted(rowID))) FROM \(table)), (SELECT max(\(Self.quoted(rowID))) FROM \(table))"
        )
        guard let first = bounds?[0] as Int?, let last = bounds?[1] as Int? else { return (limit, false) }
        let (span, overflow) = last.subtractingReportingOverflow(first)
        // Keys with large gaps say nothing.
        return overflow || span > 1 << 40 ? (limit, false) : (max(limit, span + 1), false)
    }

    private func hiddenRowID(_ db: Database) throws -> String? {
        let key = try db.primaryKey(name, in: "main")
        return key.isRowID ? key.columns.first : nil
    }
}

struct ShownRow: Sendable {
    let key: RowKey?
    let cells: [Cell]
}

/// The key of a row, in the parameters of an address.
struct RowKey: Hashable, Sendable {
    var values: [DatabaseValue]

    init(values: [DatabaseValue]) { self.values = values }

    init?(texts: [String]) {
        values = []
        for text in texts {
            // By bytes: the text may begin with a mark that belongs to the character before it.
            let rest = String(decoding: text.utf8.dropFirst(), as: UTF8.self)
            let value: DatabaseValue?
            switch text.unicodeScalars.first {
            case "i": value = Int64(rest)?.databaseValue
            case "r": value = UInt64(rest, radix: 16).map { Double(bitPattern: $0).databaseValue }
            case "t": value = rest.databaseValue
            case "b": value = Data(base64Encoded: rest)?.databaseValue
            case "n": value = DatabaseValue.null
            default: value = nil
            }
            guard let value else { return nil }
            values.append(value)
        }
    }

    /// The values with their types: a text that looks like a number is another key.
    var texts: [String] {
        values.map { value in
            switch value.storage {
            case .null: "n"
            case .int64(let integer): "i\(integer)"
            case .double(let real): "r" + String(real.bitPattern, radix: 16)
            case .string(let text): "t" + text
            case .blob(let data): "b" + data.base64EncodedString()
            }
        }
    }

    func condition(_ columns: [String]) -> SQL {
        zip(columns, values).map { column, value in "\(sql: TableShape.quoted(column)) IS \(value)" as SQL }
            .joined(separator: " AND ")
    }
}

/// A condition that a form asks for.
struct RowFilter: Sendable {
    static let operations: [(name: String, text: String)] = [
        ("eq", "="), ("ne", "≠"), ("lt", "<"), ("le", "≤"), ("gt", ">"), ("ge", "≥"), ("has", "contains"),
        ("starts", "starts with"), ("null", "is NULL"), ("some", "is not NULL"),
    ]

    var column: String
    var operation: String
    var value: String

    /// The filters of an address. A form sends its empty fields, too.
    static func all(_ address: Address, _ shape: TableShape) throws -> [RowFilter] {
        let (columns, operations, values) = (address.values("c"), address.values("o"), address.values("v"))
        return try columns.enumerated().compactMap { index, name in
            guard !name.isEmpty else { return nil }
            let operation = index < operations.count ? operations[index] : "eq"
            guard let column = shape.column(name) else { throw Failure.usage("there is no column \(name)") }
            guard Self.operations.contains(where: { $0.name == operation }) else {
                throw Failure.usage("there is no comparison \(operation)")
            }
            return RowFilter(column: column, operation: operation, value: index < values.count ? values[index] : "")
        }
    }

    /// A number is compared with texts, too, as columns without a type contain both.
    var condition: SQL {
        let column = SQL(sql: TableShape.quoted(column))
        let number = number
        let operand = number ?? value.databaseValue
        switch operation {
        case "eq": return number.map { "\(column) IN (\($0), \(value))" } ?? "\(column) = \(value)"
        case "ne":
            return number.map { "\(column) NOT IN (\($0), \(value))" } ?? "\(column) <> \(value)"
        case "lt": return "\(column) < \(operand)"
        case "le": return "\(column) <= \(operand)"
        case "gt": return "\(column) > \(operand)"
        case "ge": return "\(column) >= \(operand)"
        case "has": return "\(column) LIKE \("%" + pattern + "%") ESCAPE '\\'"
        case "starts": return "\(column) LIKE \(pattern + "%") ESCAPE '\\'"
        case "null": return "\(column) IS NULL"
        default: return "\(column) IS NOT NULL"
        }
    }

    /// The value as a number, if SQLite writes that number so: 01234 is a text.
    private var number: DatabaseValue? {
        if let integer = Int64(value), String(integer) == value { return integer.databaseValue }
        if let real = Double(value), real.isFinite, "\(real)" == value { return real.databaseValue }
        return nil
    }

    private var pattern: String {
        value.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
    }
}
