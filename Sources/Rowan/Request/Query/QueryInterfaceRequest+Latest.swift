// One row per group: the latest message of each chat, the best player of each team.

extension QueryInterfaceRequest {
    /// Keeps the first row of each group in an order.
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
    /// An expression without a direction is ordered descending: the latest date, the highest score. The primary key
    /// breaks ties, so each group has exactly one row. Rows with a NULL group form one group.
    ///
    /// Filters before this method limit the rows of the groups. Filters after it apply to the first rows. The result is
    /// an ordinary request, which can be ordered, joined and counted.
    ///
    /// - Note: the fetch throws SQLITE_MISUSE if the request has a limit or groups when this method is called.
    /// - Complexity: one pass over the rows of the request, sorted by group. An index on the columns of the groups and
    ///   of the order avoids the sort.
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
    /// Keeps the first row of each group, with closures: `latest(per: { $0.chatId }, by: { $0.date })`.
    public func latest(
        per group: (DatabaseComponents) throws -> any SQLExpressible,
        by ordering: (DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> QueryInterfaceRequest {
        let components = RowDecoder.databaseComponents
        return latest([try group(components)], [try ordering(components)])
    }
}

extension Relation {
    /// The condition that a row is the first of its group among the rows of this relation.
    fileprivate func firstRows(
        of groups: [SQLExpression], _ order: [SQLOrdering], _ resolver: Resolver
    ) throws -> SQLExpression {
        guard limit == nil, self.groups.isEmpty, !groupsByPrimaryKey, havings.isEmpty, !isDistinct else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "latest(per:by:) can't follow a limit, groups or distinct rows: call it before them")
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
    /// The ordering; descending for an expression without a direction.
    fileprivate var descendingByDefault: SQLOrdering {
        guard case .expression(let expression, .none) = node else { return self }
        return SQLOrdering(.expression(expression, .descending))
    }
}
