// Names and definitions that are not valid UTF-8. Other programs create them, and the text of a script can't contain
// them. The script creates such objects with stand-ins for the invalid bytes. At its end, it stores the bytes in
// sqlite_master.

import RowanSQLText
import RowanPlatform

/// The objects of a schema whose rows in sqlite_master are not valid UTF-8.
struct UnreadableNames {
    /// A row of sqlite_master, with a private-use character for each invalid byte.
    struct Object {
        var type: String
        var name: String
        var sql: String
        /// The bytes of the name, of the name of the table, and of the definition if there is one.
        var bytes: (name: Data, table: Data, sql: Data?)
    }

    /// The objects, by their rowids in sqlite_master.
    private(set) var objects: [Int64: Object] = [:]
    private(set) var standIns: StandIns?

    init(_ db: Database, _ schema: DatabaseSchemaID) throws {
        // SQLite converts UTF-16 to valid UTF-8.
        let name = schema.name.quotedDatabaseIdentifier
        guard try String.fetchOne(db, sql: "PRAGMA \(name).encoding") == "UTF-8" else { return }
        let sql = """
            SELECT rowid, type, CAST(name AS BLOB), CAST(tbl_name AS BLOB), CAST(sql AS BLOB)
            FROM \(name).\(schema.schemaTableName)
            """
        var all = try Row.fetchAll(db, sql: sql)
        let texts = all.flatMap { [$0[2], $0[3], $0[4]] as [Data?] }.compactMap { $0 }
        guard !texts.allSatisfy(\.isValidUTF8) else { return }
        let standIns = StandIns(avoiding: texts)
        all.removeAll { row in
            let (name, table, sql): (Data, Data, Data?) = (row[2], row[3], row[4])
            return name.isValidUTF8 && table.isValidUTF8 && sql?.isValidUTF8 ?? true
        }
        self.standIns = standIns
        for row in all {
            let (name, table, sql): (Data, Data, Data?) = (row[2], row[3], row[4])
            objects[row[0]] = Object(
                type: row[1], name: standIns.text(name), sql: sql.map(standIns.text) ?? "", bytes: (name, table, sql))
        }
    }

    /// The bytes of the name of a table whose definition is not valid UTF-8.
    func bytes(of table: String) -> Data? {
        objects.values.first { $0.type == "table" && $0.name == table }?.bytes.name
    }

    /// The name of a table as an SQL value.
    func literal(of table: String) -> String { bytes(of: table)?.textExpression ?? table.quotedDatabaseString }
}

extension ScriptWriter {
    /// Writes the rows of a table whose name isn't valid text, under the name that the script gives it.
    func writeRows(of table: String, _ name: Data, to stream: inout DumpStream) throws {
        let (list, isOrdered) = try columns(ofTable: name)
        var sql = Data("SELECT ".utf8)
        sql += list.joined(separator: Data(",".utf8))
        sql += Data(" FROM \(schema.name.quotedDatabaseIdentifier).".utf8) + name.quotedIdentifier
        if isOrdered { sql += Data(" ORDER BY 1".utf8) }
        let statement = try sql.withUnsafeBytes { try db.connection.prepare(utf8: $0.bindMemory(to: UInt8.self)) }
        let standIns = list.map { unreadable.standIns?.text($0) ?? String(decoding: $0, as: UTF8.self) }
        stream.progress.table = table
        try writeRows(
            RowCursor(statement, adapter: nil),
            "INSERT INTO \(table.quotedDatabaseIdentifier)(\(standIns.joined(separator: ","))) VALUES\n", to: &stream)
    }

    /// The quoted columns that a script stores, after the rowid if it has a name.
    private func columns(ofTable name: Data) throws -> (list: [Data], startsWithRowID: Bool) {
        let table = name.textExpression
        let columns = try Row.fetchAll(
            db, sql: "SELECT CAST(name AS BLOB), hidden FROM pragma_table_xinfo(\(table), ?)",
            arguments: [schema.name])
        let names = Set(columns.map { String(decoding: $0[0] as Data, as: UTF8.self).foldedDatabaseName })
        let stored = columns.filter { $0[1] == 0 }.map { ($0[0] as Data).quotedIdentifier }
        let isWithoutRowID = try Bool.fetchOne(
            db, sql: "SELECT wr FROM pragma_table_list(\(table)) WHERE schema = ? COLLATE NOCASE",
            arguments: [schema.name])
        guard isWithoutRowID == false, let rowID = BuiltInNames.rowIDs.first(where: { !names.contains($0) })
        else { return (stored, false) }
        return ([Data(rowID.utf8)] + stored, true)
    }

    /// Replaces the stand-ins in sqlite_master with the bytes.
    func writeUnreadableNames(to stream: inout DumpStream) {
        guard !unreadable.objects.isEmpty else { return }
        stream.write("PRAGMA writable_schema=ON;\n")
        for (_, object) in unreadable.objects.sorted(by: { $0.key < $1.key }) {
            let bytes = object.bytes
            let sql = bytes.sql.map { ",sql=\($0.textExpression)" } ?? ""
            stream.write(
                "UPDATE sqlite_master SET name=\(bytes.name.textExpression),tbl_name=\(bytes.table.textExpression)\(sql) "
                    + "WHERE type=\(object.type.quotedDatabaseString) AND name=\(object.name.quotedDatabaseString);\n")
        }
        writeSchemaReset(to: &stream)
    }
}

/// Private-use characters that represent bytes.
struct StandIns {
    /// The character for byte 0.
    private let first: UInt32

    /// - Parameter texts: the text in which the characters must not occur.
    init(avoiding texts: [Data]) {
        var known: Set<UInt32> = []
        for text in texts {
            for scalar in String(decoding: text, as: UTF8.self).unicodeScalars where scalar.value >= 0xE000 {
                known.insert(scalar.value >> 8)
            }
        }
        // There are more such blocks of 256 characters than a schema can contain.
        let blocks = [0xE0...0xF7, 0xF00...0xFFE, 0x1000...0x10FE].joined()
        first = UInt32(blocks.first { !known.contains(UInt32($0)) } ?? 0xE0) << 8
    }

    /// The text, with a stand-in for each byte that is not valid UTF-8.
    func text(_ data: Data) -> String {
        data.withUnsafeBytes { buffer in
            let bytes = buffer.bindMemory(to: UInt8.self)
            var text = ""
            var index = 0
            while index < bytes.count {
                let byte = bytes[index]
                if let length = byte < 0x80 ? 1 : bytes.lengthOfCharacter(at: index, byte) {
                    text += String(decoding: bytes[index..<index + length], as: UTF8.self)
                    index += length
                } else {
                    if let standIn = Unicode.Scalar(first + UInt32(byte)) { text.unicodeScalars.append(standIn) }
                    index += 1
                }
            }
            return text
        }
    }
}

extension Data {
    fileprivate var isValidUTF8: Bool { withUnsafeBytes { $0.bindMemory(to: UInt8.self).isValidUTF8 } }

    /// `CAST(X'CAFE' AS TEXT)`
    fileprivate var textExpression: String { "CAST(\(databaseValue.sqlLiteral) AS TEXT)" }

    /// The bytes as an identifier, in quotes.
    fileprivate var quotedIdentifier: Data {
        let quote = UInt8(ascii: "\"")
        var result = Data([quote])
        for byte in self {
            if byte == quote { result.append(quote) }
            result.append(byte)
        }
        result.append(quote)
        return result
    }
}
