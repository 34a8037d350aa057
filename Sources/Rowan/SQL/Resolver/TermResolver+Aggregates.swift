// The query plan of aggregates depends on the schema. If indexes lead from a row to its associated rows, each aggregate
// is a correlated subquery, which reads only those rows. Otherwise a subquery would scan the table for each row, so a
// joined table groups it by origin in a single scan. For a row identified by key, that scan reads only its associated
// rows. For the first of many rows, the scan of a subquery is cheaper. Groups must compare their keys as the rows of
// the origin do: 1 and '1' are two groups in a column without type, but both equal an integer.
//
// If a query computes the aggregate for all rows over some of the rows behind pivots, it also groups one join:
// subqueries would read all pivots, whereas the join may start from the rows that its conditions select.

extension TermResolver {
    mutating func aggregate(_ value: AssociatedValue) throws -> SQLExpression {
        guard let current else { throw RequestError.noTable }
        var value = value
        value.path.last.relation = try resolver.independentOfSelection(value.path.last.relation)
        if try isJoined(value, to: current) {
            let resolver = resolver
            return try self.value(of: value, in: resolver.derivedTable(of: value.path, current))
        }
        let alias = alias(of: current)
        let rows = try resolver.associatedRows(of: value, from: current.storedSource, alias)
        let result = try expression(resolver.aggregate(value.function, of: rows, key: value.path.last.key))
        guard current.isOptional, value.function.isKnownOfNoRow else { return result }
        // If a row is missing, its aggregate is NULL like all of its columns.
        return CaseExpression().when(try exists(.current, current.source), then: result).sqlExpression
    }

    /// Whether an aggregate becomes a column of a joined table.
    private func isJoined(_ value: AssociatedValue, to current: CurrentRelation) throws -> Bool {
        let (path, origin) = (value.path, current.storedSource)
        guard resolver.aggregates == .joined, !current.isLimitedToOne, !current.isOptional, !current.isText,
            path.isGroupable, try resolver.key(of: path.last.relation.source) != nil,
            try current.isWhole && resolver.readsFewPivots(value, origin) || !resolver.isIndexed(path, origin)
        else { return false }
        return try resolver.groupsLikeOrigin(path, origin) && !refersToOuterRows(value)
    }

    /// Whether an aggregate refers to rows of an outer query: a derived table can't access them.
    private func refersToOuterRows(_ value: AssociatedValue) throws -> Bool {
        var search = AliasSearch()
        try search.visit(value)
        return search.aliases.contains { resolver.sources[$0] != nil }
    }
}

/// The rows that a path leads to from one row.
private struct AssociatedRows {
    var relation: Relation
    /// Whether the relation may contain a row more than once.
    var mayRepeat: Bool
}

extension Resolver {
    /// The rows that a path leads to from the row of an alias. They are joined starting from the pivots: in a condition
    /// `IN (SELECT ... FROM pivot ...)`, SQLite may read the pivots again for each row of the table.
    fileprivate func associatedRows(
        of value: AssociatedValue, from origin: StoredSource, _ originAlias: TableAliasID
    ) throws -> AssociatedRows {
        let path = value.path
        let relation = path.last.relation
        guard path.isGroupable, try joinsPivots(value, origin) else {
            let rows = try self.relation(of: path.steps[...], from: origin, originAlias)
            return AssociatedRows(relation: rows, mayRepeat: !rows.joins.isEmpty)
        }
        var inverse = try inverse(of: path, from: origin)
        inverse.relation.filters += inverse.columns.map { $0.links(.alias(originAlias), to: .alias(inverse.alias)) }
        return AssociatedRows(
            relation: inverse.relation, mayRepeat: try !relation.joins.isEmpty || !linksOnce(path, origin))
    }

    /// Whether the associated rows can be joined with the pivots that lead to them.
    private func joinsPivots(_ value: AssociatedValue, _ origin: StoredSource) throws -> Bool {
        try value.path.steps.count > 1 && !value.containsText && joinsPivots(value.path, origin)
    }

