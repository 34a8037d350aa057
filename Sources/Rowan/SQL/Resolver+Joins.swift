// Joins, resolved: each foreign key becomes pairs of columns. A path is followed from its origin (subqueries, one in
// the other) or back to it (joins), and both start from the same conditions.

extension Resolver {
    func resolveJoins(of relation: Relation, in result: inout Relation) throws {
        var names: Set<String> = []
        for join in relation.joins where !join.isDerived && !names.insert(join.name).inserted {
            throw ResolutionError.ambiguousKey(join.name)
        }
        result.joins = try relation.joins.map { try resolve($0, from: relation.storedSource) }
    }

    func resolve(_ join: Join, from origin: StoredSource) throws -> Join {
        let relation = join.step.relation
        if let clause = relation.unjoinableClause {
            throw ResolutionError.notJoinable(key: join.step.key.name, clause: clause)
        }
        if join.kind == .right || join.kind == .full { try schema.requireSQLite(3_039_000, for: join.kind.rawValue) }
        var result = join
        var inner = inside(relation, isOptional: join.kind != .inner || current?.isOptional ?? false)
        // A condition of a join can't refer to the tables on its right.
        inner.joinsAggregates = false
        result.step.condition = try resolve(join.step.condition, from: origin, to: relation.storedSource)
        result.annotation = try inner.terms(join.annotation, inner.resolve)
        result.step.relation = try inner.resolved(relation)
        return result
    }

    /// Throws if an alias stands for two tables.
    func checkAliases(of relation: Relation) throws {
        var aliases: Set<TableAliasID> = []
        func check(_ relation: Relation) throws {
            for alias in relation.aliases where !aliases.insert(alias).inserted {
                throw ResolutionError.aliasOfTwoTables(relation.source.name)
            }
            for join in relation.joins { try check(join.step.relation) }
        }
        try check(relation)
    }

    // MARK: Conditions

    /// The condition, as columns or as an expression.
    func resolve(
        _ condition: JoinCondition, from origin: StoredSource, to destination: StoredSource
    ) throws -> JoinCondition {
        switch condition {
        case .always, .columns: return condition
        case .foreignKey(let link):
            return .columns(try columns(of: link, from: origin.source, to: destination.source))
        case .expression(let expression, let originAlias, let alias):
            var resolver = self
            resolver.sources[originAlias] = origin
            resolver.sources[alias] = destination
            return .expression(try resolver.expression(expression), origin: originAlias, destination: alias)
        case .first(let path): return try first(of: path, from: origin)
        }
    }

    private func columns(
        of link: ForeignKeyLink, from origin: Source, to destination: Source
    ) throws -> [ColumnPair] {
        switch link.holder {
        case .origin: try columns(of: link, holder: origin, referred: destination)
        case .destination:
            try columns(of: link, holder: destination, referred: origin)
                .map { ColumnPair(origin: $0.destination, destination: $0.origin) }
        }
    }

    /// The pairs of a foreign key: columns of its holder, columns of the table it refers to.
    private func columns(of link: ForeignKeyLink, holder: Source, referred: Source) throws -> [ColumnPair] {
        if let columns = link.columns, let referredColumns = link.referredColumns {
            return try pairs(holder.name, columns, referredColumns)
        }
        guard case .table(let origin) = holder, case .table(let destination) = referred else {
            throw ResolutionError.noForeignKey(origin: holder.name, destination: referred.name, columns: link.columns)
        }
        var candidates = try schema.foreignKeys(from: origin, to: destination)
        if let columns = link.columns {
            let wanted = Set(columns.map(\.foldedDatabaseName))
            candidates = candidates.filter { Set($0.map(\.origin.foldedDatabaseName)) == wanted }
            if let known = candidates.first { return known }
            return try pairs(holder.name, columns, schema.primaryKeyColumns(ofTable: destination))
        }
        // Two foreign keys of the same columns are one: a schema may say it twice.
        let distinct = candidates.reduce(into: [[ColumnPair]]()) { if !$0.contains($1) { $0.append($1) } }
        guard let only = distinct.first else {
            throw ResolutionError.noForeignKey(origin: origin.name, destination: destination.name, columns: nil)
        }
        guard distinct.count == 1 else {
            throw ResolutionError.ambiguousForeignKey(
                origin: origin.name, destination: destination.name,
                candidates: distinct.reversed().map { $0.map(\.origin) })
        }
        return only
    }

    private func pairs(_ table: String, _ columns: [String], _ referred: [String]) throws -> [ColumnPair] {
        guard columns.count == referred.count, !columns.isEmpty else {
            throw ResolutionError.columnCount(table: table, columns: columns, referred: referred)
        }
        return zip(columns, referred).map { ColumnPair(origin: $0, destination: $1) }
    }

