// The names in a database, for completion.

import Rowan
import RowanCommands
import RowanSQLite

extension ShellNames {
    init(_ db: Database) throws {
        let schemas = try String.fetchAll(db, sql: "SELECT name FROM pragma_database_list ORDER BY seq")
        for schema in schemas {
            let objects = try db.schemaObjects(in: schema).filter {
                ($0.kind == .table || $0.kind == .view) && !$0.isShadowTable && !$0.name.hasPrefix("sqlite_")
            }
            // A name with control characters could not be shown.
            for object in objects where object.name == object.name.onOneLine {
                // A view that refers to what is missing has no columns.
                let columns = try? String.fetchAll(
                    db, sql: "SELECT name FROM pragma_table_xinfo(?, ?) WHERE hidden IN (0, 2, 3)",
                    arguments: [object.name, schema])
                tables.append(
                    Table(schema: schema, name: object.name, columns: (columns ?? []).filter { $0 == $0.onOneLine }))
            }
        }
        tables.sort {
            ($0.schema == "main" ? 0 : 1, $0.schema, $0.name) < ($1.schema == "main" ? 0 : 1, $1.schema, $1.name)
        }
        let names = try String.fetchAll(db, sql: "SELECT DISTINCT name FROM pragma_function_list ORDER BY name")
        functions = names.filter { $0.first?.isLetter ?? false }
        pragmas = try String.fetchAll(db, sql: "SELECT name FROM pragma_pragma_list ORDER BY name")
        keywords = Self.allKeywords
    }

    private static let allKeywords = Set(
        (0..<sqlite3_keyword_count()).compactMap { index in
            var (name, count): (UnsafePointer<CChar>?, CInt) = (nil, 0)
            guard sqlite3_keyword_name(index, &name, &count) == SQLITE_OK, let name else { return nil as String? }
            return String(decoding: UnsafeRawBufferPointer(start: name, count: Int(count)), as: UTF8.self)
        })
}

/// The names in a database, which are read again after changes of the schema.
final class NamesCache {
    private var names = ShellNames()
    private var versions: [Int] = []

    /// The names, or the last ones that could be read: a locked database is no reason for an error.
    func current(_ db: Database) -> ShellNames {
        // See above.
        try? update(db)
        return names
    }

    private func update(_ db: Database) throws {
        let schemas = try String.fetchAll(db, sql: "SELECT name FROM pragma_database_list ORDER BY seq")
        let now = try schemas.map { try Int.fetchOne(db, sql: "PRAGMA \($0.quotedIdentifier).schema_version") ?? 0 }
        guard now != versions else { return }
        names = try ShellNames(db)
        versions = now
    }
}
