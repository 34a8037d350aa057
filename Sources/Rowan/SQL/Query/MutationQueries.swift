// Statements that change rows, in the form that the renderer receives: no part depends on the schema.

/// The rows that an UPDATE or a DELETE changes.
package struct MutationTarget: Hashable, Sendable {
    package let source: Source
    package let commonTables: [CommonTable]
    package let filters: [SQLExpression]
    /// The aliases of the table in the filters, the assigned values and the returned columns.
    package let aliases: [TableAliasID]

    /// Creates a target from a query on one table; only its filters are used.
    ///
    /// - Parameter aliases: additional aliases of the table.
    package init(_ select: Select, aliases: [TableAliasID]) {
        source = select.source
        commonTables = select.commonTables
        filters = select.filters
        self.aliases = select.aliases + aliases.filter { !select.aliases.contains($0) }
    }
}

/// An UPDATE.
package struct UpdateQuery: Hashable, Sendable {
    package let target: MutationTarget
    package let conflictResolution: String?
    package let assignments: [ColumnAssignment]
    package let returning: [SQLSelection]

    package init(
        target: MutationTarget, conflictResolution: String?, assignments: [ColumnAssignment],
        returning: [SQLSelection] = []
    ) {
        self.target = target
        self.conflictResolution = conflictResolution
        self.assignments = assignments
        self.returning = returning
    }
}

/// A DELETE.
package struct DeleteQuery: Hashable, Sendable {
    package let target: MutationTarget
    package let returning: [SQLSelection]

    package init(target: MutationTarget, returning: [SQLSelection]) {
        self.target = target
        self.returning = returning
    }
}

/// The columns that a statement returns for the rows it changes.
package struct ReturnedColumns: Hashable, Sendable {
    package var selection: [SQLSelection] = []
    /// The aliases of the changed table in the selection.
    package var aliases: [TableAliasID] = []

    package init() {}

    /// Creates columns that are resolved as terms of the changed row.
    package init(_ selection: [SQLSelection], _ terms: inout TermResolver) throws {
        self.selection = try terms.selection(selection)
        aliases = terms.givenAliases
    }
}

/// An INSERT of one or several rows, whose values are bound later.
package struct InsertQuery: Hashable, Sendable {
    package var table: TableName
    package var columns: [String]
    /// The number of rows that the statement inserts.
    package var rowCount = 1
    package var conflictResolution: String?
    package var upsert: Upsert?
    package var returning = ReturnedColumns()

    package struct Upsert: Hashable, Sendable {
        package var conflictTarget: [String]
        package var assignments: [ColumnAssignment]

        package init(conflictTarget: [String], assignments: [ColumnAssignment]) {
            self.conflictTarget = conflictTarget
            self.assignments = assignments
        }
    }

    package init(table: TableName, columns: [String], conflictResolution: String?) {
        self.table = table
        self.columns = columns
        self.conflictResolution = conflictResolution
    }
}
