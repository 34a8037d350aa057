// Statements that write the rows of other requests: UPDATE FROM and INSERT from SELECT.

extension QueryInterfaceRequest {
    /// Updates the rows of the request with values from the rows of another request.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = "player"."score" + "bonus"."points"
    /// // FROM (SELECT * FROM "bonus") AS "bonus" WHERE "player"."id" = "bonus"."playerId"
    /// try Player.all().updateAll(
    ///     db, from: Bonus.all(), on: { player, bonus in player.id == bonus.playerId },
    ///     assignments: { player, bonus in [Column("score").set(to: player.score + bonus.points)] })
    /// ```
    ///
    /// If several rows of the other request match a row, one of them is used; SQLite does not specify which.
    ///
    /// Constraint violations are handled by `conflictResolution`, or by default by the persistence conflict policy of
    /// the record type.
    ///
    /// - Returns: the number of updated rows.
    /// - Throws: a ``DatabaseError``; its code is SQLITE_MISUSE if the request has groups, a limit or joins.
    ///
    /// Source: <https://sqlite.org/lang_update.html#upfrom>
    @discardableResult
    public func updateAll<Other>(
        _ db: Database, onConflict conflictResolution: Database.ConflictResolution? = nil,
        from other: QueryInterfaceRequest<Other>,
        on condition: (TableAlias<RowDecoder>, TableAlias<Other>) throws -> any SQLExpressible,
        assignments: (TableAlias<RowDecoder>, TableAlias<Other>) throws -> [ColumnAssignment]
    ) throws -> Int {
        guard case .table = relation.source, relation.limit == nil, relation.joins.isEmpty, relation.groups.isEmpty,
            relation.havings.isEmpty, !relation.groupsByPrimaryKey, relation.link == nil
        else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "can't update a request with groups, a limit or joins from another request: remove them")
        }
        try db.requireSQLite(3_033_000, for: "UPDATE FROM")
        let (target, source) = (TableAlias<RowDecoder>(), TableAlias<Other>())
        var updated = relation
        updated.unorder()
        updated.selection = []
        updated.aliases.append(target.id)
        let resolver = Resolver(db, aggregates: .correlated)
        let updatedRows = try resolver.select(updated)
        var terms = resolver.terms(of: updated)
        let name = Self.name(of: other.relation.source.name, besides: relation.source.name)
        let from = UpdateSource(
            source: try terms.source(.subquery(SQLSubquery(.relation(other.relation)), name: name)), name: name,
            condition: try terms.expression(condition(target, source).sqlExpression), target: target.id,
            alias: source.id)
        let assignments = try assignments(target, source).filter { $0.value != nil }.map { try terms.assignment($0) }
        let update = UpdateQuery(
            target: MutationTarget(updatedRows, aliases: terms.givenAliases),
            conflictResolution: (conflictResolution ?? policyForUpdate)?.rawValue, assignments: assignments)
        guard !update.assignments.isEmpty else { return 0 }
        try db.execute { $0.write(update, from: from) }
        return db.changesCount
    }

    private static func name(of source: String, besides target: String) -> String {
        source.isSameDatabaseName(as: target) ? "\(source)1" : source
    }
}

extension TableRecord {
    /// Inserts the rows of a request.
    ///
    /// ```swift
    /// // INSERT INTO "archive" ("id", "name") SELECT "id", "name" FROM "player" WHERE "score" < ?
    /// try Archive.insertAll(
    ///     db, columns: [Column("id"), Column("name")],
    ///     from: Player.filter { $0.score < 100 }.select { [$0.id, $0.name] })
    /// ```
    ///
    /// Callbacks are not called, because no records are created.
    ///
    /// - Parameters:
    ///   - db: a connection that can write.
    ///   - columns: the columns to insert into; by default, all columns in their order.
    ///   - request: the request whose rows are inserted. It selects a value for each of the columns, in the same order.
    ///   - conflictResolution: how to handle rows that violate a constraint; by default, the persistence conflict
    ///     policy of the record type.
    /// - Returns: the number of inserted rows.
    /// - Throws: a ``DatabaseError``, in which case no rows are inserted, unless the conflict resolution keeps them.
    ///
    /// Source: <https://sqlite.org/lang_insert.html>
    @discardableResult
    public static func insertAll(
        _ db: Database, columns: [any ColumnExpression] = [], from request: some SQLSubqueryable,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws -> Int {
        let query = InsertSelectQuery(
            table: TableName(databaseTableName, schema: databaseSchemaName), columns: columns.map(\.name),
            conflictResolution: (conflictResolution ?? persistenceConflictPolicy.writtenForInsert)?.rawValue,
            query: try Resolver(db).subquery(request.sqlSubquery))
        try db.execute { $0.write(query) }
        return db.changesCount
    }
}
