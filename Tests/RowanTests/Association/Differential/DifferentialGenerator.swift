// Random descriptions of requests.

import Rowan

extension Differential {
    struct Generator {
        var random: SeededGenerator
        let links: [Link]
        private(set) var slotCount = 0
        /// The slots whose table has an alias, with the alias's name, if any.
        private(set) var aliasNames: [Int: String?] = [:]
        private var remainingJoins = 0
        private var remainingRowsMultipliers = 0
        private var remainingPrefetches = 0
        var remainingAggregates = 0
        var remainingSubqueries = 0
        private var aliasesAll = false
        private var contents: [Join.Content] = []
        private var keyCount = 0

        init(random: SeededGenerator, links: [Link]) {
            self.random = random
            self.links = links
        }

        mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }
        private mutating func newKey(_ prefix: String) -> String {
            keyCount += 1
            return "\(prefix)\(keyCount)"
        }

        mutating func newSlot(isAliased: Bool) -> Int {
            slotCount += 1
            if isAliased { aliasNames[slotCount - 1] = .some(chance(40) ? "x\(slotCount)" : nil) }
            return slotCount - 1
        }

        mutating func request() -> Request {
            slotCount = 0
            keyCount = 0
            aliasNames = [:]
            remainingAggregates = pick([0, 0, 1, 2, 4])
            remainingSubqueries = pick([0, 0, 0, 1])
            remainingJoins = pick([0, 1, 2, 3, 4])
            remainingRowsMultipliers = 2
            remainingPrefetches = pick([0, 0, 1, 3])
            let isGrouped = chance(12)
            let isDistinct = !isGrouped && chance(10)
            let isTotallyOrdered = !isGrouped && !isDistinct && chance(50)
            aliasesAll = isTotallyOrdered
            var relation = emptyRelation(Int.random(in: 0..<tables.count, using: &random), isAliased: chance(40))
            let isFlat = isGrouped || isDistinct
            contents =
                isGrouped ? [.nothing] : isDistinct ? [.nothing, .columns] : [.nothing, .scope, .scope, .columns]
            addJoins(to: &relation, depth: 3)
            if repeatsRows(relation) { remainingAggregates = 0 }
            let scope = Scope(table: relation.table, aliased: aliased(relation))
            addFilters(to: &relation, scope)
            if !isGrouped { addSelection(to: &relation, scope, percent: isDistinct ? 90 : 25) }
            if !isGrouped { addAnnotations(to: &relation, scope, percent: 40) }
            if !isFlat { addPrefetches(to: &relation, depth: 2) }
            var request = Request(relation: relation, slotCount: 0)
            request.isDistinct = isDistinct
            if isGrouped { request.grouping = grouping(scope) }
            if !isFlat, chance(15) { request.windows = (0..<pick([1, 1, 2])).map { windowed(scope, number: $0) } }
            if isTotallyOrdered {
                request.isTotallyOrdered = true
                request.relation.orderings = totalOrderings(relation, scope)
                request.relation.isReversed = chance(30)
                if chance(50) {
                    request.limit = (
                        Int.random(in: 0...6, using: &random), chance(50) ? Int.random(in: 0...4, using: &random) : nil
                    )
                }
            }
            request.slotCount = slotCount
            return request
        }

        /// Discards the state of the last request.
        mutating func start(joins: Int, aggregates: Int) {
            slotCount = 0
            keyCount = 0
            aliasNames = [:]
            remainingJoins = joins
            remainingRowsMultipliers = 2
            remainingPrefetches = 0
            remainingAggregates = aggregates
            remainingSubqueries = 1
            aliasesAll = false
        }

        /// A relation joined only for its filters.
        mutating func plainRelation() -> Relation {
            contents = [.nothing]
            var relation = emptyRelation(Int.random(in: 0..<tables.count, using: &random), isAliased: chance(30))
            addJoins(to: &relation, depth: 2)
            if repeatsRows(relation) { remainingAggregates = 0 }
            addFilters(to: &relation, Scope(table: relation.table, aliased: aliased(relation)))
            return relation
        }

        private mutating func emptyRelation(_ table: Int, isAliased: Bool) -> Relation {
            let isAliased = isAliased || aliasesAll
            return Relation(table: table, slot: newSlot(isAliased: isAliased), isAliased: isAliased)
        }

        /// The aliased tables of a relation and of its joins.
        private func aliased(_ relation: Relation) -> [(slot: Int, table: Int)] {
            (relation.isAliased ? [(relation.slot, relation.table)] : [])
                + relation.joins.flatMap { aliased($0.rows.relation) }
        }

        private mutating func addFilters(to relation: inout Relation, _ scope: Scope) {
            for _ in 0..<pick([0, 0, 1, 1, 2]) { relation.filters.append(condition(scope, depth: 2)) }
            if remainingAggregates > 0, chance(40), let predicate = aggregateCondition(relation.table, depth: 1) {
                relation.conditions.append(predicate)
            }
        }

        private mutating func addSelection(to relation: inout Relation, _ scope: Scope, percent: Int) {
            guard chance(percent) else { return }
            for _ in 0..<pick([1, 2, 3]) {
                let isText = chance(30)
                let name = newKey("s")
                relation.selection.append(Named(name: name, expression: isText ? text(scope) : number(scope, depth: 1)))
            }
        }

        private mutating func addAnnotations(to relation: inout Relation, _ scope: Scope, percent: Int) {
            while chance(percent) {
                let name = newKey("a")
                if remainingAggregates > 0, let aggregate = aggregate(relation.table) {
                    let other = chance(30) ? number(scope, depth: 0) : nil
                    let expression = other.map { Expression.arithmetic(.plus, .ifNull(aggregate, .value(.int(0))), $0) }
                    relation.annotations.append(Named(name: name, expression: expression ?? aggregate))
                } else {
                    relation.annotations.append(Named(name: name, expression: number(scope, depth: 2)))
                }
            }
        }

