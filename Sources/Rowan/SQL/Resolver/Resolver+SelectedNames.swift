// Filters and orders may use the names that the selection defines. SQL resolves a bare name, but in a query with
// several sources, columns are qualified, and a bare name may be a column of another source. The name is therefore
// replaced with the named expression. ORDER BY keeps the bare name because it resolves names as result columns first.

extension Resolver {
    /// Replaces the names of the selection, and of the joined columns of the row itself, in the clauses of a query with
    /// several sources. Columns of the query's own source take precedence.
    ///
    /// Hidden columns can't use these names in any query: they include the order of a page.
    func replaceSelectedNames(
        in select: inout Select, joins: inout [ResolvedJoin], hasDerivedTables: Bool
    ) throws {
        guard !joins.isEmpty || hasDerivedTables || !select.hiddenSelection.isEmpty else { return }
        var names = select.namedExpressions
        var aliased = joins
        for index in aliased.indices { aliased[index].addAnnotations(to: &names) }
        guard !names.isEmpty, select.uses(Set(names.keys)) else { return }
        for column in try columnNames(of: select.source, commonTables: select.commonTables) {
            names[column.foldedDatabaseName] = nil
        }
        guard !names.isEmpty, select.uses(Set(names.keys)) else { return }
        joins = aliased
        var replacement = SelectedNameReplacement(names: names)
        try select.replaceNames(&replacement)
        select.hiddenSelection = try select.hiddenSelection.map { try replacement.selection($0) }
    }

    /// The relation with clauses that don't depend on its selection: names are replaced with their expressions.
    func independentOfSelection(_ relation: Relation) throws -> Relation {
        var names = relation.namedExpressions
        guard !names.isEmpty, relation.uses(Set(names.keys)) else { return relation }
        for column in try columnNames(of: relation.source, commonTables: relation.commonTables) {
            names[column.foldedDatabaseName] = nil
        }
        guard !names.isEmpty else { return relation }
        var replacement = SelectedNameReplacement(names: names, keepsBareNames: false)
        var result = relation
        try result.replaceNames(&replacement)
        return result
    }
}

/// A query, before or after resolution.
private protocol QueryClauses {
    var selection: [SQLSelection] { get }
    var filters: [SQLExpression] { get set }
    var groups: [SQLExpression] { get set }
    var havings: [SQLExpression] { get set }
    var orderings: [SQLOrdering] { get set }
    var hiddenSelection: [SQLSelection] { get }
}

extension Relation: QueryClauses {}
extension Select: QueryClauses {}

extension QueryClauses {
    /// The expressions that the selection names, by name. If two have the same name, the first counts.
    fileprivate var namedExpressions: [String: SQLExpression] {
        selection.reduce(into: [:]) { names, selection in
            guard case .named(let expression, let name) = selection.node else { return }
            if names[name.foldedDatabaseName] == nil { names[name.foldedDatabaseName] = expression }
        }
    }

    fileprivate func uses(_ names: Set<String>) -> Bool {
        (filters + groups + havings).contains { $0.usedName(among: names) != nil }
            || orderings.contains { $0.usedName(among: names) != nil }
            || hiddenSelection.contains { $0.hiddenExpression?.usedName(among: names) != nil }
    }

    fileprivate mutating func replaceNames(_ replacement: inout SelectedNameReplacement) throws {
        filters = try filters.map { try replacement.expression($0) }
        groups = try groups.map { try replacement.expression($0) }
        havings = try havings.map { try replacement.expression($0) }
        orderings = try orderings.flatMap { try replacement.orderings($0) }
    }
}

extension ResolvedJoin {
    /// Adds the names of the columns that the join and its nested joins add to the row.
    fileprivate mutating func addAnnotations(to names: inout [String: SQLExpression]) {
        let alias = aliases.first ?? .given()
        for selection in annotation {
            let named: (String, SQLExpression)? =
                switch selection.node {
                case .named(let expression, let name): (name, expression)
                case .expression(let expression): expression.columnName.map { ($0, expression) }
                default: nil
                }
            guard let (name, expression) = named, names[name.foldedDatabaseName] == nil else { continue }
            if aliases.isEmpty { aliases = [alias] }
            names[name.foldedDatabaseName] = expression.qualified(by: alias)
        }
        guard !isIncluded else { return }
        for index in joins.indices { joins[index].addAnnotations(to: &names) }
    }
}

extension SQLExpression {
    fileprivate var columnName: String? { if case .column(let name, .current) = node { name } else { nil } }
}

extension SQLSelection {
    /// The expression of a hidden column. It has no name.
    fileprivate var hiddenExpression: SQLExpression? {
        if case .expression(let expression) = node { expression } else { nil }
    }
}

/// Replaces the columns of the query itself that name expressions of the selection.
private struct SelectedNameReplacement: ExpressionTransform {
    let names: [String: SQLExpression]
    /// Whether ORDER BY terms that are bare names are kept.
    var keepsBareNames = true

    mutating func expression(_ expression: SQLExpression) throws -> SQLExpression {
        // Not `??`, which means IFNULL for expressions.
        if let name = expression.columnName {
            if let named = names[name.foldedDatabaseName] { return named }
            return expression
        }
        return try expression.mapChildren(&self)
    }

    mutating func orderings(_ ordering: SQLOrdering) throws -> [SQLOrdering] {
        guard case .expression(let expression, let direction) = ordering.node else { return [ordering] }
        if keepsBareNames, let name = expression.columnName, names[name.foldedDatabaseName] != nil {
            return [SQLOrdering(.expression(Resolver.column(name, .none), direction))]
        }
        return [SQLOrdering(.expression(try self.expression(expression), direction))]
    }

    mutating func selection(_ selection: SQLSelection) throws -> SQLSelection {
        guard let hidden = selection.hiddenExpression else { return selection }
        return SQLSelection(.expression(try expression(hidden)))
    }

    func subquery(_ subquery: SQLSubquery) -> SQLSubquery { subquery }
    func literal(_ literal: SQL) -> SQL { literal }
    func check(_ call: SQLExpression.FunctionCall) {}
}
