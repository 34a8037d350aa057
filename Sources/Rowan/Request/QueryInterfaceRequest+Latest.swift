// One row of each group: the latest message of each chat, the best player of each team.

extension QueryInterfaceRequest {
    /// The first row of each group, in an order.
    ///
    /// ```swift
    /// // SELECT * FROM "message" WHERE "rowid" IN (
    /// //   SELECT "rowid" FROM (
    /// //     SELECT "rowid", ROW_NUMBER() OVER (PARTITION BY "chatId" ORDER BY "date" DESC, "id" DESC) AS "rowan_number"
    /// //     FROM "message") AS "message"
    /// //   WHERE "rowan_number" = ?)
    /// let latest = Message.all().latest(per: Column("chatId"), by: Column("date"))
    /// ```
    ///
    /// An expression without a direction is taken in descending order: the latest date, the greatest score. The primary
    /// key settles what the order leaves open, so that each group has one row. Rows whose group is NULL are one group.
    ///
    /// The request takes the rows of each group from those that its filters leave. Filters that follow apply to the rows
    /// that were taken. The result is a request as any other: order it, join it, count it.
    ///
    /// - Note: fetching throws SQLITE_MISUSE if the request, when this method is called, has a limit or groups.
    /// - Complexity: one pass over the rows of the request, in the order of the groups: an index on the columns of the
    ///   groups and of the order saves the sort.
    ///
    /// Source: <https://sqlite.org/windowfunctions.html>
    public func latest(
        per groups: any SQLExpressible..., by orderings: any SQLOrderingTerm...
    ) -> QueryInterfaceRequest {
        latest(groups, orderings)
    }

    func latest(_ groups: [any SQLExpressible], _ orderings: [any SQLOrderingTerm]) -> QueryInterfaceRequest {
        let population = relation
        let partitions = groups.map(\.sqlExpression)
        let order = orderings.map(\.sqlOrdering.descendingByDefault)
        return _mapRelation {
            $0.filters = [
                deferred { db in [try population.firstRows(of: partitions, order, Resolver(db))] }
            ]
        }
    }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// The first row of each group, in an order: `latest(per: { $0.chatId }, by: { $0.date })`.
    public func latest(
        per group: (DatabaseComponents) throws -> any SQLExpressible,
        by ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest {
        let components = RowDecoder.databaseComponents
        return latest([try group(components)], [try ordering(components)])
    }
}

extension Relation {
    /// The condition that a row is the first of its group, among those of this relation.
    fileprivate func firstRows(
        of groups: [SQLExpression], _ order: [SQLOrdering], _ resolver: Resolver
    ) throws -> SQLExpression {
        guard limit == nil, self.groups.isEmpty, !groupsByPrimaryKey, havings.isEmpty, !isDistinct else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "a request with a limit, groups or distinct rows has no latest rows: call latest(per:by:) first")
        }
        let names = try selectedNames.subtracting(resolver.columnNames(of: source).map(\.foldedDatabaseName))
        let used = (filters + groups).lazy.compactMap { $0.usedName(among: names) }.first
        if let name = used ?? order.lazy.compactMap({ $0.usedName(among: names) }).first {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "latest(per:by:) cannot use \"\(name)\", a name of the selection: repeat its expression")
        }
        let key = try resolver.rowKey(of: source)
        let number = Column("rowan_number")
        let window = Window(partitionBy: groups, orderBy: order + [SQLOrdering(.symbol(.primaryKey(.descending)))])
        var numbered = self
        numbered.unorder()
        numbered.prefetches = []
        for index in numbered.joins.indices { numbered.joins[index].excludeAll() }
        numbered.selection =
            key.map { SQLSelection(.named(Resolver.column($0), $0)) } + [rowNumber().over(window).forKey(number.name)]
        var first = Relation(.subquery(SQLSubquery(.relation(numbered)), name: source.name))
        first.selection = key.map { Column($0).sqlSelection }
        first.filters = [number == 1]
        return SQLExpression(
            .isIn(Resolver.tuple(key, .current), .subquery(SQLSubquery(.relation(first))), isNegated: false))
    }
}

extension SQLOrdering {
    /// The ordering, where an expression without a direction is descending.
    fileprivate var descendingByDefault: SQLOrdering {
        guard case .expression(let expression, .none) = node else { return self }
        return SQLOrdering(.expression(expression, .descending))
    }
}
