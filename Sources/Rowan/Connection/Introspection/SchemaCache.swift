// The connection's cached schema information. It is read on demand and cleared completely when the schema changes
// (LocalConnection.schemaEpoch).

/// The cached parts of the schema.
package struct SchemaCache {
    var epoch = 0
    /// The access that last checked for schema changes.
    var checkedAccess = -1
    var tables: [String: Table] = [:]
    /// The results of foreign key queries, which requests repeat (benchmark aggregate-plan).
    var foreignKeys: [TablePair: [[ColumnPair]]] = [:]
    var enforced: [TablePair: [[ColumnPair]: [ColumnPair]]] = [:]
    var areIndexed: [TableColumns: Bool] = [:]
    var areUnique: [TableColumns: Bool] = [:]
    /// The words in the definitions of tables; nil if unknown.
    var definitionWords: DefinitionWords?

    struct TablePair: Hashable {
        var origin: TableName
        var destination: TableName
    }

    struct TableColumns: Hashable {
        var table: TableName
        var columns: [String]
    }

    /// A table, a view or a missing object, with its known properties.
    struct Table {
        var kind: Kind?
        var columns: [ColumnInfo]?
        var primaryKey: PrimaryKeyInfo?
        var indexes: [IndexInfo]?
        var foreignKeys: [ForeignKeyInfo]?

        struct Kind {
            var schema: DatabaseSchemaID
            /// The name, as spelled in the schema.
            var name: String
            var isView: Bool
            var isVirtual: Bool
            var isWithoutRowID: Bool
        }
    }
}

/// A schema: main, temp, or attached. <https://sqlite.org/lang_attach.html>
public struct DatabaseSchemaID: Hashable, Sendable {
    /// The name of the schema.
    public let name: String

    /// The main schema of the connection.
    public static let main = DatabaseSchemaID(name: "main")
    /// The schema of temporary tables.
    public static let temp = DatabaseSchemaID(name: "temp")

    /// The schema of an attached database.
    public static func attached(_ name: String) -> DatabaseSchemaID { DatabaseSchemaID(name: name) }

    /// The table that lists the objects of the schema. <https://sqlite.org/schematab.html>
    public var schemaTableName: String {
        name.isSameDatabaseName(as: "temp") ? "sqlite_temp_master" : "sqlite_master"
    }
}

/// The identity of a table, a view, an index or a trigger.
public struct DatabaseObjectID: Hashable, Sendable {
    /// The name of the object.
    public var name: String
    /// The schema of the object.
    public var schemaID: DatabaseSchemaID

    /// Creates the identity of an object.
    public init(name: String, schemaID: DatabaseSchemaID) {
        self.name = name
        self.schemaID = schemaID
    }
}

/// Provides information missing from the schema: the primary keys of views.
///
/// ```swift
/// struct SchemaSource: DatabaseSchemaSource {
///     func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { ["id"] }
/// }
/// config.schemaSource = SchemaSource()
/// ```
public protocol DatabaseSchemaSource: Sendable {
    /// The columns of the primary key of a view, or nil if they are unknown to this source.
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
    /// Combines this source with a second one, which is used when this source has no information.
    public func then(_ other: some DatabaseSchemaSource) -> some DatabaseSchemaSource {
        SchemaSourceChain(first: self, second: other)
    }
}

private struct SchemaSourceChain<First: DatabaseSchemaSource, Second: DatabaseSchemaSource>: DatabaseSchemaSource {
    let first: First
    let second: Second

    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? {
        try first.columnsForPrimaryKey(db, inView: view) ?? second.columnsForPrimaryKey(db, inView: view)
    }
}
