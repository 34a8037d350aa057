// Joined queries as described by the user: a tree of associated relations. The resolver turns foreign keys into pairs
// of columns, and the renderer writes the tree as one FROM clause.

/// One step from a relation to another.
package struct AssociationStep: Hashable, Sendable {
    package var key: AssociationKey
    package var condition: JoinCondition
    package var relation: Relation

    package init(key: AssociationKey, condition: JoinCondition, relation: Relation) {
        self.key = key
        self.condition = condition
        self.relation = relation
    }

    @inline(never)  // As for the content of subqueries: a step contains paths, which contain steps.
    package static func == (lhs: AssociationStep, rhs: AssociationStep) -> Bool {
        lhs.key == rhs.key && lhs.condition == rhs.condition && lhs.relation == rhs.relation
    }
}

/// The path from a relation to an associated one, with or without pivots. It has at least one step. For internal use:
/// it has no public members.
public struct AssociationPath: Hashable, Sendable {
    package var steps: [AssociationStep]

    package init(_ steps: [AssociationStep]) { self.steps = steps }

    /// The step that leads to the associated rows.
    package var last: AssociationStep {
        get { steps[steps.count - 1] }
        set { steps[steps.count - 1] = newValue }
    }
}

/// The condition that links the rows of two relations.
package indirect enum JoinCondition: Hashable, Sendable {
    /// No condition: all pairs of rows.
    case always
    /// A foreign key, which is completed from the schema.
    case foreignKey(ForeignKeyLink)
    /// Equal columns.
    case columns([ColumnPair])
    /// An expression, in which the two aliases refer to the two relations.
    case expression(SQLExpression, origin: TableAliasID, destination: TableAliasID)
    /// The row is the first of the rows at the end of a path, in the order of the path's last relation.
    case first(AssociationPath)
}

/// A foreign key, as far as it is specified by the user.
package struct ForeignKeyLink: Hashable, Sendable {
    /// The side of the association that has the foreign key.
    package enum Holder: Hashable, Sendable { case origin, destination }

    package var holder: Holder
    /// The columns of the foreign key; nil for the single foreign key between the two tables.
    package var columns: [String]?
    /// The referenced columns; nil to read them from the schema.
    package var referredColumns: [String]?
    /// Whether a row is linked to at most one row, as specified by the user.
    package var isToOne: Bool

    package init(holder: Holder, columns: [String]?, referredColumns: [String]?, isToOne: Bool) {
        self.holder = holder
        self.isToOne = isToOne
        self.columns = columns
        self.referredColumns = referredColumns
    }
}

/// A relation that is joined to another.
package struct Join: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case inner = "JOIN"
        case left = "LEFT JOIN"
        case right = "RIGHT JOIN"
        case full = "FULL JOIN"
        case cross = "CROSS JOIN"
    }

    package var kind: Kind
    package var step: AssociationStep
    /// Whether the columns of the joined relation are fetched as a scope of the row.
    package var isIncluded: Bool
    /// The columns of the joined relation that are added to the main row.
    package var annotation: [SQLSelection] = []
    /// Whether the relation is joined only because an association passes through it.
    var isPivot = false
    /// Whether the relation is a separate request rather than an association: a later selection replaces its columns.
    package var isRequest = false

    package init(_ kind: Kind, _ step: AssociationStep, isIncluded: Bool) {
        self.kind = kind
        self.step = step
        self.isIncluded = isIncluded
    }

    /// The name of the scope.
    package var name: String { step.key.one }

    mutating func orderStably() {
        if isIncluded { step.relation.isStablyOrdered = true }
        step.relation.orderAssociationsStably()
    }
}

/// Associated rows fetched by a separate query.
package struct Prefetch: Hashable, Sendable {
    package var path: AssociationPath

    package init(_ path: AssociationPath) { self.path = path }

    /// The name of the prefetched rows.
    package var name: String { path.last.key.many }
}

// MARK: - Joining

extension Relation {
    /// The columns that a joined relation adds to the rows.
    package enum JoinContent { case nothing, scope, columns }

