// The modules of virtual tables, for `create(virtualTable:options:using:_:)`.

/// A module of virtual tables, such as ``FTS5``, whose tables are defined in Swift.
///
/// ```swift
/// struct CSV: VirtualTableModule {
///     final class TableDefinition { var path = "" }
///     var moduleName: String { "csv" }
///     func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition { TableDefinition() }
///     func moduleArguments(for definition: TableDefinition, in db: Database) -> [String] {
///         ["filename=\(definition.path.databaseValue.sqlLiteral)"]
///     }
/// }
///
/// // CREATE VIRTUAL TABLE "city" USING csv(filename='city.csv')
/// try db.create(virtualTable: "city", using: CSV()) { t in t.path = "city.csv" }
/// ```
///
/// A module without a definition implements only `moduleName`:
///
/// ```swift
/// struct Spellfix: VirtualTableModule { typealias TableDefinition = Void; var moduleName: String { "spellfix1" } }
/// ```
///
/// Source: <https://sqlite.org/vtab.html>
public protocol VirtualTableModule {
    /// The type that the closure of `create(virtualTable:options:using:_:)` receives. If the closure changes it, it is
    /// a class.
    associatedtype TableDefinition

    /// The name of the module in SQLite.
    var moduleName: String { get }

    /// The definition of a new table, before the closure changes it.
    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition

    /// The arguments of the module, each as SQL. The default is an empty list, without parentheses.
    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String]

    /// Called after the table has been created, in the same savepoint: an error undoes the creation. By default, does
    /// nothing.
    func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws
}

extension VirtualTableModule {
    /// No arguments.
    public func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String] { [] }

    /// Does nothing.
    public func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws {}
}

extension VirtualTableModule where TableDefinition == Void {
    /// No definition.
    public func makeTableDefinition(configuration: VirtualTableConfiguration) {}
}

/// The configuration of a new table, apart from its definition.
public struct VirtualTableConfiguration: Sendable {
    /// Whether only the current connection sees the table.
    public let isTemporary: Bool

    package init(isTemporary: Bool) { self.isTemporary = isTemporary }

    /// The schema of the table.
    package var schemaName: String { isTemporary ? "temp" : "main" }
}