        // MARK: Joins

        private mutating func addJoins(to relation: inout Relation, depth: Int) {
            var names: Set<String> = []
            while depth > 0, remainingJoins > 0, chance(70) {
                remainingJoins -= 1
                let candidates = links.filter { $0.origin == relation.table }
                guard !candidates.isEmpty else { return }
                let link = pick(candidates)
                if link.isToMany {
                    guard remainingRowsMultipliers > 0 else { continue }
                    remainingRowsMultipliers -= 1
                }
                let key = chance(60) ? newKey("j") : nil
                let name = link.steps.count > 1 ? link.names[0].one : key ?? link.names[0].one
                guard names.insert(name).inserted else { continue }
                let content = pick(contents)
                var rows = AssociatedRows(link: link, relation: emptyRelation(link.table, isAliased: chance(40)))
                if link.steps.count > 1, chance(25) { rows.pivotFilter = pivotCondition(link) }
                let scope = Scope(table: link.table, aliased: [])
                addFilters(to: &rows.relation, scope)
                if content == .columns || chance(30) { addSelection(to: &rows.relation, scope, percent: 70) }
                if content == .scope { addAnnotations(to: &rows.relation, scope, percent: 20) }
                addJoins(to: &rows.relation, depth: depth - 1)
                if content == .scope { addPrefetches(to: &rows.relation, depth: 1) }
                relation.joins.append(
                    Join(isRequired: chance(50), content: content, key: key, rows: rows, isSplit: chance(15)))
            }
        }

        /// Whether rows are repeated. With aggregates, each row occurs once, combined with any of its joined rows
        /// (tested in RepeatedRowsTests).
        private func repeatsRows(_ relation: Relation) -> Bool {
            relation.joins.contains { $0.rows.link.isToMany || repeatsRows($0.rows.relation) }
        }

        private mutating func pivotCondition(_ link: Link) -> Expression {
            condition(Scope(table: link.steps[link.steps.count - 2].table, aliased: []), depth: 1)
        }

        private mutating func addPrefetches(to relation: inout Relation, depth: Int) {
            while depth > 0, remainingPrefetches > 0, chance(60) {
                remainingPrefetches -= 1
                let candidates = links.filter { $0.origin == relation.table && $0.isToMany }
                guard !candidates.isEmpty else { return }
                let link = pick(candidates)
                var rows = AssociatedRows(link: link, relation: emptyRelation(link.table, isAliased: false))
                if link.steps.count > 1, chance(25) { rows.pivotFilter = pivotCondition(link) }
                addJoins(to: &rows.relation, depth: 1)
                if repeatsRows(rows.relation) { remainingAggregates = 0 }
                let origin = relation.isAliased && chance(30) ? [(slot: relation.slot, table: relation.table)] : []
                let scope = Scope(table: link.table, aliased: aliased(rows.relation) + origin)
                addFilters(to: &rows.relation, scope)
                addSelection(to: &rows.relation, Scope(table: link.table, aliased: []), percent: 20)
                addAnnotations(to: &rows.relation, Scope(table: link.table, aliased: []), percent: 20)
                addPrefetches(to: &rows.relation, depth: depth - 1)
                if rows.relation.joins.isEmpty, chance(50) {
                    rows.relation.orderings = totalOrderings(rows.relation, Scope(table: link.table, aliased: []))
                    rows.relation.isReversed = chance(30)
                }
                relation.prefetches.append(Prefetch(key: newKey("p"), rows: rows))
            }
        }

        // MARK: Orders and groups

        private mutating func totalOrderings(_ relation: Relation, _ scope: Scope) -> [Ordering] {
            var orderings: [Ordering] = []
            for _ in 0..<pick([0, 1, 2]) {
                let expression = chance(30) ? text(scope) : number(scope, depth: 1)
                // A constant would be taken for a column number.
                if case .value = expression { continue }
                orderings.append(Ordering(expression: expression, direction: pick(Ordering.Direction.allCases)))
            }
            let keys =
                [(slot: Int?.none, table: relation.table)]
                + scope.aliased.filter { $0.slot != relation.slot }.map { (slot: Int?($0.slot), table: $0.table) }
            for (slot, table) in keys {
                for column in tables[table].key {
                    let expression = Expression.column(slot: slot, table: table, column)
                    orderings.append(
                        Ordering(expression: expression, direction: pick([.none, .ascending, .descending])))
                }
            }
            return orderings
        }

        private mutating func grouping(_ scope: Scope) -> Grouping {
            var grouping = Grouping(keys: [], values: [])
            for _ in 0..<pick([0, 1, 1, 2]) {
                grouping.keys.append(column(scope, isText: chance(50)) ?? number(scope, depth: 0))
            }
            grouping.keys.removeAll { if case .column = $0 { false } else { true } }
            for _ in 0..<pick([1, 2, 3]) {
                let function = pick(GroupValue.Function.allCases)
                let isText = [.min, .max, .countDistinct].contains(function) && chance(40)
                let expression = isText ? text(scope) : number(scope, depth: 1, dividing: false)
                grouping.values.append(GroupValue(name: newKey("v"), function: function, expression: expression))
            }
            let numeric = grouping.values.firstIndex { [.countAll, .count, .sum, .total].contains($0.function) }
            if !grouping.keys.isEmpty, let numeric, chance(40) {
                let value = Value.int(Int64.random(in: 0...3, using: &random))
                grouping.having = (numeric, pick([.greater, .less, .equal]), value)
            }
            return grouping
        }
    }
}
