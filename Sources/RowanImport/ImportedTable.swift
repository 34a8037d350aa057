// The table that an import writes.

import Rowan

/// A table, and the statements that insert rows into it.
struct ImportedTable {
    /// The columns that receive values. Those of the file that are generated in the table do not.
    let columns: [ImportedColumn]
    /// For each column of the file, its position in `columns`; nil if its values are ignored.
    let positions: [Int?]
    /// The number of rows of the longest statement.
    let batchSize: Int
    private let start: String
    private let row: String
    private let end: String

    /// - Parameters:
    ///   - reader: the file, whose columns must be in the table.
    ///   - key: the columns of the key of an upsert.
    init(_ db: Database, _ name: String, _ reader: CSVReader, key: [String]) throws {
        let known = try db.columnInfo(of: name, in: nil)
        // Since SQLite 3.41, the columns of views without a type are called BLOB.
        let isView = try db.viewExists(name)
        var columns: [ImportedColumn] = []
        var positions: [Int?] = []
        for (index, column) in reader.columnNames.enumerated() {
            // Without a header, the columns are in order.
            let info =
                reader.format.header
                ? known.first { $0.name.isSameDatabaseName(as: column) }
                : known.indices.contains(index) ? known[index] : nil
            guard let info else {
                throw CSVError(reader.fileName, line: 1, field: index, "table \"\(name)\" has no such column")
                    .naming(reader.columnNames)
            }
            guard !columns.contains(where: { $0.name == info.name }) else {
                throw CSVError(reader.fileName, line: 1, field: index, "the column occurs twice").naming(
                    reader.columnNames)
            }
            positions.append(info.isGenerated ? nil : columns.count)
            if !info.isGenerated {
                columns.append(ImportedColumn(info.name, declaredType: isView && info.type == "BLOB" ? "" : info.type))
            }
        }
        guard !columns.isEmpty else {
            throw CSVError(reader.fileName, line: 1, field: nil, "there is no column that can be imported")
        }
        let names = columns.map { $0.name.quotedDatabaseIdentifier }
        start = "INSERT INTO \(name.quotedDatabaseIdentifier) (\(names.joined(separator: ", "))) VALUES "
        row = "(\(names.map { _ in "?" }.joined(separator: ", ")))"
        end = try Self.upsert(key, columns, reader)
        (self.columns, self.positions) = (columns, positions)
        batchSize = try Self.batchSize(db, name, columns.count, isUpsert: !key.isEmpty)
    }

    func insertion(ofRows count: Int) -> String {
        start + repeatElement(row, count: count).joined(separator: ", ") + end
    }

    private static func upsert(_ key: [String], _ columns: [ImportedColumn], _ reader: CSVReader) throws -> String {
        guard !key.isEmpty else { return "" }
        for name in key where !columns.contains(where: { $0.name.isSameDatabaseName(as: name) }) {
            throw CSVError(reader.fileName, line: 1, field: nil, "there is no column \(name), which is part of the key")
        }
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