    /// The key of the row is that of the first row of the path.
    private func first(of path: AssociationPath, from origin: StoredSource) throws -> JoinCondition {
        let (originAlias, alias) = (aliases.next(), aliases.next())
        var rows = try relation(of: path.steps[...], from: origin, originAlias)
        let key = try primaryKey(of: rows.source)
        rows.selection = key.map { .term(SQLSelection(.expression(Self.column($0)))) }
        rows.limit = Relation.Limit(count: 1, offset: nil)
        let first = SQLExpression(.subquery(SQLSubquery(.relation(try resolve(rows)))))
        return .expression(
            SQLExpression(.equal(Self.tuple(key, .alias(alias)), first, isNegated: false)),
            origin: originAlias, destination: alias)
    }

    static func tuple(_ columns: [String], _ table: TableReference) -> SQLExpression {
        columns.count == 1 ? column(columns[0], table) : SQLExpression(.tuple(columns.map { column($0, table) }))
    }

    // MARK: Paths

    /// The rows that a path leads to from the row of an alias. Each row comes once, however many ways lead to it.
    func relation(
        of steps: ArraySlice<AssociationStep>, from origin: StoredSource, _ originAlias: TableAliasID
    ) throws -> Relation {
        let step = steps[steps.endIndex - 1]
        var result = step.relation
        guard steps.count > 1 else {
            let alias = result.aliases.first ?? aliases.next()
            if result.aliases.isEmpty { result.aliases = [alias] }
            let condition = try resolve(step.condition, from: origin, to: result.storedSource)
            result.add(condition, from: originAlias, to: alias)
            return result
        }
        var pivots = try relation(of: steps.dropLast(), from: origin, originAlias)
        pivots.orderings = []
        let condition = try resolve(step.condition, from: pivots.storedSource, to: result.storedSource)
        if case .columns(let pairs) = condition {
            pivots.selection = pairs.map { .term(SQLSelection(.expression(Self.column($0.origin)))) }
            let key = Self.tuple(pairs.map(\.destination), .current)
            result.filters.append(
                .term(SQLExpression(.isIn(key, .subquery(SQLSubquery(.relation(pivots))), isNegated: false))))
        } else {
            let (alias, pivotAlias) = (aliases.next(), aliases.next())
            result.aliases.append(alias)
            pivots.aliases.append(pivotAlias)
            pivots.add(condition.reversed, from: alias, to: pivotAlias)
            pivots.selection = [.term(SQLSelection(.literal(SQL(sql: "1"))))]
            result.filters.append(.term(SQLExpression(.exists(SQLSubquery(.relation(pivots)), isNegated: false))))
        }
        return result
    }

