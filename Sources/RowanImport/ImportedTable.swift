// The table that an import writes.

import Rowan

/// Columns of a table, and the statements that insert rows with values for them.
final class ImportedTable {
    /// The columns that receive values. Those of the file that are generated in the table do not.
    let columns: [ImportedColumn]
    /// For each column of the file, its position in `columns`; nil if its values are ignored.
    let positions: [Int?]
    /// The number of rows of the longest statement.
    let batchSize: Int
    private let start: String
    private let row: String
    private let end: String
    /// By their numbers of rows.
    private var insertions: [Int: PreparedSQL] = [:]

    /// No table, before the first row.
    init() { (columns, positions, batchSize, start, row, end) = ([], [], 1, "", "", "") }

    /// - Parameters:
    ///   - reader: the file, whose columns must be in the table.
    ///   - line: the line that names the columns.
    ///   - key: the columns of the key of an upsert.
    init(_ db: Database, _ name: String, _ reader: some ImportReader, line: Int, key: [String]) throws {
        let known = try db.columnInfo(of: name, in: nil)
        // Since SQLite 3.41, the columns of views without a type are called BLOB.
        let isView = try db.viewExists(name)
        let sourceNames = reader.columnNames
        func error(_ index: Int?, _ message: String) -> ImportError {
            ImportError(reader.fileName, line: line, field: index, message).naming(sourceNames)
        }
        var columns: [ImportedColumn] = []
        var positions: [Int?] = []
        for (index, column) in sourceNames.enumerated() {
            // Without names, the columns are in order.
            let info =
                reader.hasNames
                ? known.first { $0.name.isSameDatabaseName(as: column) }
                : known.indices.contains(index) ? known[index] : nil
            guard let info else { throw error(index, "table \"\(name)\" has no such column") }
            guard !columns.contains(where: { $0.name == info.name }) else {
                throw error(index, "the column occurs twice")
            }
            positions.append(info.isGenerated ? nil : columns.count)
            if !info.isGenerated {
                columns.append(ImportedColumn(info.name, declaredType: isView && info.type == "BLOB" ? "" : info.type))
            }
        }
        guard !columns.isEmpty || reader.lineOfNames == nil else {
            throw error(nil, "there is no column that can be imported")
        }
        for name in key where !columns.contains(where: { $0.name.isSameDatabaseName(as: name) }) {
            throw error(nil, "there is no column \(name), which is part of the key")
        }
        let names = columns.map { $0.name.quotedDatabaseIdentifier }
        let insert = "INSERT INTO \(name.quotedDatabaseIdentifier) "
        (self.columns, self.positions) = (columns, positions)
        end = Self.upsert(key, columns)
        guard !columns.isEmpty else {
            (start, row, batchSize) = (insert, "DEFAULT VALUES", 1)
            return
        }
        start = insert + "(\(names.joined(separator: ", "))) VALUES "
        row = "(\(names.map { _ in "?" }.joined(separator: ", ")))"
        batchSize = try Self.batchSize(db, name, columns.count, isUpsert: !key.isEmpty)
    }

    func insertion(ofRows count: Int) -> PreparedSQL {
        if let known = insertions[count] { return known }
        let sql = PreparedSQL(start + repeatElement(row, count: count).joined(separator: ", ") + end)
        insertions[count] = sql
        return sql
    }

    private static func upsert(_ key: [String], _ columns: [ImportedColumn]) -> String {
        guard !key.isEmpty else { return "" }
        let target = " ON CONFLICT (\(key.map(\.quotedDatabaseIdentifier).joined(separator: ", ")))"
        let assignments = columns.map(\.name)
            .filter { name in !key.contains(where: name.isSameDatabaseName) }
            .map(\.quotedDatabaseIdentifier)
            .map { "\($0) = excluded.\($0)" }
        return target + (assignments.isEmpty ? " DO NOTHING" : " DO UPDATE SET \(assignments.joined(separator: ", "))")
    }

    /// One row per statement where several would need a journal of their own, see BatchPlan, or stay if one of them fails.
    private static func batchSize(_ db: Database, _ name: String, _ count: Int, isUpsert: Bool) throws -> Int {
        let words = try db.definitionWords()
        let folded = name.foldedDatabaseName
        guard !isUpsert, !words.indexed.contains(folded), !words.triggering.contains(folded),
            !words.conflicting.contains(folded)
        else { return 1 }
        return max(1, min(16, db.maximumStatementArgumentCount / count))
    }
}
