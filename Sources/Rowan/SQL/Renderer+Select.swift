// SELECT: the tree of joined relations becomes one FROM clause. Each source gets a name that no other source of the
// query has, and that hides none of those that the query may refer to in the outer ones.

/// A relation of a query, with the name of its source and those of its joins.
private struct NamedRelation {
    let relation: Relation
    let name: String
    let joins: [NamedRelation]
}

extension Renderer {
    package mutating func write(_ relation: Relation) {
        let outer = (aliasNames, currentName)
        defer { (aliasNames, currentName) = outer }
        guard !relation.joins.isEmpty || !relation.aliases.isEmpty || !aliasNames.isEmpty else {
            // One source, which nothing else refers to: the common case needs no names.
            currentName = nil
            writeSelect(NamedRelation(relation: relation, name: relation.source.name, joins: []))
            return
        }
        let named = declareSources(of: relation)
        currentName = relation.joins.isEmpty ? nil : named.name
        writeSelect(named)
    }

    private mutating func writeSelect(_ root: NamedRelation) {
        let relation = root.relation
        write(with: relation.commonTables)
        sql += relation.isDistinct ? "SELECT DISTINCT " : "SELECT "
        writeSelection(root)
        sql += " FROM "
        write(relation.source, as: root.name)
        for (join, joined) in zip(relation.joins, root.joins) { write(join, joined, of: root) }
        write(clause: " WHERE ", relation.filters)
        if !relation.groups.isEmpty {
            sql += " GROUP BY "
            write(list: relation.groups.lazy.compactMap(\.term)) { $0.write($1) }
        }
        write(clause: " HAVING ", relation.havings)
        if !relation.windows.isEmpty {
            sql += " WINDOW "
            write(list: relation.windows) { $0.write($1) }
        }
        var separator = " ORDER BY "
        writeOrderings(root, &separator)
        write(relation.limit)
    }

    package mutating func write(_ compound: CompoundQuery) {
        write(member: compound.first)
        for member in compound.others {
            sql += " "
            sql += member.op.rawValue
            sql += " "
            write(member: member.query)
        }
        if !compound.orderings.isEmpty {
            let outer = currentName
            defer { currentName = outer }
            currentName = nil
            sql += " ORDER BY "
            write(list: compound.orderings) { $0.write($1) }
        }
        write(compound.limit)
    }

    /// SQLite has no order, limit or common tables inside of the members of a compound, but in subqueries.
    private mutating func write(member query: SQLSubquery) {
        let isPlain =
            switch query.content {
            case .literal: true
            case .relation(let relation):
                !relation.isOrdered && relation.limit == nil && relation.commonTables.isEmpty
            case .compound: false
            }
        guard !isPlain else { return write(query) }
        sql += "SELECT * FROM ("
        write(query)
        sql += ")"
    }

    // MARK: Names

    private mutating func declareSources(of relation: Relation) -> NamedRelation {
        var counts: [String: Int] = [:]
        count(relation, in: &counts)
        // Names that inner queries must not hide, because an alias may refer to them.
        var taken = Set(aliasNames.values.map(\.foldedDatabaseName))
        return name(relation, counts, &taken)
    }

    private func count(_ relation: Relation, in counts: inout [String: Int]) {
        counts[relation.wantedName.foldedDatabaseName, default: 0] += 1
        for join in relation.joins { count(join.step.relation, in: &counts) }
    }

    private mutating func name(
        _ relation: Relation, _ counts: [String: Int], _ taken: inout Set<String>
    ) -> NamedRelation {
        let wanted = relation.wantedName
        var name = wanted
        let isGiven = relation.aliases.contains { $0.name != nil }
        if !isGiven, taken.contains(wanted.foldedDatabaseName) || counts[wanted.foldedDatabaseName, default: 0] > 1 {
            var number = 1
            repeat {
                name = "\(wanted)\(number)"
                number += 1
            } while taken.contains(name.foldedDatabaseName) || counts[name.foldedDatabaseName] != nil
        }
        taken.insert(name.foldedDatabaseName)
        for alias in relation.aliases { aliasNames[alias] = name }
        var joins: [NamedRelation] = []
        for join in relation.joins { joins.append(self.name(join.step.relation, counts, &taken)) }
        return NamedRelation(relation: relation, name: name, joins: joins)
    }

    // MARK: Selection

    private mutating func writeSelection(_ root: NamedRelation) {
        var separator = ""
        writeColumns(root, &separator)
        writeScopes(root, &separator)
        for selection in root.relation.hiddenSelection {
            sql += separator
            separator = ", "
            write(selection)
        }
    }

    /// The columns of a row: those that are selected, and those that joins annotate it with.
    private mutating func writeColumns(_ named: NamedRelation, _ separator: inout String) {
        write(named.relation.selection, of: named, &separator)
        writeAnnotations(named, &separator)
    }

