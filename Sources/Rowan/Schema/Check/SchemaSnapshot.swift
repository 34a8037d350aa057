// The schema of a database at a point in time, for comparison with another one.

/// The tables, indexes, views and triggers of the main schema.
package struct SchemaSnapshot: Sendable {
    struct Entry: Sendable {
        let object: SchemaObject
        let tokens: SQLTokens
        /// The columns of a table or a view.
        let columns: [ColumnInfo]
    }

    private struct Key: Hashable {
        let kind: SchemaObject.Kind
        let name: String
    }

    private let entries: [Entry]

    package init(_ db: Database, excluding isExcluded: (SchemaObject) -> Bool = { _ in false }) throws {
        let hidden = db.connection.abilities.hiddenTables
        entries = try db.schemaObjects(in: "main")
            .filter { !$0.isShadowTable && !hidden.contains($0.tableName) && !isExcluded($0) }
            .map { object in
                Entry(
                    object: object, tokens: SQLTokens(object.sql ?? ""),
                    columns: object.kind == .table ? try db.columns(in: object.name, in: "main") : [])
            }
    }

    /// The definitions, in an order in which SQLite can run them: tables, indexes, views, triggers, each in creation
    /// order.
    ///
    /// - Throws: SQLITE_CORRUPT for a definition that isn't one statement.
    package var definitions: [SQLDefinition] {
        get throws {
            let kinds: [SchemaObject.Kind] = [.table, .index, .view, .trigger]
            let objects = kinds.flatMap { kind in entries.map(\.object).filter { $0.kind == kind } }
            return try objects.compactMap { try $0.definition }
        }
    }

    private var byKey: [Key: Entry] {
        Dictionary(entries.map { (Self.key(of: $0), $0) }) { first, _ in first }
    }

    private static func key(of entry: Entry) -> Key {
        Key(kind: entry.object.kind, name: entry.object.name.foldedDatabaseName)
    }

    /// The differences, in the order of the expected schema, followed by unexpected objects.
    package func differences(from expected: SchemaSnapshot) -> [SchemaDifference] {
        let found = byKey
        let wanted = expected.byKey
        let missingOrChanged = expected.entries.compactMap { entry -> SchemaDifference? in
            guard let own = found[Self.key(of: entry)] else { return .missing(entry.object) }
            guard
                own.tokens != entry.tokens
                    || own.object.tableName.foldedDatabaseName != entry.object.tableName.foldedDatabaseName
            else { return nil }
            return .changed(own.object, expected: entry.object, details: own.differences(from: entry))
        }
        let unexpected = entries.filter { wanted[Self.key(of: $0)] == nil }.map {
            SchemaDifference.unexpected($0.object)
        }
        return missingOrChanged + unexpected
    }
}

extension SchemaSnapshot.Entry {
    /// The differences between the columns, in words; empty if only the constraints differ.
    fileprivate func differences(from expected: Self) -> [String] {
        var result: [String] = []
        for column in expected.columns {
            guard let own = columns.first(where: { $0.name.isSameDatabaseName(as: column.name) }) else {
                result.append("the column \(column.name) is missing")
                continue
            }
            result += own.differences(from: column)
        }
        for column in columns where !expected.columns.contains(where: { $0.name.isSameDatabaseName(as: column.name) }) {
            result.append("the column \(column.name) is not expected")
        }
        return result
    }
}

extension ColumnInfo {
    fileprivate func differences(from expected: ColumnInfo) -> [String] {
        func words(_ own: String, _ expected: String) -> [String] {
            own == expected ? [] : ["the column \(name) has \(own) instead of \(expected)"]
        }
        func typeName(_ column: ColumnInfo) -> String { column.type.isEmpty ? "no type" : "the type \(column.type)" }
        func key(_ column: ColumnInfo) -> String {
            column.primaryKeyIndex == 0
                ? "no place in the primary key" : "place \(column.primaryKeyIndex) in the primary key"
        }
        return words(typeName(self), typeName(expected))
            + words(isNotNull ? "NOT NULL" : "no NOT NULL", expected.isNotNull ? "NOT NULL" : "no NOT NULL")
            + words(
                defaultValueSQL.map { "the default \($0)" } ?? "no default",
                expected.defaultValueSQL.map { "the default \($0)" } ?? "no default")
            + words(key(self), key(expected))
    }
}

/// A difference between the schema of a database and an expected schema.
///
/// Article: <doc:Migrations>.
public enum SchemaDifference: Hashable, Sendable, CustomStringConvertible {
    /// An expected object does not exist.
    case missing(SchemaObject)
    /// An object exists that is not expected.
    case unexpected(SchemaObject)
    /// An object differs from the expected one. The details name the columns that differ. They are empty if only
    /// constraints differ, and for objects that are not tables.
    case changed(SchemaObject, expected: SchemaObject, details: [String])

    /// The existing object or, if it is missing, the expected one.
    public var object: SchemaObject {
        switch self {
        case .missing(let object), .unexpected(let object), .changed(let object, _, _): object
        }
    }

    /// The kind and name of the object, and what differs.
    public var description: String {
        let name = "\(object.kind.rawValue) \(object.name)"
        switch self {
        case .missing: return "\(name) is missing"
        case .unexpected: return "\(name) is not expected"
        case .changed(let object, let expected, let details):
            guard details.isEmpty else { return "\(name): \(details.joined(separator: ", "))" }
            return "\(name) is defined as: \(object.sql ?? "") - instead of: \(expected.sql ?? "")"
        }
    }
}

extension Database {
    /// The differences between the main schema and that of another database: tables, indexes, views and triggers that are
    /// missing, that are not expected, or that differ.
    ///
    /// ```swift
    /// let differences = try copy.read { copy in
    ///     try dbQueue.read { db in try db.schemaDifferences(from: copy) }
    /// }
    /// for difference in differences { print(difference) }   // table player: the column score is missing
    /// ```
    ///
    /// The schemas are compared as SQL: spaces, comments, quotes and the case of words make no difference.
    ///
    /// - Parameter expected: a connection to the database with the expected schema.
    /// - Returns: the differences, in the order of the expected schema, followed by what is not expected.
    /// - Throws: a ``DatabaseError``.
    /// - Complexity: O(*n*), where *n* is the number of objects.
    ///
    /// Article: <doc:Migrations>.
    public func schemaDifferences(from expected: Database) throws -> [SchemaDifference] {
        try SchemaSnapshot(self).differences(from: SchemaSnapshot(expected))
    }
}
