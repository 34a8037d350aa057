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
        key = isView ? [] : try db.columnsOfKey(name)
        references = isView ? [] : try Self.references(db, name)
        let objects = try db.schemaObjects(in: "main").filter { $0.tableName == name }
        definition = objects.compactMap(\.sql).map { $0 + ";" }.joined(separator: "\n")
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

    /// The size of a group of values in one column: SQLite limits the columns of a result and the arguments of functions.
    private static let groupSize = 100

    /// Two columns for each one of the key: the value, and the bytes of a text; then the values: see ``Cell``; then their sizes.
    func selection(characters: Int) -> SQL {
        let keys = key.map { name -> SQL in
            let column = name.quotedColumn
            return SQL(sql: "\(column), CASE typeof(\(column)) WHEN 'text' THEN CAST(\(column) AS BLOB) END")
        }
        let cells = columns.map { Cell.selection($0, characters: characters) }
        let sizes = stride(from: 0, to: columns.count, by: Self.groupSize).map { start in
            let group = columns[start..<min(start + Self.groupSize, columns.count)]
            return SQL(sql: "json_array(\(group.map(Cell.size).joined(separator: ", ")))")
        }
        return (keys + cells + sizes).joined(separator: ", ")
    }

    func row(_ row: Row, characters: Int) -> ShownRow {
        let (first, end) = (2 * key.count, 2 * key.count + columns.count)
        let sizes = stride(from: 0, to: columns.count, by: Self.groupSize).flatMap { start in
            let group: String = row[end + start / Self.groupSize]
            return group.dropFirst().dropLast().split(separator: ",").map { Int($0) }
        }
        return ShownRow(
            key: key.isEmpty
                ? nil : RowKey(values: key.indices.map { row[2 * $0] }, texts: key.indices.map { row[2 * $0 + 1] }),
            cells: columns.indices.map { Cell(row[first + $0], size: sizes[$0], characters: characters) })
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
                "SELECT (SELECT min(\(rowID.quotedColumn)) FROM \(table)), (SELECT max(\(rowID.quotedColumn)) FROM \(table))"
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
    private(set) var values: [DatabaseValue]
    /// The bytes of texts that an address would change: those that are not valid UTF-8, or have line ends of forms.
    private var bytes: [Int: Data] = [:]

    /// - Parameter texts: the bytes of texts.
    init(values: [DatabaseValue], texts: [Data?] = []) {
        self.values = values
        for case (let index, let text?) in texts.enumerated()
        where String(validating: text, as: UTF8.self) == nil || text.range(of: Data("\r\n".utf8)) != nil {
            bytes[index] = text
        }
    }

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
            case "u":
                bytes[values.count] = Data(base64Encoded: rest)
                value = bytes[values.count].map { String(decoding: $0, as: UTF8.self).databaseValue }
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
        values.enumerated().map { index, value in
            if let text = bytes[index] { return "u" + text.base64EncodedString() }
            return switch value.storage {
            case .null: "n"
            case .int64(let integer): "i\(integer)"
            case .double(let real): "r" + String(real.bitPattern, radix: 16)
            case .string(let text): "t" + text
            case .blob(let data): "b" + data.base64EncodedString()
            }
        }
    }

    func condition(_ columns: [String]) -> SQL {
        values.indices.map { index in
            let column = columns[index].quotedColumn
            return bytes[index].map { "\(sql: column) IS CAST(\($0) AS TEXT)" } ?? "\(sql: column) IS \(values[index])"
        }.joined(separator: " AND ")
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
        let column = SQL(sql: column.quotedColumn)
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
        case "has": return "\(shown) LIKE \("%" + pattern + "%") ESCAPE '\\'"
        case "starts": return "\(shown) LIKE \(pattern + "%") ESCAPE '\\'"
        case "null": return "\(column) IS NULL"
        default: return "\(column) IS NOT NULL"
        }
    }

    /// The value as a number, if SQLite writes that number so: 01234 is a text.
    private var number: DatabaseValue? {
        if let integer = Int64(value), String(integer) == value { return integer.databaseValue }
        if let real = Double(value), !real.isNaN, "\(real)" == value { return real.databaseValue }
        return nil
    }

    /// The text that the page shows: SQLite writes reals in another way.
    private var shown: SQL {
        let column = column.quotedColumn
        return SQL(sql: "CASE typeof(\(column)) WHEN 'real' THEN \(Self.textOfReal.name)(\(column)) ELSE \(column) END")
    }

    static let textOfReal = DatabaseFunction("rowan_text", argumentCount: 1, pure: true, safety: .innocuous) { values in
        Cell(values[0]).text
    }

    private var pattern: String {
        value.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
    }
}
