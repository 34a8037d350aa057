// Batch updates and deletions: a single statement for all the rows of a request.

extension QueryInterfaceRequest {
    /// Deletes the rows of the request.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "score" = ?
    /// try Player.filter { $0.score == 0 }.deleteAll(db)
    /// ```
    ///
    /// - Returns: the number of deleted rows.
    /// - Throws: a ``DatabaseError``; its code is SQLITE_MISUSE if the request is not on a table.
    @discardableResult
    public func deleteAll(_ db: Database) throws -> Int {
        try countChanges(db) { try deleteQuery(db, returning: $0) }
    }

    /// Prepares a statement that deletes the rows of the request and returns selected columns of them.
    ///
    /// ```swift
    /// // DELETE FROM "player" WHERE "score" = ? RETURNING "name"
    /// let statement = try request.deleteAndFetchStatement(db, selection: [Column("name")])
    /// let names = try String.fetchSet(statement)
    /// ```
    public func deleteAndFetchStatement(_ db: Database, selection: [any SQLSelectable]) throws -> Statement {
        precondition(!selection.isEmpty, "the selection is empty: select at least one column")
        return try db.ownStatement(deleteQuery(db, returning: selection))
    }

    /// Updates the rows of the request.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = "score" + ? WHERE "team" = ?
    /// try Player.filter { $0.team == "Reds" }.updateAll(db, [Column("score") += 100])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection that can write.
    ///   - conflictResolution: how to handle constraint violations; by default, the persistence conflict policy of the
    ///     record type.
    ///   - assignments: the new values of columns. Without any, no statement runs.
    /// - Returns: the number of updated rows.
    /// - Throws: a ``DatabaseError``; its code is SQLITE_MISUSE if the request is not on a table.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment]
    ) throws -> Int {
        guard assignments.contains(where: { $0.value != nil }) else { return 0 }
        return try countChanges(db) { try updateQuery(db, conflictResolution, assignments, returning: $0) }
    }

    /// Updates the rows of the request, with several assignments.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, assignments)
    }

    /// Prepares a statement that updates the rows of the request and returns selected columns of them.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = "score" + ? RETURNING "score"
    /// let statement = try request.updateAndFetchStatement(
    ///     db, [Column("score") += 10], selection: [Column("score")])
    /// let scores = try Int.fetchAll(statement)
    /// ```
    public func updateAndFetchStatement(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: [ColumnAssignment], selection: [any SQLSelectable]
    ) throws -> Statement {
        precondition(!selection.isEmpty, "the selection is empty: select at least one column")
        return try db.ownStatement(updateQuery(db, conflictResolution, assignments, returning: selection))
    }

    /// Runs a statement that updates or deletes the rows of the request.
    ///
    /// - Returns: the number of changed rows.
    private func countChanges(
        _ db: Database, _ query: (_ returning: [any SQLSelectable]) throws -> (inout Renderer) -> Void
    ) throws -> Int {
        // The triggers of a view make its changes. SQLite does not count them, but it returns the rows.
        guard case .table(let table) = relation.source, try db.viewExists(table.name, in: table.schema) else {
            try db.execute(query([]))
            return db.changesCount
        }
        let rows = try RowCursor(db.use(query([SQL(sql: "1")])), adapter: nil)
        return try rows.reduce(0) { count, _ in count + 1 }
    }

    /// How the type of the rows handles constraint violations; nil for SQLite's default.
    var policyForUpdate: Database.ConflictResolution? {
        (RowDecoder.self as? any TableRecord.Type)?.persistenceConflictPolicy.writtenForUpdate
    }

    package func deleteQuery(
        _ db: Database, returning: [any SQLSelectable]
    ) throws -> (inout Renderer) -> Void {
        let resolver = Resolver(db, aggregates: .correlated)
        let target = try resolver.select(relation.mutationTarget(resolver))
        var terms = resolver.terms(of: relation)
        let returning = try terms.selection(returning.map(\.sqlSelection))
        let query = DeleteQuery(
            target: MutationTarget(target, aliases: relation.aliases + terms.givenAliases), returning: returning)
        return { $0.write(query) }
    }

    package func updateQuery(
        _ db: Database, _ conflictResolution: Database.ConflictResolution?, _ assignments: [ColumnAssignment],
        returning: [any SQLSelectable]
    ) throws -> (inout Renderer) -> Void {
        let resolver = Resolver(db, aggregates: .correlated)
        let target = try resolver.select(relation.mutationTarget(resolver))
        var terms = resolver.terms(of: relation)
        let assignments = try assignments.filter { $0.value != nil }.map { try terms.assignment($0) }
        let returning = try terms.selection(returning.map(\.sqlSelection))
        let query = UpdateQuery(
            target: MutationTarget(target, aliases: relation.aliases + terms.givenAliases),
            conflictResolution: (conflictResolution ?? policyForUpdate)?.rawValue, assignments: assignments,
            returning: returning)
        return { $0.write(query) }
    }
}

