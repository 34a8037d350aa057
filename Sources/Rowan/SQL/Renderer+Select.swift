// SELECT: the tree of joined relations becomes one FROM clause. Each source gets a name that no other source of the
// query has, and that hides none of those that the query may refer to in the outer ones.

/// The names of the sources of a relation: its own, and those of its joins.
private struct SourceNames {
    let name: String
    let joins: [SourceNames]
}

extension Renderer {
    package mutating func write(_ relation: Relation) {
        let outer = (aliasNames, currentName)
        defer { (aliasNames, currentName) = outer }
        guard !relation.joins.isEmpty || !relation.aliases.isEmpty || !aliasNames.isEmpty else {
            // One source, which nothing else refers to: the common case needs no names.
            currentName = nil
            writeSelect(relation, SourceNames(name: relation.source.name, joins: []))
            return
        }
        let names = declareSources(of: relation)
        currentName = relation.joins.isEmpty ? nil : names.name
        writeSelect(relation, names)
    }

    private mutating func writeSelect(_ relation: Relation, _ names: SourceNames) {
        write(with: relation.commonTables)
        sql += relation.isDistinct ? "SELECT DISTINCT " : "SELECT "
        writeSelection(relation, names)
        sql += " FROM "
        write(relation.source, as: names.name)
        writeJoins(of: relation, names)
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
        writeOrderings(relation, names, &separator)
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

    private mutating func declareSources(of relation: Relation) -> SourceNames {
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
    ) -> SourceNames {
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
        var joins: [SourceNames] = []
        for join in relation.joins { joins.append(self.name(join.step.relation, counts, &taken)) }
        return SourceNames(name: name, joins: joins)
    }

    // MARK: Selection

    private mutating func writeSelection(_ relation: Relation, _ names: SourceNames) {
        var separator = ""
        writeColumns(of: relation, names, &separator)
        writeScopes(of: relation, names, &separator)
        for selection in relation.hiddenSelection {
            sql += separator
            separator = ", "
            write(selection)
        }
    }

    /// The columns of a row: those that are selected, and those that joins annotate it with.
    private mutating func writeColumns(of relation: Relation, _ names: SourceNames, _ separator: inout String) {
        write(relation.selection, of: names, &separator)
        writeAnnotations(of: relation, names, &separator)
    }

    private mutating func writeAnnotations(of relation: Relation, _ names: SourceNames, _ separator: inout String) {
        for (join, names) in zip(relation.joins, names.joins) {
            if !join.annotation.isEmpty { write(join.annotation, of: names, &separator) }
            if !join.isIncluded { writeAnnotations(of: join.step.relation, names, &separator) }
        }
    }

    private mutating func writeScopes(of relation: Relation, _ names: SourceNames, _ separator: inout String) {
        for (join, names) in zip(relation.joins, names.joins) {
            if join.isIncluded { writeColumns(of: join.step.relation, names, &separator) }
            writeScopes(of: join.step.relation, names, &separator)
        }
    }

    private mutating func write(
        _ selection: [Clause<SQLSelection>], of names: SourceNames, _ separator: inout String
    ) {
        inside(names) { renderer in
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
    private mutating func inside(_ names: SourceNames, _ write: (inout Renderer) -> Void) {
        let outer = currentName
        if outer != nil { currentName = names.name }
        write(&self)
        currentName = outer
    }

    private mutating func writeOrderings(
        _ relation: Relation, _ names: SourceNames, _ separator: inout String, isInReverse: Bool = false
    ) {
        let isReversed = relation.isReversed != isInReverse
        inside(names) { renderer in
            for clause in relation.orderings {
                guard let ordering = clause.term else { continue }
                renderer.sql += separator
                separator = ", "
                renderer.write(isReversed ? ordering.reversed : ordering)
            }
        }
        for (join, names) in zip(relation.joins, names.joins) {
            writeOrderings(join.step.relation, names, &separator, isInReverse: isReversed)
        }
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

    private mutating func writeJoins(of relation: Relation, _ names: SourceNames) {
        for (join, joined) in zip(relation.joins, names.joins) { write(join, joined, of: names) }
    }

    private mutating func write(_ join: Join, _ names: SourceNames, of origin: SourceNames) {
        let relation = join.step.relation
        sql += " "
        sql += join.kind.rawValue
        sql += " "
        // What an optional relation requires is required of it, not of the whole row.
        let isNested = join.isGroup
        if isNested { sql += "(" }
        write(relation.source, as: names.name)
        if isNested { writeJoins(of: relation, names) }
        if isNested { sql += ")" }
        writeCondition(of: join, names, origin)
        if !isNested { writeJoins(of: relation, names) }
    }

    private mutating func writeCondition(of join: Join, _ names: SourceNames, _ origin: SourceNames) {
        var separator = " ON "
        switch join.step.condition {
        case .always: break
        case .columns(let pairs):
            for pair in pairs {
                sql += separator
                separator = " AND "
                write(column: pair.destination, ofTable: names.name)
                sql += " = "
                write(column: pair.origin, ofTable: origin.name)
            }
        case .expression(let expression, let originAlias, let destinationAlias):
            let outer = aliasNames
            aliasNames[originAlias] = origin.name
            aliasNames[destinationAlias] = names.name
            sql += separator
            separator = " AND "
            inside(names) { $0.write(operand: expression) }
            aliasNames = outer
        case .foreignKey, .first:
            preconditionFailure("the resolver replaces this condition before it is rendered")
        }
        let filters = join.step.relation.filters.compactMap(\.term)
        guard !filters.isEmpty else { return }
        sql += separator
        inside(names) { renderer in renderer.write(list: filters, separator: " AND ") { $0.write(operand: $1) } }
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
