// The rows of a database before and after its migrations.

import Rowan

/// Compares the rows of the tables that exist before and after migrations, in the columns that exist in both.
struct RowComparison {
    /// The columns whose values may change, by table.
    let changing: [String: Set<String>]
    /// The tables whose rows may disappear.
    let losing: Set<String>

    /// The rows of a table.
    struct Rows {
        let columns: [String]
        let key: [String]
        /// The values of each row.
        let rows: [[String: DatabaseValue]]

        func byKey(_ names: [String]) -> [[DatabaseValue]: [String: DatabaseValue]] {
            Dictionary(rows.map { row in (names.map { row[$0]! }, row) }) { first, _ in first }
        }
    }

    /// Reads the rows of all tables, by the lowercase name of the table. The tables of the migrator, and those that
    /// belong to a virtual table, are left out.
    func read(_ db: Database) throws -> [String: Rows] {
        let own: Set = ["grdb_migrations", "rowan_migration_checksums"]
        let tables = try db.schemaObjects(in: "main").filter {
            $0.kind == .table && !$0.isShadowTable && !own.contains($0.name.lowercased())
                && !$0.name.lowercased().hasPrefix("sqlite_")
        }
        return try Dictionary(
            uniqueKeysWithValues: tables.map { table in (table.name.lowercased(), try read(table.name, db)) })
    }

    private func read(_ table: String, _ db: Database) throws -> Rows {
        let columns = try db.columns(in: table).map { $0.name.lowercased() }
        let key = try db.primaryKey(table)
        // A row without a key of its own has its rowid.
        let isRowID = key.columns.allSatisfy { !columns.contains($0.lowercased()) }
        let selected = isRowID ? ["rowid"] + columns : columns
        let names = selected.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let rows = try Row.fetchAll(db, sql: "SELECT \(names) FROM \(table.quotedDatabaseIdentifier)")
        return Rows(
            columns: columns, key: isRowID ? ["rowid"] : key.columns.map { $0.lowercased() },
            rows: rows.map { row in
                Dictionary(zip(selected, row.databaseValues)) { first, _ in first }
            })
    }

    /// What was lost or changed, by the names of tables.
    func problems(_ before: [String: Rows], _ after: [String: Rows]) -> [String] {
        before.sorted { $0.key < $1.key }.flatMap { table, old in
            after[table].map { problems(table, old, $0) } ?? []
        }
    }

    private func problems(_ table: String, _ old: Rows, _ new: Rows) -> [String] {
        let lost = old.rows.count - new.rows.count
        let losesRows = losing.contains { $0.lowercased() == table }
        // With another key, rows can only be counted.
        guard old.key == new.key || new.columns.contains(old.key) else {
            return lost > 0 && !losesRows
                ? ["the table \(table) had \(old.rows.count) rows, and has \(new.rows.count)"] : []
        }
        let found = new.byKey(old.key)
        var missing: [[DatabaseValue]] = []
        var changes: [String: [(key: [DatabaseValue], old: DatabaseValue, new: DatabaseValue)]] = [:]
        let allowed =
            changing.first { $0.key.lowercased() == table }.map { Set($0.value.map { $0.lowercased() }) } ?? []
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
        func name(_ key: [DatabaseValue]) -> String {
            zip(old.key, key).map { "\($0) \($1)" }.joined(separator: ", ")
        }
        let losses =
            missing.isEmpty || losesRows
            ? [] : ["the table \(table) has lost \(missing.count) of \(old.rows.count) rows, first \(name(missing[0]))"]
        return losses
            + changes.sorted { $0.key < $1.key }.map { column, changes in
                let first = changes[0]
                return
                    "the table \(table) has other values of \(column) in \(changes.count) rows, first \(name(first.key)): "
                    + "\(first.old) became \(first.new)"
            }
    }
}

extension [String] {
    /// Whether the list has all of these elements.
    fileprivate func contains(_ others: [String]) -> Bool { others.allSatisfy { contains($0) } }
}
