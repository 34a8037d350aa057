// Paths of associations. A path is followed forwards from its origin (nested subqueries) or backwards to it (joins).
// Both use the same conditions.

extension Resolver {
    /// The condition of a step, independent of any query.
    package func condition(
        _ condition: JoinCondition, from origin: StoredSource, to destination: StoredSource
    ) throws -> ResolvedCondition {
        var terms = TermResolver(self, in: nil)
        return try terms.condition(condition, from: origin, to: destination)
    }

    /// The condition that the row has the key of the path's first row.
    func first(of path: AssociationPath, from origin: StoredSource) throws -> ResolvedCondition {
        let (originAlias, alias) = (TableAliasID.given(), TableAliasID.given())
        var rows = try relation(of: path.steps[...], from: origin, originAlias)
        let key = try primaryKey(of: rows.source)
        rows.selection = key.map { SQLSelection(.expression(Self.column($0))) }
        rows.limit = Relation.Limit(count: 1, offset: nil)
        let first = SQLExpression(.subquery(SQLSubquery(.select(try select(rows)))))
        return .expression(
            SQLExpression(.equal(Self.tuple(key, .alias(alias)), first, isNegated: false)),
            origin: originAlias, destination: alias)
    }

    /// The rows that a path leads to from the row of an alias. Each row appears once, even if several pivots lead to
    /// it.
    func relation(
        of steps: ArraySlice<AssociationStep>, from origin: StoredSource, _ originAlias: TableAliasID
    ) throws -> Relation {
        let step = steps[steps.endIndex - 1]
        var result = step.relation
        guard steps.count > 1 else {
            let alias = result.aliases.first ?? .given()
            if result.aliases.isEmpty { result.aliases = [alias] }
            let condition = try condition(step.condition, from: origin, to: result.storedSource)
            result.add(condition, from: originAlias, to: alias)
            return result
        }
        var pivots = try relation(of: steps.dropLast(), from: origin, originAlias)
        pivots.orderings = []
        let condition = try condition(step.condition, from: pivots.storedSource, to: result.storedSource)
        if case .columns(let pairs) = condition {
            pivots.selection = pairs.map { SQLSelection(.expression(Self.column($0.origin))) }
            let key = Self.tuple(pairs.map { $0.destination(in: .current) })
            result.filters.append(
                SQLExpression(.isIn(key, .subquery(SQLSubquery(.relation(pivots))), isNegated: false)))
        } else {
            let (alias, pivotAlias) = (TableAliasID.given(), TableAliasID.given())
            result.aliases.append(alias)
            pivots.aliases.append(pivotAlias)
            pivots.add(condition.reversed, from: alias, to: pivotAlias)
            pivots.selection = [SQLSelection(.literal(SQL(sql: "1")))]
            result.filters.append(SQLExpression(.exists(SQLSubquery(.relation(pivots)), isNegated: false)))
        }
        return result
    }

    /// The associated rows of all origins, with columns that identify the origin. The query joins backwards from the
    /// last step to the first.
    func inverse(
        of path: AssociationPath, from origin: StoredSource, aliases originAliases: [TableAliasID] = []
    ) throws -> InverseRelation {
        var sources = [origin]
        for step in path.steps { sources.append(step.relation.storedSource) }
        let conditions = try path.steps.indices.map {
            try condition(path.steps[$0].condition, from: sources[$0], to: sources[$0 + 1])
        }
        var relation = path.steps[0].relation
        let alias: TableAliasID
        var source = relation.source
        let pairs: [ColumnPair]
        if originAliases.isEmpty, case .columns(let columns) = conditions[0] {
            alias = relation.aliases.first ?? .given()
            if relation.aliases.isEmpty { relation.aliases = [alias] }
            pairs = columns
        } else {
            alias = .given()
            source = origin.source
            // Not the rowid: a join in parentheses hides the rowids of its tables.
            pairs = try primaryKey(of: origin.source).map { ColumnPair(origin: $0, destination: $0) }
            var originRelation = Relation(origin.source, storage: origin.storage)
            originRelation.aliases = originAliases + [alias]
            relation.joinBack(to: originRelation, conditions[0], number: 0)
        }
        for index in path.steps.indices.dropFirst() {
            var next = path.steps[index].relation
            next.joinBack(to: relation, conditions[index], number: index)
            relation = next
        }
        return InverseRelation(relation: relation, alias: alias, source: source, columns: pairs)
    }

