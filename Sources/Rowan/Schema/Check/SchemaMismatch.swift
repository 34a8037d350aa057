// The differences between a record type and its table.

/// A difference between a record type and its table, listed by `Database.checkSchema(of:)`.
///
/// Article: <doc:CheckingRecords>.
public struct SchemaMismatch: Hashable, Sendable, CustomStringConvertible {
    /// The difference.
    public enum Kind: Hashable, Sendable {
        /// The table or view does not exist.
        case missingTable
        /// The type reads, stores or selects a column that does not exist.
        case missingColumn
        /// The selection of the type lacks a column that the type reads.
        case unselectedColumn
        /// The column can be NULL, but the property is not optional.
        case nullableColumn
        /// The column can't be NULL, but the property is optional.
        case notNullColumn
        /// The column is NOT NULL without a default, but the type never stores it.
        case unstoredColumn
        /// The column is generated, but the type stores it.
        case generatedColumn
        /// The values of the property do not have the type of the column.
        case type(property: String, column: String)
        /// The identity of the record is not the primary key of the table, which has these columns.
        case identity(primaryKey: [String])
        /// The type declares a primary key with other columns than the table's.
        case primaryKey(declared: [String], found: [String])
        /// The type does not store a column of the primary key, so its records can't be updated or deleted.
        case unstoredKey
        /// No index finds the rows that refer to another table with these columns.
        case foreignKeyWithoutIndex(columns: [String], references: String)
        /// The foreign key refers to a table that does not exist.
        case foreignKeyWithoutTable(columns: [String], references: String)
        /// The property is declared as a reference, but the column has no foreign key.
        case missingForeignKey
        /// The property is declared as a reference, but the foreign key of the column refers to another table.
        case foreignKeyTable(declared: String, found: String)
        /// The foreign key of the column has another action than the property declares, on deletion or update of the
        /// other row.
        case foreignKeyAction(event: String, declared: String, found: String)
        /// The type, or a part of what it reads and stores, could not be examined.
        case notExamined(reason: String)
    }

    /// The difference.
    public let kind: Kind
    /// The name of the record type.
    public let recordType: String
    /// The name of the table or view.
    public let table: String
    /// The schema that the type declares, or nil.
    public let schema: String?
    /// The column if one column differs.
    public let column: String?

    /// What differs and what to do.
    public var description: String { "\(recordType): \(sentence)" }

    private var sentence: String {
        let table = (schema.map { $0.quotedDatabaseIdentifier + "." } ?? "") + table.quotedDatabaseIdentifier
        let column = "the column \((column ?? "").quotedDatabaseIdentifier) of \(table)"
        return switch kind {
        case .missingTable: "there is no table \(table): create it, or change databaseTableName"
        case .missingColumn: "\(column) does not exist: add it to the table, or remove it from the type"
        case .unselectedColumn: "databaseSelection lacks \(column): select it, or remove it from the type"
        case .nullableColumn: "\(column) can be NULL: declare it NOT NULL, or make the property optional"
        case .notNullColumn: "\(column) is NOT NULL: make the property non-optional, or let the column be NULL"
        case .unstoredColumn: "\(column) is NOT NULL without a default, and is never stored: store it, or add a default"
        case .generatedColumn: "\(column) is generated, and can't be stored: do not encode it"
        case .type(let property, let type):
            "\(column) has the type \(type), and the property is stored as \(property): change one of them"
        case .identity(let key):
            "its id is not the primary key of \(table), which is \(Self.list(key)): change the table, or the id"
        case .primaryKey(let declared, let found):
            "the primary key of \(table) is \(Self.list(found)), and @PrimaryKey declares \(Self.list(declared)): change one "
                + "of them"
        case .unstoredKey:
            "\(column) is in the primary key, and is never stored, so records can't be updated or deleted: store it"
        case .foreignKeyWithoutIndex(let columns, let other):
            "no index of \(table) begins with \(Self.list(columns)), which refers to "
                + "\(other.quotedDatabaseIdentifier): add an index"
        case .foreignKeyWithoutTable(let columns, let other):
            "\(Self.list(columns)) of \(table) refers to the table \(other.quotedDatabaseIdentifier), which does not "
                + "exist: create it, or remove the foreign key"
        case .missingForeignKey:
            "\(column) has no foreign key: add it to the table, or remove @References from the property"
        case .foreignKeyTable(let declared, let found):
            "the foreign key of \(column) refers to \(found.quotedDatabaseIdentifier), and its property declares "
                + "\(declared.quotedDatabaseIdentifier): change one of them"
        case .foreignKeyAction(let event, let declared, let found):
            "the foreign key of \(column) has \(event) \(found), and its property declares \(event) \(declared): change one "
                + "of them"
        case .notExamined(let reason): "not completely examined, because \(reason)"
        }
    }

    private static func list(_ columns: [String]) -> String {
        columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
    }
}
