// What a connection knows of the schema. It is read when it is asked for, and dropped as a whole when the schema
// moves (LocalConnection.schemaEpoch).

import Foundation

/// The schema, as far as it was read.
package struct SchemaCache {
    var epoch = 0
    /// The access in which SQLite was asked whether the schema is the same.
    var checkedAccess = -1
    var tables: [String: Table] = [:]
    /// What requests were told: they ask the same again each time (benchmark aggregate-plan).
    var foreignKeys: [TablePair: [[ColumnPair]]] = [:]
    var areIndexed: [TableColumns: Bool] = [:]

    struct TablePair: Hashable {
        var origin: TableName
        var destination: TableName
    }

    struct TableColumns: Hashable {
        var table: TableName
        var columns: [String]
    }

    /// A table, a view, or nothing, with what was asked of it.
    struct Table {
        var kind: Kind?
        var columns: [ColumnInfo]?
        var primaryKey: PrimaryKeyInfo?
        var indexes: [IndexInfo]?
        var foreignKeys: [ForeignKeyInfo]?

        struct Kind {
            var schema: DatabaseSchemaID
            /// The name, as the schema writes it.
            var name: String
            var isView: Bool
            var isWithoutRowID: Bool
        }
    }
}

/// A schema: main, temp, or attached. <https://sqlite.org/lang_attach.html>
public struct DatabaseSchemaID: Hashable, Sendable {
    /// The name of the schema.
    public let name: String

    public static let main = DatabaseSchemaID(name: "main")
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
    public var name: String
    public var schemaID: DatabaseSchemaID

    public init(name: String, schemaID: DatabaseSchemaID) {
        self.name = name
        self.schemaID = schemaID
    }
}

/// Says what the schema does not: the primary keys of views.
///
/// ```swift
/// struct SchemaSource: DatabaseSchemaSource {
///     func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]? { ["id"] }
/// }
/// config.schemaSource = SchemaSource()
/// ```
public protocol DatabaseSchemaSource: Sendable {
    /// The columns of the primary key of a view, nil for none.
    func columnsForPrimaryKey(_ db: Database, inView view: DatabaseObjectID) throws -> [String]?
}

extension DatabaseSchemaSource {
    /// This source, then another for what this one does not say.
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