    private mutating func writeAnnotations(_ named: NamedRelation, _ separator: inout String) {
        for (join, joined) in zip(named.relation.joins, named.joins) {
            if !join.annotation.isEmpty { write(join.annotation, of: joined, &separator) }
            if !join.isIncluded { writeAnnotations(joined, &separator) }
        }
    }

    private mutating func writeScopes(_ named: NamedRelation, _ separator: inout String) {
        for (join, joined) in zip(named.relation.joins, named.joins) {
            if join.isIncluded { writeColumns(joined, &separator) }
            writeScopes(joined, &separator)
        }
    }

    private mutating func write(
        _ selection: [Clause<SQLSelection>], of named: NamedRelation, _ separator: inout String
    ) {
        inside(named) { renderer in
            if selection.isEmpty {
                renderer.sql += separator
                separator = ", "
                renderer.write(SQLSelection(.allColumns(table: nil)))
            }
            for clause in selection {
                guard let term = clause.term else { continue }
                renderer.sql += separator
                separator = ", "
                renderer.write(term)
            }
        }
    }

    /// Writes terms whose unqualified columns are those of a source.
    private mutating func inside(_ named: NamedRelation, _ write: (inout Renderer) -> Void) {
        let outer = currentName
        if outer != nil { currentName = named.name }
        write(&self)
        currentName = outer
    }

    private mutating func writeOrderings(_ named: NamedRelation, _ separator: inout String) {
        let isReversed = named.relation.isReversed
        if !named.relation.orderings.isEmpty {
            inside(named) { renderer in
                for case .term(let ordering) in named.relation.orderings {
                    renderer.sql += separator
                    separator = ", "
                    renderer.write(isReversed ? ordering.reversed : ordering)
                }
            }
        }
        for joined in named.joins { writeOrderings(joined, &separator) }
    }

    // MARK: Sources

    mutating func write(_ source: Source, as name: String) {
        switch source {
        case .table(let table):
            write(table)
            guard !name.isSameDatabaseName(as: table.name) else { return }
        case .subquery(let subquery, _):
            sql += "("
            write(subquery)
            sql += ")"
        case .function(let call):
            write(call)
            guard !name.isSameDatabaseName(as: call.name) else { return }
        }
        sql += " AS "
        write(identifier: name)
    }

    private mutating func write(_ join: Join, _ joined: NamedRelation, of origin: NamedRelation) {
        sql += " "
        sql += join.kind.rawValue
        sql += " "
        // What an optional relation requires is required of it, not of the whole row.
        let isNested = join.isGroup
        if isNested { sql += "(" }
        write(joined.relation.source, as: joined.name)
        if isNested { writeJoins(of: joined) }
        if isNested { sql += ")" }
        writeCondition(of: join, joined, origin)
        if !isNested { writeJoins(of: joined) }
    }

    private mutating func writeJoins(of named: NamedRelation) {
        for (join, joined) in zip(named.relation.joins, named.joins) { write(join, joined, of: named) }
    }

    private mutating func writeCondition(of join: Join, _ joined: NamedRelation, _ origin: NamedRelation) {
        var separator = " ON "
        switch join.step.condition {
        case .always: break
        case .columns(let pairs):
            for pair in pairs {
                sql += separator
                separator = " AND "
                write(column: pair.destination, ofTable: joined.name)
                sql += " = "
                write(column: pair.origin, ofTable: origin.name)
            }
        case .expression(let expression, let originAlias, let destinationAlias):
            let names = aliasNames
            aliasNames[originAlias] = origin.name
            aliasNames[destinationAlias] = joined.name
            sql += separator
            separator = " AND "
            inside(joined) { $0.write(operand: expression) }
            aliasNames = names
        case .foreignKey, .first:
            preconditionFailure("the resolver replaces this condition before it is rendered")
        }
        let filters = joined.relation.filters.compactMap(\.term)
        guard !filters.isEmpty else { return }
        sql += separator
        inside(joined) { renderer in renderer.write(list: filters, separator: " AND ") { $0.write(operand: $1) } }
    }

    private mutating func write(column: String, ofTable table: String) {
        write(identifier: table)
        sql += "."
        write(identifier: column)
    }
}

extension Relation {
    /// The name of the source: the user's, or that of the source itself.
    fileprivate var wantedName: String { aliases.lazy.compactMap(\.name).first ?? source.name }

    /// Whether the query of the relation has an order, its own or that of a joined relation.
    fileprivate var isOrdered: Bool { !orderings.isEmpty || joins.contains(where: \.step.relation.isOrdered) }

    /// Whether a row of the relation needs a row of another.
    var requiresJoins: Bool {
        joins.contains { $0.kind == .inner || $0.step.relation.requiresJoins }
    }
}
