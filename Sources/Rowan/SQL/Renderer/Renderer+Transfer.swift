// Statements that write the rows of a query: INSERT ... SELECT, UPDATE ... FROM.

/// An INSERT of the rows of a query.
package struct InsertSelectQuery: Hashable, Sendable {
    package var table: TableName
    package var columns: [String]
    package var conflictResolution: String?
    package var query: SQLSubquery

    package init(table: TableName, columns: [String], conflictResolution: String?, query: SQLSubquery) {
        self.table = table
        self.columns = columns
        self.conflictResolution = conflictResolution
        self.query = query
    }
}

/// The query whose rows an UPDATE reads and the condition that links them to the updated rows.
package struct UpdateSource: Hashable, Sendable {
    package var source: Source
    package var name: String
    package var condition: SQLExpression
    /// The aliases of the updated row and of the source row in the condition and the assignments.
    package var target: TableAliasID
    package var alias: TableAliasID

    package init(
        source: Source, name: String, condition: SQLExpression, target: TableAliasID, alias: TableAliasID
    ) {
        self.source = source
        self.name = name
        self.condition = condition
        self.target = target
        self.alias = alias
    }
}

extension Renderer {
    package mutating func write(_ insert: InsertSelectQuery) {
        sql += "INSERT "
        if let resolution = insert.conflictResolution { sql += "OR \(resolution) " }
        sql += "INTO "
        write(.table(insert.table), as: insert.table.name)
        if !insert.columns.isEmpty {
            sql += " ("
            write(list: insert.columns) { $0.write(identifier: $1) }
            sql += ")"
        }
        sql += " "
        write(insert.query)
    }

    /// `UPDATE "t" SET "a" = "s"."b" FROM (SELECT ...) AS "s" WHERE "t"."id" = "s"."id"`
    package mutating func write(_ update: UpdateQuery, from source: UpdateSource) {
        let target = update.target.source.name
        let outer = (aliasNames, currentName)
        defer { (aliasNames, currentName) = outer }
        for alias in update.target.aliases + [source.target] { aliasNames[alias] = target }
        aliasNames[source.alias] = source.name
        write(with: update.target.commonTables)
        sql += "UPDATE "
        if let resolution = update.conflictResolution { sql += "OR \(resolution) " }
        write(update.target.source, as: target, isTarget: true)
        sql += " SET "
        // Both tables are visible, so their columns must be qualified.
        currentName = target
        write(list: update.assignments) { $0.write($1) }
        sql += " FROM "
        write(source.source, as: source.name)
        write(clause: " WHERE ", [source.condition] + update.target.filters)
    }
}
