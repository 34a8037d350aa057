// Record types from a schema.

import Foundation
import Rowan

struct RecordGenerator {
    static let mark = "// Written by rowan generate"

    private struct Property {
        let name: String
        let column: String
        let type: String
        let isOptional: Bool
        let isKey: Bool
        let isGenerated: Bool
    }

    private struct Table {
        let name: String
        let type: String
        let isView: Bool
        let properties: [Property]
        /// Whether SQLite chooses the key.
        let hasOptionalKey: Bool
        /// The members that properties and associations are called.
        var members: Set<String>
        var associations: [(name: String, code: String)] = []
    }

    private let choices: GenerationChoices
    private var tables: [Table] = []

    init(_ db: Database, _ choices: GenerationChoices) throws {
        self.choices = choices
        var types: Set<String> = []
        let internalTables = ["grdb_migrations", "rowan_migration_checksums"]
        let objects = try db.schemaObjects(in: "main").filter {
            ($0.kind == .table || $0.kind == .view) && !$0.isShadowTable && !$0.name.hasPrefix("sqlite_")
                && !internalTables.contains($0.name)
        }
        let known = Set(objects.map { $0.name.lowercased() })
        for name in choices.names.keys.sorted() + choices.excluded.sorted() where !known.contains(name) {
            _ = try db.existingTable(name)
        }
        for object in objects where !choices.excluded.contains(object.name.lowercased()) {
            let chosen = choices.names[object.name.lowercased()]
            let type = SwiftNames.unique(chosen ?? Self.typeName(object.name), &types)
            do { tables.append(try table(db, object, type)) } catch let error as DatabaseError
                where object.kind == .view
            {
                throw Failure(
                    message:
                        "the view \(object.name) can't be read (\(error.message ?? "\(error)")): leave it out with "
                        + "--exclude \(object.name)")
            }
        }
        let columns = Set(
            tables.flatMap { table in table.properties.map { "\(table.name).\($0.column)".lowercased() } })
        for column in choices.types.keys.sorted() where !columns.contains(column) {
            guard !choices.excluded.contains(where: { column.hasPrefix($0 + ".") }) else { continue }
            throw Failure(message: "there is no column \(column): pass --type TABLE.COLUMN=Type")
        }
        try addAssociations(db)
    }

    /// The types and modules that the generated code uses, or its users: a type of this name would hide them.
    private static let used: Set<String> = [
        "Any", "Bool", "CodingKey", "CodingKeys", "Column", "Columns", "Data", "Database", "Date",
        "Double",
        "Encoder", "Equatable", "FetchableRecord", "ForeignKey", "InsertionSuccess", "Int", "Int64",
        "MutablePersistableRecord",
        "Optional", "PersistableRecord", "PrimaryKey", "Record", "References", "Row", "Self", "String", "TableRecord",
        "Type", "UUID",
        "Association", "Codable", "Decodable", "Decoder", "Encodable", "Error", "Foundation", "Identifiable", "Never",
        "Request", "Rowan", "RowanRecords", "Sendable", "Swift", "Table", "URL", "Void",
    ]

    private static func typeName(_ table: String) -> String {
        var name = SwiftNames.type(table)
        while used.contains(name) { name += "Record" }
        return name
    }

    private func table(_ db: Database, _ object: SchemaObject, _ type: String) throws -> Table {
        // Members that the generated code has itself.
        var members: Set<String> = ["columns", "databasetablename", "databaseselection"]
        let rows = try Row.fetchAll(
            db,
            sql: "SELECT name, type, \"notnull\" AS isNotNull, pk, hidden FROM pragma_table_xinfo(?) WHERE hidden <> 1",
            arguments: [object.name])
        let keys = rows.filter { $0["pk"] as Int > 0 }
        let isAutomatic =
            keys.count == 1 && (keys[0]["type"] as String).uppercased() == "INTEGER" && object.kind == .table
        let properties = try rows.map { row in
            let column = row["name"] as String
            let isKey = row["pk"] as Int > 0
            let isGenerated = row["hidden"] as Int > 1
            let chosen = choices.types["\(object.name).\(column)".lowercased()]
            let isOptional = isGenerated || (isKey ? isAutomatic : row["isNotNull"] as Int == 0)
            let type =
                try chosen ?? Self.type(of: row["type"], isKey: isKey && isAutomatic)
                .flatMap { try Self.keepsValues($0, column, object.name, db) ? $0 : nil }
                ?? Self.type(ofValues: column, object.name, db)
            return Property(
                name: SwiftNames.unique(SwiftNames.property(column), &members), column: column,
                type: type.hasSuffix("?") ? String(type.dropLast()) : type,
                isOptional: isOptional || chosen?.hasSuffix("?") == true, isKey: isKey,
                isGenerated: isGenerated)
        }
        return Table(
            name: object.name, type: type, isView: object.kind == .view, properties: properties,
            hasOptionalKey: isAutomatic, members: members)
    }

