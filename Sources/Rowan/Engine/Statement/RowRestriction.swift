// The rows that a query reads, found in its conditions. It is valid for the arguments and the schema it was determined
// with.

/// The rowids that a statement reads from a table, with certain arguments.
package final class RowRestriction {
    package let table: StatementProfile.Table
    package let rowIDs: Set<Int64>
    private let arguments: StatementArguments
    private let epoch: Int

    package init(_ rowIDs: Set<Int64>, of table: StatementProfile.Table, in statement: Statement) {
        self.table = table
        self.rowIDs = rowIDs
        arguments = statement.storedArguments
        epoch = statement.connection.schemaEpoch
    }

    /// Whether the restriction is valid for the statement's current arguments.
    package func isValid(for statement: Statement) -> Bool {
        epoch == statement.connection.schemaEpoch && arguments == statement.storedArguments
    }
}