    /// The associated rows of any origin, with what tells their origin: the query goes back from the last step to the
    /// first one, by joins.
    func inverse(
        of path: AssociationPath, from origin: StoredSource, aliases originAliases: [TableAliasID] = []
    ) throws -> InverseRelation {
        var sources = [origin]
        for step in path.steps { sources.append(step.relation.storedSource) }
        let conditions = try path.steps.indices.map {
            try resolve(path.steps[$0].condition, from: sources[$0], to: sources[$0 + 1])
        }
        var relation = path.steps[0].relation
        let alias: TableAliasID
        let pairs: [ColumnPair]
        if originAliases.isEmpty, case .columns(let columns) = conditions[0] {
            alias = relation.aliases.first ?? aliases.next()
            if relation.aliases.isEmpty { relation.aliases = [alias] }
            pairs = columns
        } else {
            alias = aliases.next()
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
        return InverseRelation(relation: relation, alias: alias, columns: pairs)
    }

    /// The associated rows of any origin, where a limit is that of each origin.
    func inverse(
        ofLimited path: AssociationPath, from origin: StoredSource, aliases originAliases: [TableAliasID]
    ) throws -> InverseRelation {
        guard let limit = path.last.relation.limit else {
            return try inverse(of: path, from: origin, aliases: originAliases)
        }
        // A row is among the first ones of its origin: the origin stands in the query, and in the subquery too.
        let alias = aliases.next()
        var population = try inverse(of: path, from: origin, aliases: [aliases.next()])
        let key = try primaryKey(of: population.relation.source)
        population.relation.filters += population.columns.map {
            .term(
                SQLExpression(
                    .equal(
                        Self.column($0.destination, .alias(population.alias)), Self.column($0.origin, .alias(alias)),
                        isNegated: false)))
        }
        population.relation.selection = key.map { .term(SQLSelection(.expression(Self.column($0)))) }
        population.relation.prefetches = []
        population.relation.limit = limit
        for index in population.relation.joins.indices { population.relation.joins[index].excludeAll() }
        var unlimited = path
        unlimited.last.relation.limit = nil
        var result = try inverse(of: unlimited, from: origin, aliases: originAliases + [alias])
        result.relation.filters.append(
            .term(
                SQLExpression(
                    .isIn(
                        Self.tuple(key, .current), .subquery(SQLSubquery(.relation(population.relation))),
                        isNegated: false))))
        return result
    }

    /// The relation of the rows that are associated with a record.
    func linked(_ relation: Relation, _ link: RecordLink) throws -> Relation {
        var path = link.path
        path.last.relation = relation
        path.last.relation.link = nil
        var inverse = try inverse(of: path, from: StoredSource(source: link.origin, storage: nil))
        let values = try link.values.values.get()
        let conditions = try inverse.columns.map { pair -> SQLExpression in
            let value = values.first { $0.key.isSameDatabaseName(as: pair.origin) }?.value
            guard let value else {
                throw ResolutionError.notLinked(table: link.origin.name, column: pair.origin)
            }
            // NULL refers to no row.
            if value.isNull { return .value(.int64(0)) }
            let table: TableReference = inverse.isDirect(path) ? .current : .alias(inverse.alias)
            return SQLExpression(
                .equal(Self.column(pair.destination, table), SQLExpression(.value(value)), isNegated: false))
        }
        inverse.relation.filters.insert(.term(.joined(conditions, by: .and)), at: 0)
        return inverse.relation
    }
}

/// The rows that a path leads to, whatever its origin.
package struct InverseRelation {
    package var relation: Relation
    /// The table that tells the origin.
    package var alias: TableAliasID
    /// The columns of the origin, and those of the table of the alias.
    package var columns: [ColumnPair]

    /// Whether the associated rows tell their origin themselves.
    func isDirect(_ path: AssociationPath) -> Bool { path.steps.count == 1 && relation.aliases.contains(alias) }
}

/// The origin of a request for the associated rows of a record.
package struct RecordLink: Hashable, Sendable {
    package var path: AssociationPath
    package var origin: Source
    package var values: RecordValues

    package init(path: AssociationPath, origin: Source, values: RecordValues) {
        self.path = path
        self.origin = origin
        self.values = values
    }
}

/// The values that a record stores, or the error of its encoding.
package final class RecordValues: Hashable, Sendable {
    package let values: Result<[String: DatabaseValue], any Error>

    package init(_ values: Result<[String: DatabaseValue], any Error>) { self.values = values }

    package static func == (lhs: RecordValues, rhs: RecordValues) -> Bool { lhs === rhs }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension JoinCondition {
    /// The condition, seen from the destination.
    var reversed: JoinCondition {
        switch self {
        case .always: .always
        case .columns(let pairs):
            .columns(pairs.map { ColumnPair(origin: $0.destination, destination: $0.origin) })
        case .expression(let expression, let origin, let destination):
            .expression(expression, origin: destination, destination: origin)
        case .foreignKey, .first: preconditionFailure("a condition is resolved before it is reversed")
        }
    }
}

extension Relation {
    /// What prevents the relation from being joined: its rows would not be those of its table.
    fileprivate var unjoinableClause: String? {
        if isDistinct { return "distinct()" }
        if limit != nil { return "limit" }
        if groupsByPrimaryKey || !groups.isEmpty { return "group" }
        return havings.isEmpty ? nil : "having"
    }

    /// Filters by a condition on the row of another source, which an alias stands for in an outer query.
    fileprivate mutating func add(
        _ condition: JoinCondition, from originAlias: TableAliasID, to alias: TableAliasID
    ) {
        switch condition {
        case .always: break
        case .columns(let pairs):
            filters += pairs.map {
                .term(
                    SQLExpression(
                        .equal(
                            Resolver.column($0.destination), Resolver.column($0.origin, .alias(originAlias)),
                            isNegated: false)))
            }
        case .expression(let expression, let origin, let destination):
            let bindings = [
                AliasBinding(alias: origin, stands: originAlias), AliasBinding(alias: destination, stands: alias),
            ]
            filters.append(.term(SQLExpression(.bound(expression, bindings))))
        case .foreignKey, .first: preconditionFailure("a condition is resolved before it is used")
        }
    }

    /// Joins the relation that a resolved condition comes from.
    fileprivate mutating func joinBack(to origin: Relation, _ condition: JoinCondition, number: Int) {
        var origin = origin
        origin.selection = []
        // Not a name that a user's association has: the two are not the same rows.
        let key = AssociationKey.fixed("rowan pivot \(number)")
        joins.append(
            Join(.inner, AssociationStep(key: key, condition: condition.reversed, relation: origin), isIncluded: false))
    }
}
