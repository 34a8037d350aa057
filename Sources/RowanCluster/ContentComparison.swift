// Compares the content of a file with that of a cluster: definitions, and for each table the number of its rows and the
// sum of their hashes, which does not depend on their order.

import RowanPlatform
import Rowan

/// A comparison of a file with a database of a cluster.
struct ContentComparison {
    let file: Database
    let cluster: DatabaseCluster

    /// Each query reads so many columns: the depth of expressions and the names of columns are limited.
    private static let maximumColumnCount = 100

    /// Compares the definitions and the numbers in the header.
    ///
    /// - Throws: ``ClusterAdministrationError`` if they differ.
    func compareDefinitions(_ pieces: ScriptPieces) throws {
        let known = try cluster.read { db in
            Set(try String.fetchAll(db, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
        }
        let tables = pieces.tables.filter { $0.name != TicketTable.name }
        let definitions = tables.map(\.definition) + pieces.indexes.map(\.definition) + pieces.viewsAndTriggers
        for definition in definitions {
            let sql = definition.sql
            guard known.contains(sql) || known.contains(ColumnDefinitions.withLengths(sql)) else {
                throw ClusterAdministrationError("the cluster has another definition than the file: \(sql)")
            }
        }
        for name in ["user_version", "application_id"] {
            let sql = "PRAGMA \(name)"
            guard try Int64.fetchOne(file, sql: sql) == cluster.read({ try Int64.fetchOne($0, sql: sql) }) else {
                throw ClusterAdministrationError("the cluster has another \(name) than the file")
            }
        }
    }

    /// Compares the rows.
    ///
    /// - Returns: the number of rows.
    /// - Throws: ``ClusterAdministrationError`` if a table differs.
    func compareRows(of tables: [String]) throws -> Int {
        let isUTF8 = try String.fetchOne(file, sql: "PRAGMA encoding") == "UTF-8"
        let sequences = try file.tableExists("sqlite_sequence") ? ["sqlite_sequence"] : []
        var rowCount = 0
        for table in tables + sequences {
            let columns = try Self.columns(of: table, file)
            for start in stride(from: 0, to: columns.count, by: Self.maximumColumnCount) {
                let part = columns[start..<min(start + Self.maximumColumnCount, columns.count)]
                let expected = try Self.summary(of: table, part, readsBytes: isUTF8, file)
                let actual = try cluster.read { try Self.summary(of: table, part, readsBytes: true, $0) }
                guard expected == actual else {
                    throw ClusterAdministrationError(
                        "the table \(table) differs: \(expected.count) rows in the file, \(actual.count) in the cluster"
                    )
                }
                if start == 0, !sequences.contains(table) { rowCount += expected.count }
            }
        }
        return rowCount
    }

    /// The columns with a name, including generated ones and the rowid.
    private static func columns(of table: String, _ db: Database) throws -> [String] {
        let names = try db.columns(in: table).map(\.name.quotedDatabaseIdentifier)
        let key = try db.primaryKey(table)
        return (key.rowIDColumn == nil ? key.hiddenRowIDName.map { [$0] } ?? [] : []) + names
    }

    private struct Summary: Equatable {
        var count = 0
        var hash = 0
    }

    /// - Parameter readsBytes: whether to read text as bytes: nodes send text only up to a NUL character.
    private static func summary(
        of table: String, _ columns: ArraySlice<String>, readsBytes: Bool, _ db: Database
    ) throws -> Summary {
        let types = columns.map { "substr(typeof(\($0)),1,1)" }.joined(separator: "||")
        let values = columns.enumerated().map { index, column in
            let bytes = "CASE typeof(\(column)) WHEN 'text' THEN CAST(\(column) AS BLOB) ELSE \(column) END"
            return "\(readsBytes ? bytes : column) AS c\(index)"
        }
        let sql = "SELECT \(types) AS t, \(values.joined(separator: ", ")) FROM \(table.quotedDatabaseIdentifier)"
        let rows = try Row.fetchCursor(db, sql: sql)
        var summary = Summary()
        while let row = try rows.next() {
            var hasher = Hasher()
            hasher.combine(row[0] as String)
            for value in row.databaseValues.dropFirst() { hash(value, into: &hasher) }
            summary.count += 1
            summary.hash &+= hasher.finalize()
        }
        return summary
    }

    /// Text and blobs have the same hash: their types are part of the row.
    private static func hash(_ value: DatabaseValue, into hasher: inout Hasher) {
        switch value.storage {
        case .null: break
        case .int64(let integer): hasher.combine(integer)
        case .double(let double): hasher.combine(double.bitPattern)
        case .string(let text): hasher.combine(Data(text.utf8))
        case .blob(let data): hasher.combine(data)
        }
    }
}