    /// Joins the relations of a path and refines the relations that are already joined with the same keys.
    package mutating func join(_ path: AssociationPath, _ kind: Join.Kind, _ content: JoinContent) {
        var join = Join(kind, path.last, isIncluded: content == .scope)
        if content == .columns {
            let selection = path.last.relation.selection
            join.annotation = selection.isEmpty ? [SQLSelection(.allColumns(table: nil))] : selection
        }
        for step in path.steps.dropLast().reversed() {
            var pivot = Join(kind, step, isIncluded: false)
            pivot.isPivot = true
            pivot.step.relation.merge(join)
            join = pivot
        }
        merge(join)
    }

    /// Adds a join or refines the join with the same key. If joins with the same key lead to different tables, both are
    /// kept, and the resolver rejects them.
    package mutating func merge(_ join: Join) {
        var join = join
        var number = 1
        while let index = joins.firstIndex(where: { $0.name == join.name && $0.isSameAssociation(as: join) }) {
            guard joins[index].needsOtherRows(than: join) else { return joins[index].refine(with: join) }
            number += 1
            let key = join.step.key.one.dropLast(number == 2 ? 0 : "\(number - 1)".count)
            join.step.key = .fixed("\(key)\(number)")
        }
        joins.append(join)
    }

    /// Refines the relation with another one on the same source.
    fileprivate mutating func refine(with other: Relation, isSelected: Bool) {
        aliases += other.aliases.filter { !aliases.contains($0) }
        for table in other.commonTables { commonTables.add(table) }
        filters += other.filters.filter { !filters.contains($0) }
        if isSelected { selection = other.selection }
        if !other.orderings.isEmpty {
            orderings = other.orderings
            isReversed = other.isReversed
        }
        isStablyOrdered = isStablyOrdered || other.isStablyOrdered
        isDistinct = isDistinct || other.isDistinct
        hasAggregates = hasAggregates || other.hasAggregates
        groupsByPrimaryKey = groupsByPrimaryKey || other.groupsByPrimaryKey
        groups += other.groups
        havings += other.havings
        limit = other.limit ?? limit
        for join in other.joins { merge(join) }
        for prefetch in other.prefetches { merge(prefetch) }
    }

    package mutating func merge(_ prefetch: Prefetch) {
        guard let index = prefetches.firstIndex(where: { $0.name == prefetch.name && $0.leadsWhere(prefetch) }) else {
            prefetches.append(prefetch)
            return
        }
        for step in prefetches[index].path.steps.indices {
            prefetches[index].path.steps[step].relation.refine(
                with: prefetch.path.steps[step].relation, isSelected: true)
        }
    }
}

extension Prefetch {
    fileprivate func leadsWhere(_ other: Prefetch) -> Bool {
        path.steps.elementsEqual(other.path.steps) {
            $0.condition == $1.condition && $0.relation.source == $1.relation.source
        }
    }
}

extension Join {
    fileprivate func isSameAssociation(as other: Join) -> Bool {
        step.condition == other.step.condition && step.relation.source == other.step.relation.source
    }

    /// Whether this join and a pivot lead to rows of the same association with different keys, so that one row of the
    /// pivot may not lead to both rows.
    fileprivate func needsOtherRows(than other: Join) -> Bool {
        guard other.isPivot, !isToOne else { return false }
        let joins = step.relation.joins
        return other.step.relation.joins.contains { join in
            if let same = joins.first(where: { $0.name == join.name }) { return same.needsOtherRows(than: join) }
            return joins.contains { $0.isSameAssociation(as: join) }
        }
    }

    private var isToOne: Bool { if case .foreignKey(let link) = step.condition { link.isToOne } else { false } }

    /// Required joins take precedence over optional ones, and included over joined. Filters accumulate. The last order
    /// and the last selection apply.
    fileprivate mutating func refine(with other: Join) {
        if other.kind == .inner { kind = .inner }
        isIncluded = isIncluded || other.isIncluded
        isPivot = isPivot && other.isPivot
        annotation += other.annotation
        step.relation.refine(with: other.step.relation, isSelected: other.isIncluded)
    }
}