    /// Source: <https://sqlite.org/datatype3.html#determination_of_column_affinity>
    ///
    /// - Returns: nil for a column without a type.
    private static func type(of declared: String, isKey: Bool) -> String? {
        let type = declared.uppercased()
        if isKey { return "Int64" }
        if type.hasPrefix("BOOL") { return "Bool" }
        if type.hasPrefix("DATE") || type.hasPrefix("TIMESTAMP") { return "Date" }
        if type == "UUID" { return "UUID" }
        if type.contains("INT") { return "Int" }
        if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") || type.hasPrefix("JSON") {
            return "String"
        }
        if type.contains("BLOB") { return "Data" }
        if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") { return "Double" }
        return type.hasPrefix("DEC") || type.hasPrefix("NUM") ? "Double" : nil
    }

    /// Whether records store the values of a column as they are. Dates and UUIDs have several forms, and a record would store another
    /// one than it has read.
    private static func keepsValues(_ type: String, _ column: String, _ table: String, _ db: Database) throws -> Bool {
        let name = column.quotedIdentifier
        let form: String
        switch type {
        case "Date": form = "\(name) GLOB '????-??-?? ??:??:??.???'"
        case "UUID": form = "typeof(\(name)) = 'blob' AND length(\(name)) = 16"
        default: return true
        }
        let sql = "SELECT 1 FROM \(table.quotedIdentifier) WHERE \(name) IS NOT NULL AND NOT (\(form)) LIMIT 1"
        return try Row.fetchOne(db, sql: sql) == nil
    }

    /// The type of the values in a column without one; String if they have several.
    private static func type(ofValues column: String, _ table: String, _ db: Database) throws -> String {
        let name = column.quotedIdentifier
        let found = try String.fetchAll(
            db, sql: "SELECT DISTINCT typeof(\(name)) FROM \(table.quotedIdentifier) WHERE \(name) IS NOT NULL LIMIT 2")
        return found.count == 1 ? ["integer": "Int", "real": "Double", "blob": "Data"][found[0]] ?? "String" : "String"
    }

    // MARK: Associations

    private mutating func addAssociations(_ db: Database) throws {
        for index in tables.indices where !tables[index].isView {
            // A foreign key may refer to a table that doesn't exist.
            let keys = ((try? db.foreignKeys(on: tables[index].name, in: "main")) ?? []).reversed()
            for key in keys {
                guard
                    let target = tables.firstIndex(where: { $0.name.lowercased() == key.destinationTable.lowercased() }
                    ),
                    !tables[target].isView
                else { continue }
                let (child, parent) = (tables[index].type, tables[target].type)
                let isOnly = keys.count { $0.destinationTable.lowercased() == key.destinationTable.lowercased() } == 1
                let toOne = Self.name(ofReference: key.originColumns, parent)
                let reference =
                    "ForeignKey([\(key.mapping.map { Self.literal($0.origin) }.joined(separator: ", "))], "
                    + "to: [\(key.mapping.map { Self.literal($0.destination) }.joined(separator: ", "))])"
                let name = SwiftNames.unique(toOne, &tables[index].members)
                tables[index].associations.append(
                    (name, "belongsTo(\(parent).self, key: \(Self.literal(name)), using: \(reference))"))
                let many = SwiftNames.plural(child.prefix(1).lowercased() + child.dropFirst())
                let inverse = SwiftNames.unique(
                    isOnly ? many : many + "By" + toOne.prefix(1).uppercased() + toOne.dropFirst(),
                    &tables[target].members)
                tables[target].associations.append(
                    (inverse, "hasMany(\(child).self, key: \(Self.literal(inverse)), using: \(reference))"))
            }
        }
    }

    /// `homeTeam` for `home_team_id`.
    private static func name(ofReference columns: [String], _ parent: String) -> String {
        let other = parent.prefix(1).lowercased() + parent.dropFirst()
        guard columns.count == 1 else { return other }
        let property = SwiftNames.property(columns[0])
        for ending in ["ID", "Id"] where property.hasSuffix(ending) && property.count > 2 {
            return String(property.dropLast(2))
        }
        // The column has the name itself.
        return property.lowercased() == other.lowercased() ? other + "Record" : other
    }

    // MARK: The code

    private static func literal(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").onOneLine + "\""
    }

    func files() -> [String: String] {
        Dictionary(uniqueKeysWithValues: tables.map { ("\($0.type).swift", code(of: $0)) })
    }

    private var access: String { choices.isPublic ? "public " : "" }

    private func code(of table: Table) -> String {
        let usesMacro = choices.style == .record && !table.isView
        let types = Set(table.properties.map(\.type))
        var imports = usesMacro ? ["RowanRecords"] : ["Rowan"]
        if !types.isDisjoint(with: ["Date", "Data", "UUID"]) || types.contains("URL") || types.contains("Decimal") {
            imports.insert("Foundation", at: 0)
        }
        var lines = [
            "\(Self.mark) for \(table.isView ? "the view" : "the table") \(table.name.onOneLine): do not edit.",
            "// swift-format-ignore-file", "",
        ]
        lines += imports.map { choices.isPublic ? "public import \($0)" : "import \($0)" } + [""]
        lines += usesMacro ? macroRecord(table) : codableRecord(table)
        if !table.associations.isEmpty {
            lines += ["", "extension \(SwiftNames.escaped(table.type)) {"]
            lines += table.associations.map { "    \(access)static let \(SwiftNames.escaped($0.name)) = \($0.code)" }
            lines.append("}")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func declaration(_ property: Property) -> String {
        "\(access)var \(SwiftNames.escaped(property.name)): \(property.type)\(property.isOptional ? "?" : "")"
    }

    private func macroRecord(_ table: Table) -> [String] {
        let isPlainKey =
            table.properties.count(where: \.isKey) == 1 && table.properties.contains { $0.isKey && $0.name == "id" }
        let arguments = Self.literal(table.name) + (choices.isPublic ? ", memberwise: true" : "")
        return ["@Record(\(arguments)) \(access)struct \(SwiftNames.escaped(table.type)): Equatable {"]
            + table.properties.map { property in
                var attributes = property.isKey && !isPlainKey ? "@PrimaryKey " : ""
                let column = property.column == property.name ? [] : [Self.literal(property.column)]
                let arguments = column + (property.isGenerated ? ["generated: true"] : [])
                if !arguments.isEmpty { attributes += "@Column(\(arguments.joined(separator: ", "))) " }
                return "    \(attributes)\(declaration(property))"
            } + ["}"]
    }

    private func codableRecord(_ table: Table) -> [String] {
        let key = table.properties.first { $0.isKey }
        let writes =
            table.isView ? "" : table.hasOptionalKey ? ", MutablePersistableRecord" : ", PersistableRecord"
        var lines = [
            "\(access)struct \(SwiftNames.escaped(table.type)): Codable, Equatable, FetchableRecord, TableRecord\(writes) {"
        ]
        lines += table.properties.map { "    \(declaration($0))" }
        lines += ["", "    \(access)static let databaseTableName = \(Self.literal(table.name))"]
        lines += ["", "    \(access)enum CodingKeys: String, CodingKey {"]
        lines += table.properties.map { property in
            "        case \(SwiftNames.escaped(property.name))"
                + (property.column == property.name ? "" : " = \(Self.literal(property.column))")
        }
        lines += ["    }", "", "    \(access)enum Columns {"]
        lines += table.properties.map {
            "        \(access)static let \(SwiftNames.escaped($0.name)) = Column(\(Self.literal($0.column)))"
        }
        lines.append("    }")
        let generated = table.properties.filter(\.isGenerated)
        if !generated.isEmpty, !table.isView {
            lines += [
                "", "    /// Without the generated columns.",
                "    \(access)func encode(to encoder: any Encoder) throws {",
            ]
            lines.append("        var container = encoder.container(keyedBy: CodingKeys.self)")
            lines += table.properties.filter { !$0.isGenerated }.map {
                "        try container.encode(\(SwiftNames.escaped($0.name)), forKey: .\(SwiftNames.escaped($0.name)))"
            }
            lines.append("    }")
        }
        if table.hasOptionalKey, let key {
            lines += [
                "", "    \(access)mutating func didInsert(_ inserted: InsertionSuccess) {",
                "        \(key.name == "inserted" ? "self.inserted" : SwiftNames.escaped(key.name)) = inserted.rowID",
                "    }",
            ]
        }
        return lines + ["}"]
    }
}
