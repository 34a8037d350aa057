// The schema of the file: the rows of its first tree that can be read.
// Source: https://sqlite.org/schematab.html

import Rowan

/// An object of the schema.
struct SalvagedObject {
    let type: String
    let name: String
    let table: String
    let root: UInt32
    /// Nil for indexes that SQLite creates with their tables.
    let sql: String?

    /// Interprets a row of the schema.
    ///
    /// - Returns: nil if the row isn't one.
    init?(_ row: StoredRow, _ encoding: FileHeader.Encoding) {
        let record = row.record
        guard record.values.count == 5, let type = record.text(at: 0, encoding),
            ["table", "index", "view", "trigger"].contains(type), let name = record.text(at: 1, encoding),
            let table = record.text(at: 2, encoding)
        else { return nil }
        (self.type, self.name, self.table) = (type, name, table)
        if case .integer(let root) = record.values[3] { self.root = UInt32(exactly: root) ?? 0 } else { root = 0 }
        sql = record.text(at: 4, encoding)
        guard sql != nil || type == "index" && record.values[4] == .null else { return nil }
    }

    /// Whether SQLite creates the object itself.
    var isInternal: Bool { name.foldedDatabaseName.hasPrefix("sqlite_") }
}

/// What the file says of its schema.
struct SalvagedSchema {
    let encoding: FileHeader.Encoding
    let objects: [SalvagedObject]
    /// Rows of the schema that define nothing.
    let others: [StoredRow]
    /// The trees, of which that of the schema has been read.
    let trees: TreeReader

    /// - Throws: an error if the file can't be read.
    init(_ file: DamagedFile) throws {
        var (trees, rows) = (TreeReader(file), [StoredRow]())
        try trees.readTree(root: 1, isTable: true) { rows.append($0) }
        let encoding =
            file.header.encoding ?? rows.lazy.compactMap(FileHeader.Encoding.init(ofSchemaRow:)).first ?? .utf8
        (self.encoding, self.trees) = (encoding, trees)
        objects = rows.compactMap { SalvagedObject($0, encoding) }
        others = rows.filter { SalvagedObject($0, encoding) == nil }
    }
}

extension FileHeader.Encoding {
    /// The encoding of a row of the schema, which begins with one of four words.
    init?(ofSchemaRow row: StoredRow) {
        guard case .text(let range)? = row.record.values.first, range.count > 3 else { return nil }
        let start = Array(row.record.bytes[range].prefix(2))
        switch start {
        case _ where start[0] != 0 && start[1] != 0: self = .utf8
        case _ where start[1] == 0: self = .utf16LittleEndian
        default: self = .utf16BigEndian
        }
    }
}
