// The tables of the differential tests, random rows, and all associations between the tables.

import Rowan

extension Differential {
    struct Table {
        enum Kind { case integer, real, text }
        var name: String
        var columns: [(name: String, kind: Kind)]
        var key: [Int]
        /// The column that is never NULL.
        var required: String? { name == "award" ? "bookId" : nil }
        func index(_ column: String) -> Int { columns.firstIndex { $0.name == column }! }
    }

    /// The options of a database. All requests fetch the same rows from all variants.
    struct Variant {
        /// Whether foreign keys have indexes.
        var isIndexed: Bool
        /// Whether tables with composite keys are WITHOUT ROWID.
        var isWithoutRowID: Bool
        static let all = [true, false].flatMap { index in
            [true, false].map { Variant(isIndexed: index, isWithoutRowID: $0) }
        }
    }

    static let tables: [Table] = [
        table("country", "code TEXT, name TEXT, size INTEGER, ratio REAL"),
        table("author", "id INTEGER, name TEXT, countryCode TEXT, mentorId INTEGER, age INTEGER, rating REAL"),
        table("book", "id INTEGER, authorId INTEGER, editorId INTEGER, title TEXT, year INTEGER, price REAL"),
        table("award", "id INTEGER, bookId INTEGER, name TEXT, points INTEGER"),
        table("passport", "citizenId INTEGER, countryCode TEXT, rank INTEGER", keyCount: 2),
        table("region", "countryCode TEXT, number INTEGER, title TEXT, area REAL", keyCount: 2),
        table("town", "id INTEGER, regionCountry TEXT, regionNumber INTEGER, name TEXT, people INTEGER"),
        table("profile", "id INTEGER, authorId INTEGER, level INTEGER, motto TEXT"),
    ]

    private static func table(_ name: String, _ columns: String, keyCount: Int = 1) -> Table {
        let columns = columns.split(separator: ", ").map { column -> (name: String, kind: Table.Kind) in
            let words = column.split(separator: " ")
            return (String(words[0]), words[1] == "TEXT" ? .text : words[1] == "REAL" ? .real : .integer)
        }
        return Table(name: name, columns: columns, key: Array(0..<keyCount))
    }

    static func index(_ table: String) -> Int { tables.firstIndex { $0.name == table }! }

    /// Foreign keys: table, columns, referenced table, referenced columns.
    static let foreignKeys: [(String, [String], String, [String])] = [
        ("author", ["countryCode"], "country", ["code"]), ("author", ["mentorId"], "author", ["id"]),
        ("book", ["authorId"], "author", ["id"]), ("book", ["editorId"], "author", ["id"]),
        ("award", ["bookId"], "book", ["id"]), ("passport", ["citizenId"], "author", ["id"]),
        ("passport", ["countryCode"], "country", ["code"]), ("region", ["countryCode"], "country", ["code"]),
        ("town", ["regionCountry", "regionNumber"], "region", ["countryCode", "number"]),
        ("profile", ["authorId"], "author", ["id"]),
    ]

    static func create(_ db: Database, _ variant: Variant) throws {
        for table in tables {
            var definitions = table.columns.map { column in
                "\(column.name) \(column.kind == .integer ? "INTEGER" : column.kind == .real ? "REAL" : "TEXT")"
                    + (column.name == table.required ? " NOT NULL" : "")
            }
            definitions.append("PRIMARY KEY (\(table.key.map { table.columns[$0].name }.joined(separator: ", ")))")
            for (origin, columns, destination, referred) in foreignKeys where origin == table.name {
                let columns = columns.joined(separator: ", ")
                let referred = referred.joined(separator: ", ")
                definitions.append("FOREIGN KEY (\(columns)) REFERENCES \(destination) (\(referred))")
            }
            let options = variant.isWithoutRowID && table.key.count > 1 ? " WITHOUT ROWID" : ""
            try db.execute(sql: "CREATE TABLE \(table.name) (\(definitions.joined(separator: ", ")))\(options)")
        }
        guard variant.isIndexed else { return }
        for (number, (table, columns, _, _)) in foreignKeys.enumerated() {
            let columns = columns.joined(separator: ", ")
            let unique = table == "profile" ? "UNIQUE " : ""
            try db.execute(sql: "CREATE \(unique)INDEX fk\(number) ON \(table) (\(columns))")
        }
    }
}

// MARK: - Rows

extension Differential {
    /// The rows of all tables.
    typealias Content = [[Values]]

    static func insert(_ db: Database, _ content: Content) throws {
        for (table, rows) in zip(tables, content) {
            let marks = databaseQuestionMarks(count: table.columns.count)
            let statement = try db.makeStatement(sql: "INSERT INTO \(table.name) VALUES (\(marks))")
            for row in rows { try statement.execute(arguments: StatementArguments(row.map(\.databaseValue))) }
        }
    }

    /// Few random rows, with few different values, so that requests find some. A foreign key may be NULL or dangling.
    static func content(_ random: inout SeededGenerator) -> Content {
        let counts = [4, 6, 9, 9, 7, 5, 7, 4]
        var content: Content = []
        for (table, count) in zip(tables, counts) {
            var rows: [Values] = []
            var keys: Set<Values> = []
            for id in 0..<Int.random(in: 0...count, using: &random) + count / 2 {
                let row = table.columns.indices.map { value(table, $0, id, &random) }
                let isUnique = keys.insert(table.key.map { row[$0] }).inserted
                if isUnique, table.name != "profile" || !rows.contains(where: { $0[1] == row[1] && !row[1].isNull }) {
                    rows.append(row)
                }
            }
            content.append(rows)
        }
        return content
    }

    static let words = ["", "a", "A", "ab", "Abc", "b", "é", "a%b", "a_b", "zoo", "O'Hara", "🌳"]
    static let codes = ["FR", "US", "DE", "IT", "ES", "XX"]

    private static func value(
        _ table: Table, _ index: Int, _ id: Int, _ random: inout SeededGenerator
    ) -> Value {
        let column = table.columns[index]
        if table.key == [index] {
            return column.kind == .text ? .text(codes[id % (codes.count - 1)]) : .int(Int64(id + 1))
        }
        if !table.key.contains(index), column.name != table.required, Int.random(in: 0..<5, using: &random) == 0 {
            return .null
        }
        if column.name.hasSuffix("Code") || column.name.hasSuffix("Country") {
            return .text(codes.randomElement(using: &random)!)
        }
        if column.name.hasSuffix("Id") { return .int(Int64.random(in: 1...8, using: &random)) }
        return value(column.kind, &random)
    }

    static func value(_ kind: Table.Kind, _ random: inout SeededGenerator) -> Value {
        switch kind {
        case .integer: .int(Int64.random(in: -2...5, using: &random))
        case .real: .real(Double(Int.random(in: -8...16, using: &random)) / 4)
        case .text: .text(words.randomElement(using: &random)!)
        }
    }
}