    private func joinsPivots(_ path: AssociationPath, _ origin: StoredSource) throws -> Bool {
        try path.steps.dropLast().allSatisfy(\.relation.isPlainPivot) && areJoinedByColumns(path, origin)
    }

    /// Whether a join of the associated rows with their pivots, for all origins at once, may start from few of these
    /// rows and reads each once. A subquery that only checks for existence stops early instead.
    fileprivate func readsFewPivots(_ value: AssociatedValue, _ origin: StoredSource) throws -> Bool {
        let relation = value.path.last.relation
        return try value.function != .isEmpty && !relation.filters.isEmpty && relation.joins.isEmpty
            && joinsPivots(value, origin) && linksOnce(value.path, origin)
    }

    /// Whether all steps compare columns in the same way in both directions: they can then be joined from last to
    /// first, and a key that is unique for the pivots is unique for the joined rows.
    private func areJoinedByColumns(_ path: AssociationPath, _ origin: StoredSource) throws -> Bool {
        var source = origin
        for step in path.steps {
            let destination = step.relation.storedSource
            guard case .columns(let pairs) = try condition(step.condition, from: source, to: destination),
                case .table(let from) = source.source, case .table(let to) = destination.source,
                try schema.compareAlike(pairs, origin: from, destination: to)
            else { return false }
            source = destination
        }
        return true
    }

    /// Whether the schema guarantees that a row of the origin is linked to each associated row by one chain of pivots:
    /// each pivot is unique for the next row, and the first one for this row and the origin.
    private func linksOnce(_ path: AssociationPath, _ origin: StoredSource) throws -> Bool {
        var source = origin
        var linked: [String] = []
        for (index, step) in path.steps.enumerated() {
            let destination = step.relation.storedSource
            guard case .columns(let pairs) = try condition(step.condition, from: source, to: destination) else {
                return false
            }
            if index > 0 {
                guard case .table(let pivot) = source.source,
                    try schema.hasUniqueKey(pivot, columns: pairs.map(\.origin) + linked)
                else { return false }
            }
            linked = index == 0 ? pairs.map(\.destination) : []
            source = destination
        }
        return true
    }

    fileprivate func aggregate(
        _ function: AssociatedValue.Function, of associated: AssociatedRows, key: AssociationKey
    ) throws -> SQLExpression {
        var function = function
        var rows = associated.relation
        rows.prefetches = []
        if rows.limit == nil { rows.unorder() }
        if function == .isEmpty {
            rows.selectOne()
            return SQLExpression(.exists(SQLSubquery(.relation(rows)), isNegated: true))
        }
        if rows.isDistinct || rows.limit != nil || !rows.groups.isEmpty || rows.groupsByPrimaryKey {
            guard function == .count else { throw RequestError.aggregateOfGroups(key: key.name) }
            rows = Relation(.subquery(SQLSubquery(.relation(rows)), name: "rows"))
        } else if associated.mayRepeat {
            rows = try rowsOnce(rows, &function)
        } else {
            for index in rows.joins.indices { rows.joins[index].excludeAll() }
        }
        let call: SQLExpression.FunctionCall =
            switch function {
            case .count, .isEmpty: .countOfRows
            case .call(let function, let argument): .init(function, argument)
            }
        rows.selection = [SQLSelection(.expression(SQLExpression(.function(call))))]
        return SQLExpression(.subquery(SQLSubquery(.relation(rows))))
    }

    /// The rows of a relation with joins, without duplicates created by the joins: a derived table of their keys and of
    /// the function's argument, which the function then reads.
    private func rowsOnce(_ relation: Relation, _ function: inout AssociatedValue.Function) throws -> Relation {
        var rows = relation
        rows.isDistinct = true
        rows.selection = try rowKey(of: relation.source).map { SQLSelection(.expression(Self.column($0))) }
        if case .call(let name, let argument) = function {
            rows.selection.append(SQLSelection(.named(argument, "argument")))
            function = .call(name, Self.column("argument"))
        }
        for index in rows.joins.indices { rows.joins[index].excludeAll() }
        return Relation(.subquery(SQLSubquery(.relation(rows)), name: "rows"))
    }

