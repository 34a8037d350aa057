// The objects of the schema as listed by SQLite. <https://sqlite.org/schematab.html>

/// A table, an index, a view or a trigger.
public struct SchemaObject: Hashable, Sendable {
    /// The kind of an object.
    public enum Kind: String, Hashable, Sendable {
        /// A table, including virtual tables.
        case table
        /// An index.
        case index
        /// A view.
        case view
        /// A trigger.
        case trigger
    }

    /// The name and the schema.
    public let id: DatabaseObjectID
    /// The kind.
    public let kind: Kind
    /// The table of an index or a trigger; the object itself if it is a table or a view.
    public let tableName: String
    /// The statement that creates the object, or nil for an index that belongs to a constraint.
    public let sql: String?
    /// Whether a virtual table stores its content in this table.
    public let isShadowTable: Bool

    /// The name.
    public var name: String { id.name }
}

extension Database {
    /// The tables, indexes, views and triggers, in the order of their creation. Objects that SQLite creates internally
    /// are not included.
    ///
    /// ```swift
    /// for object in try db.schemaObjects(in: "main") { print(object.kind, object.name) }
    /// ```
    ///
    /// - Parameter schemaName: the schema; by default, all schemas: temporary objects, those of the main schema and
    ///   those of attached databases.
    /// - Throws: SQLITE_ERROR if the schema does not exist.
    public func schemaObjects(in schemaName: String? = nil) throws -> [SchemaObject] {
        try noteQuestion(in: schemaName)
        return try schemaIDs(schemaName).flatMap { schema in
            if let scope = connection.scope {
                return scope.tables.values.map(\.name).sorted().map { SchemaObject(shown: $0) }
            }
            let shadows = try shadowTables(in: schema)
            let table = "\(schema.name.quotedDatabaseIdentifier).\(schema.schemaTableName)"
            let sql = "SELECT type, name, tbl_name, sql FROM \(table) ORDER BY rowid"
            return try Row.rows(of: makeStatement(sql: sql), [])
                .compactMap { SchemaObject($0, schema, shadowTables: shadows) }
        }
    }

    private func shadowTables(in schema: DatabaseSchemaID) throws -> Set<String> {
        let sql = "PRAGMA \(schema.name.quotedDatabaseIdentifier).table_list"
        let rows = try Row.rows(of: makeStatement(sql: sql), [])
        return Self.shadowTables(inTableList: rows.filter { schema.name.isSameDatabaseName(as: $0["schema"]) })
    }

    /// The tables in which virtual tables store their content.
    ///
    /// - Parameter rows: the rows of `PRAGMA table_list` of one schema.
    package static func shadowTables(inTableList rows: [Row]) -> Set<String> {
        let names = Dictionary(grouping: rows) { $0["type"] as String }.mapValues { $0.map { $0["name"] as String } }
        // Sqlite-vec does not declare that it owns these: `document_vec_vector_chunks00`.
        let vectors = (names["virtual"] ?? []).map { "\($0)_vector_chunks" }
        let chunks = (names["table"] ?? []).filter { name in
            vectors.contains { name.hasPrefix($0) && name.dropFirst($0.count).allSatisfy(\.isNumber) }
        }
        return Set((names["shadow"] ?? []) + chunks)
    }

    /// The names of the tables, in the order of their creation.
    ///
    /// Tables that SQLite and virtual tables create internally are not included.
    ///
    /// - Parameter schemaName: the schema; by default, all schemas.
    /// - Throws: SQLITE_ERROR if the schema does not exist.
    public func tables(in schemaName: String? = nil) throws -> [DatabaseObjectID] {
        try schemaObjects(in: schemaName).filter { $0.kind == .table && !$0.isShadowTable }.map(\.id)
    }

    /// The names of the views, in the order of their creation.
    ///
    /// - Parameter schemaName: the schema; by default, all schemas.
    /// - Throws: SQLITE_ERROR if the schema does not exist.
    public func views(in schemaName: String? = nil) throws -> [DatabaseObjectID] {
        try schemaObjects(in: schemaName).filter { $0.kind == .view }.map(\.id)
    }

    /// The triggers of a table or a view, in the order of their creation. A temporary trigger may belong to a table of
    /// another schema.
    ///
    /// - Throws: SQLITE_ERROR if the table does not exist.
    public func triggers(on tableName: String, in schemaName: String? = nil) throws -> [SchemaObject] {
        let table = try existingTable(tableName, in: schemaName)
        return try schemaObjects().filter {
            $0.kind == .trigger && $0.tableName.isSameDatabaseName(as: table.name)
                && ($0.id.schemaID == table.schemaID || $0.id.schemaID == .temp)
        }
    }
}

extension SchemaObject {
    /// A table in a scope, whose definition is hidden.
    fileprivate init(shown name: String) {
        self.init(
            id: DatabaseObjectID(name: name, schemaID: .main), kind: .table, tableName: name, sql: nil,
            isShadowTable: false)
    }

    /// - Returns: nil for SQLite's own objects. In a damaged schema, another program may have stored any kind.
    fileprivate init?(_ row: Row, _ schema: DatabaseSchemaID, shadowTables: Set<String>) {
        let name: String = row[1]
        // SQLite accepts a file with types in upper case.
        let type = (row[0] as String).foldedDatabaseName
        guard let kind = Kind(rawValue: type), !name.foldedDatabaseName.hasPrefix("sqlite_") else { return nil }
        self.init(
            id: DatabaseObjectID(name: name, schemaID: schema), kind: kind, tableName: row[2], sql: row[3],
            isShadowTable: kind == .table && shadowTables.contains(name))
    }

    /// The statement that creates the object, and nothing else.
    ///
    /// - Returns: nil for an index that belongs to a constraint.
    /// - Throws: SQLITE_CORRUPT if the file contains anything else in its place.
    package var definition: SQLDefinition? {
        get throws { try sql.map { try SQLDefinition($0, type: kind.rawValue, name: name) } }
    }

    /// The statement that creates the object, with a semicolon: for scripts. Nil for an index that belongs to a constraint.
    ///
    /// ```swift
    /// for object in try db.schemaObjects() { print(try object.creationStatement ?? "") }
    /// // CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT);
    /// ```
    ///
    /// SQLite ignores what follows the first statement in `sql`, so a crafted file can hide other statements there.
    ///
    /// - Throws: SQLITE_CORRUPT if the file contains anything but a single statement that creates this object.
    /// - Complexity: linear in the length of the text.
    public var creationStatement: String? {
        get throws { try definition?.terminated }
    }

    package func isIndex(named name: String) -> Bool { kind == .index && self.name.isSameDatabaseName(as: name) }
}
