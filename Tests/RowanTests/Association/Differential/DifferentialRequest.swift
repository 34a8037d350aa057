// Descriptions of requests, and the requests that the public API builds from them.

import Rowan

extension Differential {
    /// A table, with everything that a request or an association specifies for it.
    struct Relation {
        var table: Int
        /// The slot of its row during evaluation.
        var slot: Int
        var isAliased = false
        var filters: [Expression] = []
        /// Conditions on aggregates, passed to `having`.
        var conditions: [Expression] = []
        var joins: [Join] = []
        var prefetches: [Prefetch] = []
        /// The named selection, empty for all columns.
        var selection: [Named] = []
        var annotations: [Named] = []
        var orderings: [Ordering] = []
        var isReversed = false
    }

    struct Named {
        var name: String
        var expression: Expression
    }

    struct Ordering {
        var expression: Expression
        var direction: Direction
        enum Direction: CaseIterable { case none, ascending, descending, nullsLast, nullsFirst }
    }

    struct Join {
        enum Content { case nothing, scope, columns }
        var isRequired: Bool
        var content: Content
        /// The key passed to `forKey`; nil for the association's own key.
        var key: String?
        var rows: AssociatedRows
        /// Whether the request includes it twice: first only with the filters, then with everything else.
        var isSplit: Bool

        /// The names of the scopes from the pivots to the associated row.
        var names: [String] {
            rows.link.names.dropLast().map(\.one) + [key ?? rows.link.names.last!.one]
        }
    }

    struct Prefetch {
        var key: String
        var rows: AssociatedRows
    }

    struct Request {
        var relation: Relation
        var isDistinct = false
        /// The groups; nil for a request without groups and aggregates.
        var grouping: Grouping?
        var windows: [Windowed] = []
        /// Whether the orderings determine the order of all rows.
        var isTotallyOrdered = false
        var limit: (count: Int, offset: Int?)?
        var slotCount: Int
    }

    struct Grouping {
        var keys: [Expression]
        var values: [GroupValue]
        /// A condition on one of the values.
        var having: (value: Int, Comparison, Value)?
    }

    struct GroupValue {
        enum Function: CaseIterable { case countAll, count, countDistinct, sum, min, max, average, total }
        var name: String
        var function: Function
        var expression: Expression
    }
}

// MARK: - Building

extension Differential.Builder {
    typealias Relation = Differential.Relation

    func request(_ relation: Relation) -> QueryInterfaceRequest<Row> {
        applied(relation, to: Table<Row>(Differential.tables[relation.table].name).all())
    }

    func request(_ request: Differential.Request) -> QueryInterfaceRequest<Row> {
        var result = self.request(request.relation)
        if let grouping = request.grouping {
            let values = grouping.values.map { sql($0) }
            let names = grouping.keys.indices.map { "g\($0)" } + grouping.values.map(\.name)
            result = result.select(zip(names, grouping.keys.map(sql) + values).map { $1.forKey($0) })
            if !grouping.keys.isEmpty { result = result.group(grouping.keys.map(sql)) }
            if let (index, comparison, value) = grouping.having {
                let value = value.databaseValue
                switch comparison {
                case .greater: result = result.having(values[index] > value)
                case .less: result = result.having(values[index] < value)
                default: result = result.having(values[index] == value)
                }
            }
        }
        result = adding(request.windows, to: result)
        if request.isDistinct { result = result.distinct() }
        if let limit = request.limit { result = result.limit(limit.count, offset: limit.offset) }
        return result
    }

    private func sql(_ value: Differential.GroupValue) -> SQLExpression {
        let expression = sql(value.expression)
        return switch value.function {
        case .countAll: count(AllColumns())
        case .count: count(expression)
        case .countDistinct: count(distinct: expression)
        case .sum: sum(expression)
        case .min: min(expression)
        case .max: max(expression)
        case .average: average(expression)
        case .total: total(expression)
        }
    }

    private func applied<R: DerivableRequest>(_ relation: Relation, to request: R) -> R where R.RowDecoder == Row {
        var result = request
        if relation.isAliased, let alias = aliases[relation.slot] { result = result.aliased(alias) }
        if !relation.selection.isEmpty { result = result.select(relation.selection.map(selection)) }
        for filter in relation.filters { result = result.filter(sql(filter)) }
        for condition in relation.conditions {
            if let predicate = predicate(condition) { result = result.having(predicate) }
        }
        for annotation in relation.annotations {
            if let aggregate = predicate(annotation.expression) {
                result = result.annotated(with: aggregate.forKey(annotation.name))
            } else {
                result = result.annotated(with: selection(annotation))
            }
        }
        for join in relation.joins { result = joined(join, to: result) }
        for prefetch in relation.prefetches {
            let association = association(prefetch.rows, key: prefetch.key)
            if let association = association as? HasManyAssociation<Row, Row> {
                result = result.including(all: association)
            } else {
                result = result.including(all: association as! HasManyThroughAssociation<Row, Row>)
            }
        }
        if !relation.orderings.isEmpty { result = result.order(relation.orderings.map(ordering)) }
        if relation.isReversed { result = result.reversed() }
        return result
    }

    private func selection(_ named: Differential.Named) -> any SQLSelectable {
        sql(named.expression).forKey(named.name)
    }

    func ordering(_ ordering: Differential.Ordering) -> any SQLOrderingTerm {
        let expression = sql(ordering.expression)
        switch ordering.direction {
        case .none: return expression
        case .ascending: return expression.asc
        case .descending: return expression.desc
        case .nullsLast: return expression.ascNullsLast
        case .nullsFirst: return expression.descNullsFirst
        }
    }

    private func joined<R: DerivableRequest>(_ join: Differential.Join, to request: R) -> R where R.RowDecoder == Row {
        guard join.isSplit else {
            return add(association(join.rows, key: join.key), join.content, join.isRequired, to: request)
        }
        var (filtering, including) = (join.rows, join.rows)
        filtering.relation = Relation(
            table: join.rows.relation.table, slot: join.rows.relation.slot, isAliased: join.rows.relation.isAliased)
        filtering.relation.filters = join.rows.relation.filters
        including.relation.filters = []
        including.pivotFilter = nil
        let first = add(association(filtering, key: join.key), .nothing, false, to: request)
        return add(association(including, key: join.key), join.content, join.isRequired, to: first)
    }

    private func add<R: DerivableRequest>(
        _ association: any Association<Row, Row>, _ content: Differential.Join.Content, _ isRequired: Bool,
        to request: R
    ) -> R where R.RowDecoder == Row {
        func opened<A: Association>(_ association: A) -> R where A.OriginRowDecoder == Row, A.RowDecoder == Row {
            switch (content, isRequired) {
            case (.nothing, true): request.joining(required: association)
            case (.nothing, false): request.joining(optional: association)
            case (.scope, true): request.including(required: association)
            case (.scope, false): request.including(optional: association)
            case (.columns, true): request.annotated(withRequired: association)
            case (.columns, false): request.annotated(withOptional: association)
            }
        }
        return opened(association)
    }

    func association(_ rows: Differential.AssociatedRows, key: String? = nil) -> any Association<Row, Row> {
        func opened<A: Association>(_ association: A) -> any Association<Row, Row>
        where A.OriginRowDecoder == Row, A.RowDecoder == Row {
            let association = applied(rows.relation, to: association)
            return key.map(association.forKey) ?? association
        }
        return opened(rows.link.make(rows.pivotFilter.map(sql)))
    }
}