    /// The associated rows of all origins. A limit applies to each origin separately.
    func inverse(
        ofLimited path: AssociationPath, from origin: StoredSource, aliases originAliases: [TableAliasID]
    ) throws -> InverseRelation {
        guard let limit = path.last.relation.limit else {
            return try inverse(of: path, from: origin, aliases: originAliases)
        }
        var path = path
        path.last.relation = try independentOfSelection(path.last.relation)
        // A row is among the first of its origin: the origin appears both in the query and in the subquery.
        let alias = TableAliasID.given()
        var population = try inverse(of: path, from: origin, aliases: [.given()])
        let key = try rowKey(of: population.relation.source)
        population.relation.filters += population.columns.map {
            $0.links(.alias(alias), to: .alias(population.alias))
        }
        population.relation.selection = key.map { SQLSelection(.expression(Self.column($0))) }
        population.relation.prefetches = []
        population.relation.limit = limit
        for index in population.relation.joins.indices { population.relation.joins[index].excludeAll() }
        var unlimited = path
        unlimited.last.relation.limit = nil
        var result = try inverse(of: unlimited, from: origin, aliases: originAliases + [alias])
        result.relation.filters.append(
            SQLExpression(
                .isIn(
                    Self.tuple(key, .current), .subquery(SQLSubquery(.relation(population.relation))),
                    isNegated: false)))
        return result
    }

    /// The associated rows of a record.
    func linked(_ relation: Relation, _ link: RecordLink) throws -> Relation {
        var path = link.path
        // The filters of the association precede the key, and those of the request follow it.
        let index = path.steps[0].relation.filters.count
        path.last.relation = relation
        path.last.relation.link = nil
        let origin = StoredSource(source: link.origin, storage: nil)
        let first = path.steps[0]
        if case .columns(let pairs) = try condition(first.condition, from: origin, to: first.relation.storedSource) {
            path.steps[0].relation.filters.insert(contentsOf: try link.conditions(pairs, .current), at: index)
            return try inverse(of: path, from: origin).relation
        }
        var inverse = try inverse(of: path, from: origin)
        inverse.relation.filters.insert(
            contentsOf: try link.conditions(inverse.columns, .alias(inverse.alias)),
            at: path.last.relation.filters.count)
        return inverse.relation
    }
}

extension RecordLink {
    /// The conditions that columns of a table have the values of the record.
    fileprivate func conditions(_ columns: [ColumnPair], _ table: TableReference) throws -> [SQLExpression] {
        let values = try self.values.values.get()
        let key = try columns.map { pair in
            guard let value = values.first(where: { $0.key.isSameDatabaseName(as: pair.origin) })?.value else {
                throw RequestError.notLinked(table: origin.name, column: pair.origin)
            }
            return value
        }
        // NULL refers to no row.
        return key.contains(where: \.isNull) ? [.value(.int64(0))] : columns.destination(in: table, is: key)
    }
}

extension Relation {
    /// Filters by a condition on the row of another source, identified by an alias in an outer query.
    fileprivate mutating func add(
        _ condition: ResolvedCondition, from originAlias: TableAliasID, to alias: TableAliasID
    ) {
        switch condition {
        case .always: break
        case .columns(let pairs):
            filters += pairs.map { $0.links(.alias(originAlias), to: .current) }
        case .expression(let expression, let origin, let destination):
            let bindings = [
                AliasBinding(alias: origin, stands: originAlias), AliasBinding(alias: destination, stands: alias),
            ]
            filters.append(SQLExpression(.bound(expression, bindings)))
        }
    }

    /// Joins the relation that a resolved condition starts from.
    fileprivate mutating func joinBack(to origin: Relation, _ condition: ResolvedCondition, number: Int) {
        var origin = origin
        origin.selection = []
        // A name that no user association has, because its rows would be different.
        let key = AssociationKey.fixed("rowan pivot \(number)")
        joins.append(
            Join(
                .inner, AssociationStep(key: key, condition: JoinCondition(condition.reversed), relation: origin),
                isIncluded: false))
    }
}

/// The rows that a path leads to, for all origins.
package struct InverseRelation {
    package var relation: Relation
    /// The table that identifies the origin.
    package var alias: TableAliasID
    package var source: Source
    /// The columns of the origin paired with those of the alias's table.
    package var columns: [ColumnPair]

    /// Whether the associated rows identify their origin themselves.
    func isDirect(_ path: AssociationPath) -> Bool { path.steps.count == 1 && relation.aliases.contains(alias) }
}