    fileprivate func derivedTable(of path: AssociationPath, _ current: CurrentRelation) throws -> DerivedAggregates {
        var inverse = try inverse(of: path, from: current.storedSource)
        // Several rows of a query may have the same key.
        if let key = current.key, case .table = current.source {
            let table: TableReference = inverse.isDirect(path) ? .current : .alias(inverse.alias)
            var origin = Relation(
                current.source, storage: current.storedSource.storage,
                selection: inverse.columns.map {
                    SQLSelection(.expression(Self.column($0.origin)))
                })
            origin.filters = [key]
            inverse.relation.filters.append(
                SQLExpression(
                    .equal(
                        Self.tuple(inverse.columns.map(\.destination), table),
                        SQLExpression(.subquery(SQLSubquery(.relation(origin)))), isNegated: false)))
        }
        return DerivedAggregates(
            path: path, inverse: inverse, rowKey: try rowKey(of: path.last.relation.source),
            isLinkedOnce: try path.last.relation.joins.isEmpty && joinsPivots(path, current.storedSource)
                && linksOnce(path, current.storedSource))
    }

    /// Whether associated rows that belong to the same row of the origin have equal keys.
    fileprivate func groupsLikeOrigin(_ path: AssociationPath, _ origin: StoredSource) throws -> Bool {
        guard let step = path.steps.first, let associated = step.relation.source.keyTable,
            let table = origin.source.keyTable,
            case .columns(let pairs) = try condition(step.condition, from: origin, to: step.relation.storedSource)
        else { return true }
        return try schema.compareAlike(pairs, origin: table, destination: associated)
    }

    /// Whether indexes lead from a row of the origin to its associated rows.
    fileprivate func isIndexed(_ path: AssociationPath, _ origin: StoredSource) throws -> Bool {
        var source = origin
        for step in path.steps {
            guard case .table(let table) = step.relation.source else { return false }
            guard case .columns(let pairs) = try condition(step.condition, from: source, to: step.relation.storedSource)
            else {
                // The user's condition: SQLite plans it best in place.
                return true
            }
            guard try schema.isIndexed(table, columns: pairs.map(\.destination)) else { return false }
            source = step.relation.storedSource
        }
        return true
    }
}

extension AssociatedValue {
    /// Whether the value contains SQL text, whose columns could become ambiguous next to those of joined pivots.
    fileprivate var containsText: Bool {
        if case .call(_, let argument) = function, argument.contains(SQLExpression.findText) { return true }
        return path.steps.contains { $0.relation.filters.contains { $0.contains(SQLExpression.findText) } }
    }
}

extension AssociatedValue.Function {
    /// Whether the aggregate over no rows is a value other than NULL.
    fileprivate var isKnownOfNoRow: Bool {
        switch self {
        case .count, .isEmpty: true
        case .call(let function, _): function == .total
        }
    }
}

extension AssociationPath {
    /// Whether the rows can be grouped by their origin.
    fileprivate var isGroupable: Bool {
        let relation = last.relation
        return !relation.isDistinct && relation.limit == nil && relation.groups.isEmpty
            && !relation.groupsByPrimaryKey && relation.havings.isEmpty
            && steps.allSatisfy { if case .table = $0.relation.source { true } else { false } }
    }
}

extension Relation {
    /// Whether the relation, as a pivot, only links rows and can be joined.
    fileprivate var isPlainPivot: Bool {
        limit == nil && !isDistinct && groups.isEmpty && !groupsByPrimaryKey && havings.isEmpty && joins.isEmpty
    }

    package mutating func unorder() {
        orderings = []
        isReversed = false
        isStablyOrdered = false
        for index in joins.indices { joins[index].step.relation.unorder() }
    }

    /// `SELECT 1`
    fileprivate mutating func selectOne() {
        selection = [SQLSelection(.literal(SQL(sql: "1")))]
        for index in joins.indices { joins[index].excludeAll() }
    }
}

extension Join {
    /// Keeps joins only as conditions: no column of the joined rows is selected.
    package mutating func excludeAll() {
        isIncluded = false
        annotation = []
        step.relation.prefetches = []
        for index in step.relation.joins.indices { step.relation.joins[index].excludeAll() }
    }
}
