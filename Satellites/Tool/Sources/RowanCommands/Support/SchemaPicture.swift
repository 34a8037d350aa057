// A database as a diagram.

package import Rowan
package import RowanPictures

extension SchemaDiagram {
    /// The tables of a database, without those of SQLite, of migrations, and behind virtual tables.
    ///
    /// - Parameters:
    ///   - wanted: the tables; by default, all of them.
    ///   - address: the address of the page of a table.
    package init(
        _ db: Database, _ wanted: [String] = [], address: (String) -> String? = { _ in nil }
    ) throws {
        let names = try Self.names(db, wanted)
        var indices: [String: Int] = [:]
        for (index, name) in names.enumerated() { indices[name.lowercased()] = index }
        var tables: [Table] = []
        var links: [(from: Int, key: ForeignKeyInfo)] = []
        for (index, name) in names.enumerated() {
            // A foreign key may refer to a table that doesn't exist.
            let keys = (try? db.foreignKeys(on: name, in: "main")) ?? []
            let references = Set(keys.flatMap(\.originColumns).map { $0.lowercased() })
            links += keys.map { (index, $0) }
            let columns = try db.columns(in: name, in: "main").map {
                Column(
                    name: $0.name, type: $0.type, isKey: $0.primaryKeyIndex > 0,
                    isReference: references.contains($0.name.lowercased()))
            }
            tables.append(Table(name: name, columns: columns, address: address(name)))
        }
        func column(_ name: String, of table: Int) -> Int? {
            tables[table].columns.firstIndex { $0.name.lowercased() == name.lowercased() }
        }
        let drawn = links.flatMap { from, key -> [Link] in
            guard let to = indices[key.destinationTable.lowercased()] else { return [] }
            return key.mapping.compactMap { origin, destination in
                guard let fromColumn = column(origin, of: from), let toColumn = column(destination, of: to) else {
                    return nil
                }
                return Link(from: from, fromColumn: fromColumn, to: to, toColumn: toColumn)
            }
        }
        self.init(tables: tables, links: drawn)
    }

    /// The tables of a diagram.
    static func names(_ db: Database, _ wanted: [String]) throws -> [String] {
        let chosen = try Set(wanted.map { try db.existingTable($0) })
        let hidden = Set(MigrationRecords.tables)
        return try db.tables(in: "main").map(\.name).filter { name in
            chosen.isEmpty ? !name.lowercased().hasPrefix("sqlite_") && !hidden.contains(name) : chosen.contains(name)
        }
    }
}
