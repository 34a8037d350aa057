// The resolver's access to the schema, implemented by connections.

/// The schema information that the resolver needs.
package protocol SchemaReader {
    /// The columns of the primary key; a name of the rowid for a table without a primary key.
    func primaryKeyColumns(ofTable table: TableName) throws -> [String]
    /// The columns of the primary key, as above; nil for a view without a key and for names that are not in the schema.
    func keyColumns(ofTable table: TableName) throws -> [String]?
    /// Whether the table has a rowid, hidden or not.
    func hasRowID(_ table: TableName) throws -> Bool
    /// The shortest key that identifies the rows of a table: a name of the rowid, or the primary key.
    func rowKey(ofTable table: TableName) throws -> [String]
    /// All visible columns of a table or a view.
    func columnNames(ofTable table: TableName) throws -> [String]
    /// The columns of a query.
    func columnNames(of select: Select) throws -> [String]
    /// The foreign keys from one table to another.
    func foreignKeys(from origin: TableName, to destination: TableName) throws -> [[ColumnPair]]
    /// The pairs of a foreign key between two tables, with the conversions that make SQLite compare them as it enforces
    /// the key.
    func enforced(_ pairs: [ColumnPair], from origin: TableName, to destination: TableName) throws -> [ColumnPair]
    /// Whether an index covers a search for values in some columns.
    func isIndexed(_ table: TableName, columns: [String]) throws -> Bool
    /// Whether the columns of each pair have the same affinity and collation, or one of them is not in the schema.
    func compareAlike(_ pairs: [ColumnPair], origin: TableName, destination: TableName) throws -> Bool
    /// Whether some columns can't have the same values in two rows; false for names that are not in the schema.
    func hasUniqueKey(_ table: TableName, columns: [String]) throws -> Bool
    /// Whether the schema guarantees that the columns are not NULL; false for names that are not in the schema.
    func areNotNull(_ columns: [String], ofTable table: TableName) throws -> Bool
    /// The error for an expression with this nesting depth.
    func error(forNesting levels: Int) -> any Error
    /// Throws an error if the running SQLite is older than a version, such as 3_044_000.
    func requireSQLite(_ version: Int, for feature: String) throws
}
