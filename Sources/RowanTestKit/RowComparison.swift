// The rows of a database before and after its migrations.

import Rowan

/// Compares the rows of the tables that exist before and after migrations, in the columns that exist in both.
struct RowComparison {
    /// The columns whose values may change, by table.
    let changing: [String: Set<String>]
    /// The tables whose rows may disappear.
    let losing: Set<String>

    /// A name, as SQLite compares it: by its bytes, with ASCII letters in lower case.
    struct Name: Hashable, Comparable {
        let text: String
        private let bytes: [UInt8]

        init(_ text: String) { (self.text, bytes) = (text, Array(text.foldedDatabaseName.utf8)) }

        static func == (left: Name, right: Name) -> Bool { left.bytes == right.bytes }
        static func < (left: Name, right: Name) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
        func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
    }

    /// The rows of a table.
    struct Rows {
        let columns: [Name]
        let key: [Name]
        /// The values of each row.
        let rows: [[Name: DatabaseValue]]

        /// The rows by their key; nil if several rows have the same one.
        func byKey(_ names: [Name]) -> [[DatabaseValue]: [Name: DatabaseValue]]? {
            let rows = Dictionary(rows.map { row in (names.map { row[$0]! }, row) }) { first, _ in first }
            return rows.count == self.rows.count ? rows : nil
        }
    }

    /// Reads the rows of all tables. The tables of the migrator, and those that
    /// belong to a virtual table, are left out.
    func read(_ db: Database) throws -> [Name: Rows] {
        let tables = try db.programTables()
        return try Dictionary(tables.map { table in (Name(table.name), try read(table.name, db)) }) { first, _ in first
        }
    }

    private func read(_ table: String, _ db: Database) throws -> Rows {
        let columns = try db.columns(in: table, in: "main")
        let names = columns.map { Name($0.name) }
        var key = columns.filter { $0.primaryKeyIndex > 0 }.sorted { $0.primaryKeyIndex < $1.primaryKeyIndex }
            .map { Name($0.name) }
        var selected = names
        // A row without a key of its own has its rowid, unless the table has as many columns as SQLite allows.
        let rowID = ["rowid", "_rowid_", "oid"].map(Name.init).first { !names.contains($0) }
        if key.isEmpty, columns.count < 2_000, let rowID {
            key = [rowID]
            selected.append(rowID)
        }
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT \(selected.map(\.text.quotedDatabaseIdentifier).joined(separator: ", ")) "
                + "FROM main.\(table.quotedDatabaseIdentifier)")
        return Rows(
            columns: names, key: key,
            rows: rows.map { row in Dictionary(zip(selected, row.databaseValues)) { first, _ in first } })
    }

    /// What was lost or changed, by the names of tables.
    func problems(_ before: [Name: Rows], _ after: [Name: Rows]) -> [String] {
        before.sorted { $0.key < $1.key }.flatMap { table, old in
            after[table].map { problems(table, old, $0) } ?? []
        }
    }

    private func problems(_ name: Name, _ old: Rows, _ new: Rows) -> [String] {
        let (table, lost) = (name.text, old.rows.count - new.rows.count)
        let losesRows = losing.contains { Name($0) == name }
        // With another key, or without one, rows can only be counted.
        guard !old.key.isEmpty, old.key == new.key || new.columns.contains(old.key), old.byKey(old.key) != nil,
            let found = new.byKey(old.key)
        else {
            return lost > 0 && !losesRows
                ? ["the table \(table) had \(old.rows.count) rows, and has \(new.rows.count)"] : []
        }
        var missing: [[DatabaseValue]] = []
        var changes: [Name: [(key: [DatabaseValue], old: DatabaseValue, new: DatabaseValue)]] = [:]
        let allowed = changing.first { Name($0.key) == name }.map { Set($0.value.map(Name.init)) } ?? []
        let columns = old.columns.filter { new.columns.contains($0) && !old.key.contains($0) && !allowed.contains($0) }
        for row in old.rows {
            let key = old.key.map { row[$0]! }
            guard let other = found[key] else {
                missing.append(key)
                continue
            }
            for column in columns where row[column] != other[column] {
                changes[column, default: []].append((key, row[column]!, other[column]!))
            }
        }
        func place(_ key: [DatabaseValue]) -> String {
            zip(old.key, key).map { "\($0.text) \($1)" }.joined(separator: ", ")
        }
        let losses =
            missing.isEmpty || losesRows
            ? []
            : ["the table \(table) has lost \(missing.count) of \(old.rows.count) rows, first \(place(missing[0]))"]
        return losses
            + changes.sorted { $0.key < $1.key }.map { column, changes in
                let first = changes[0]
                return
                    "the table \(table) has other values of \(column.text) in \(changes.count) rows, first \(place(first.key)): "
                    + "\(first.old) became \(first.new)"
            }
    }
}

extension [RowComparison.Name] {
    /// Whether the list has all of these elements.
    fileprivate func contains(_ others: [RowComparison.Name]) -> Bool { others.allSatisfy { contains($0) } }
}