extension Relation {
    /// The part of the request that UPDATE and DELETE can express: filters. The rest becomes a subquery on the primary
    /// key.
    fileprivate func mutationTarget(_ resolver: Resolver) throws -> Relation {
        guard case .table = source else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the rows of \(source.name) can't be changed: it is not a table")
        }
        let isGrouped = !groups.isEmpty || !havings.isEmpty || groupsByPrimaryKey
        try checkFilterNames(resolver)
        guard limit != nil || !joins.isEmpty || link != nil || isGrouped else {
            var result = self
            result.selection = []
            result.unorder()
            result.isDistinct = false
            result.prefetches = []
            return result
        }
        // In an order, the names of the selection take precedence over columns.
        let names = limit == nil ? [] : selectedNames
        if !names.isEmpty, let name = orderings.lazy.compactMap({ $0.usedName(among: names) }).first {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "cannot update or delete the first rows in the order of \"\(name)\", a name of the selection: "
                    + "order by its expression")
        }
        let key = try resolver.rowKey(of: source)
        var rows = self
        rows.commonTables = []
        rows.isDistinct = false
        rows.prefetches = []
        for index in rows.joins.indices { rows.joins[index].excludeAll() }
        rows.selection = key.map { Column($0).sqlSelection }
        if limit == nil { rows.unorder() }
        var result = Relation(source)
        result.commonTables = commonTables
        let columns = key.map { SQLExpression(.column($0, .none)) }
        result.filters = [
            SQLExpression(
                .isIn(
                    columns.count == 1 ? columns[0] : SQLExpression(.tuple(columns)),
                    .subquery(SQLSubquery(.relation(rows))), isNegated: false))
        ]
        return result
    }
}

extension Relation {
    /// Ensures that no filter uses a name of the selection, which the statement doesn't contain.
    fileprivate func checkFilterNames(_ resolver: Resolver) throws {
        var names = selectedNames
        guard !names.isEmpty else { return }
        // In a condition, columns take precedence over the names of the selection.
        names.subtract(try resolver.columnNames(of: source).map(\.foldedDatabaseName))
        guard let name = filters.lazy.compactMap({ $0.usedName(among: names) }).first else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "cannot update or delete the rows that have a condition on \"\(name)\", a name of the selection: "
                + "filter by its expression")
    }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Updates the rows of the request, with one assignment: `updateAll(db) { $0.score += 100 }`.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignment: (DatabaseComponents) throws -> ColumnAssignment
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, [assignment(RowDecoder.databaseComponents)])
    }

    /// Updates the rows of the request, with several assignments:
    /// `updateAll(db) { [$0.score += 100, $0.bonus.set(to: 0)] }`.
    @discardableResult
    public func updateAll(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment]
    ) throws -> Int {
        try updateAll(db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents))
    }

    /// Prepares a statement that deletes the rows and returns columns selected by a closure.
    public func deleteAndFetchStatement(
        _ db: Database, select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Statement {
        try deleteAndFetchStatement(db, selection: select(RowDecoder.databaseComponents))
    }

    /// Prepares a statement that updates the rows and returns selected columns, both given by closures.
    public func updateAndFetchStatement(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        assignments: (DatabaseComponents) throws -> [ColumnAssignment],
        select: (DatabaseComponents) throws -> [any SQLSelectable]
    ) throws -> Statement {
        try updateAndFetchStatement(
            db, onConflict: conflictResolution, assignments(RowDecoder.databaseComponents),
            selection: select(RowDecoder.databaseComponents))
    }
}

extension QueryInterfaceRequest
where RowDecoder: TableRecord & Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Deletes the rows of the request and returns the set of their ids.
    public func deleteAndFetchIds(_ db: Database) throws -> Set<RowDecoder.ID> {
        try RowDecoder.ID.fetchSet(deleteAndFetchStatement(db, selection: [SQLSelection(.symbol(.primaryKey))]))
    }
}
