// Compares databases: their schemas, and all values of all rows.

import Foundation
import Rowan
import Testing

/// Restores a database's script, and expects an equal database.
func checkRestored(
    _ db: Database, inTransaction: Bool = true, sourceLocation: SourceLocation = #_sourceLocation,
    then body: (Database) throws -> Void = { _ in }
) throws {
    let script = try dumped { try db.dumpScript(to: $0) }
    let expected = try DatabaseContent(db)
    // Inside a transaction, and outside of one.
    for isInTransaction in inTransaction ? [true, false] : [false] {
        let queue = try DatabaseQueue()
        do {
            if isInTransaction {
                try queue.write { try $0.execute(sql: script) }
            } else {
                try queue.writeWithoutTransaction { try $0.execute(sql: script) }
            }
        } catch {
            Issue.record("\(error)\n\(script.prefix(4000))", sourceLocation: sourceLocation)
            return
        }
        try queue.writeWithoutTransaction { restored throws in
            let content = try DatabaseContent(restored)
            #expect(content.pragmas == expected.pragmas, sourceLocation: sourceLocation)
            #expect(content.schema == expected.schema, sourceLocation: sourceLocation)
            for (table, rows) in expected.rows {
                #expect(content.rows[table] == rows, "\(table)", sourceLocation: sourceLocation)
            }
            // The script of the restored database restores it as well.
            let second = try dumped { try restored.dumpScript(to: $0) }
            let other = try DatabaseQueue()
            try other.writeWithoutTransaction { try $0.execute(sql: second) }
            #expect(try other.read(DatabaseContent.init) == content, sourceLocation: sourceLocation)
            try body(restored)
        }
    }
}

/// The comparable content of the main database.
struct DatabaseContent: Equatable {
    var pragmas: [String] = []
    var schema: Set<String> = []
    /// For each table, the text of each row: the storage class and the bytes of each value.
    var rows: [String: [String]] = [:]

    init(_ db: Database) throws {
        for name in ["user_version", "application_id", "encoding"] {
            pragmas.append("\(name) \(try DatabaseValue.fetchOne(db, sql: "PRAGMA main.\(name)") ?? .null)")
        }
        let objects = try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, rootpage, sql FROM main.sqlite_master")
        for object in objects {
            let name: String = object["name"]
            // SQLite keeps the text between a comment and the semicolon.
            let sql = (object["sql"] as String? ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
            schema.insert("\(object["type"] as String) \(name) \(object["tbl_name"] as String) \(sql)")
            guard object["type"] == "table", (object["rootpage"] as Int? ?? 0) > 0 else { continue }
            guard name != "sqlite_stat4" else { continue }
            rows[name] = try Self.rows(of: name, db)
        }
    }

    private static func rows(of table: String, _ db: Database) throws -> [String] {
        let quoted = table.quotedDatabaseIdentifier
        let columns = try Row.fetchAll(db, sql: "PRAGMA main.table_xinfo(\(quoted))").map { $0["name"] as String }
        let names = Set(columns.map { $0.lowercased() })
        let isWithoutRowID = try Row.fetchOne(db, sql: "PRAGMA main.table_list(\(quoted))").map { $0["wr"] as Bool }
        let rowID = isWithoutRowID == true ? nil : ["rowid", "oid", "_rowid_"].first { !names.contains($0) }
        var terms = columns.map(\.quotedDatabaseIdentifier)
        if let rowID { terms.insert(rowID, at: 0) }
        let typed = terms.map { "typeof(\($0)), CAST(\($0) AS BLOB), \($0)" }.joined(separator: ", ")
        let order = rowID.map { " ORDER BY \($0)" } ?? ""
        let cursor = try Row.fetchCursor(db, sql: "SELECT \(typed) FROM main.\(quoted)\(order)")
        var rows: [String] = []
        while let row = try cursor.next() {
            rows.append(
                terms.indices.map { index in
                    let type: String = row[3 * index]
                    // Their text shows neither all digits nor the sign of zero.
                    if type == "real" { return "real \((row[3 * index + 2] as Double).bitPattern)" }
                    return "\(type) \((row[3 * index + 1] as DatabaseValue).description)"
                }.joined(separator: "|"))
        }
        return rows
    }
}
