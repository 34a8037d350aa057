// What the resolver asks of a schema. A connection answers.

/// What the resolver asks of a schema.
package protocol SchemaReader {
    /// The columns of the primary key, `rowid` for a table without one.
    func primaryKeyColumns(ofTable table: TableName) throws -> [String]
    /// The columns of the primary key, as above; nil for a view without one, and for what is no table of the schema.
    func keyColumns(ofTable table: TableName) throws -> [String]?
    /// Whether the table has a rowid, hidden or not.
    func hasRowID(_ table: TableName) throws -> Bool
    /// All visible columns of a table or a view.
    func columnNames(ofTable table: TableName) throws -> [String]
    /// The columns that a query selects.
    func columnNames(of select: Select) throws -> [String]
    /// The foreign keys from a table to another.
    func foreignKeys(from origin: TableName, to destination: TableName) throws -> [[ColumnPair]]
    /// Whether the rows that have given values in some columns are found without a scan.
    func isIndexed(_ table: TableName, columns: [String]) throws -> Bool
    /// Whether columns can't be NULL, as far as the schema says. What is no table of the schema can be NULL.
    func areNotNull(_ columns: [String], ofTable table: TableName) throws -> Bool
    /// The error for an expression of so many levels.
    func error(forNesting levels: Int) -> any Error
    /// Throws if the SQLite that runs is older than a version, such as 3_044_000.
    func requireSQLite(_ version: Int, for feature: String) throws
}
