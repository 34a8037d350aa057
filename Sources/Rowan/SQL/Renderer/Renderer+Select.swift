// SELECT: the tree of joined sources becomes one FROM clause. The name of each source is unique in the query and does
// not shadow any name of an outer query that the query may refer to.

extension Renderer {
    package mutating func write(_ select: Select) {
        let outer = (aliasNames, currentName)
        defer { (aliasNames, currentName) = outer }
        guard select.hasRareParts || !aliasNames.isEmpty else {
            // A single source without an alias, the most frequent case, needs no names.
            currentName = nil
            write(select, names: [])
            return
        }
        let names = nameSources(of: select)
        // A name given by the user qualifies the columns of a single source, too.
        currentName = names.count == 1 && select.aliases.allSatisfy { $0.name == nil } ? nil : names[0]
        write(select, names: names)
    }

    /// - Parameter names: the names of the sources, by number; empty for a single source with the name of its table.
    private mutating func write(_ select: Select, names: [String]) {
        let hasRareParts = select.hasRareParts
        if hasRareParts { write(with: select.commonTables) }
        sql += select.isDistinct ? "SELECT DISTINCT " : "SELECT "
        write(list: select.selection) { $0.write($1) }
        if hasRareParts { writeOtherColumns(of: select, names) }
        sql += " FROM "
        write(select.source, as: names.first)
        if hasRareParts {
            var number = 0
            write(select.joins, &number, names)
        }
        write(clause: " WHERE ", select.filters)
        if hasRareParts { writeGroups(of: select) }
        if !select.orderings.isEmpty {
            sql += " ORDER BY "
            write(list: select.orderings) { $0.write($1) }
        }
        if hasRareParts { writeOtherOrderings(of: select, names) }
        write(select.limit)
    }

    private mutating func writeGroups(of select: Select) {
        if !select.groups.isEmpty {
            sql += " GROUP BY "
            write(list: select.groups) { $0.write($1) }
        }
        write(clause: " HAVING ", select.havings)
        if !select.windows.isEmpty {
            sql += " WINDOW "
            write(list: select.windows) { $0.write($1) }
        }
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

    /// In a compound, SQLite allows an order, a limit or common tables only inside subqueries of its members.
    private mutating func write(member query: SQLSubquery) {
        let isPlain =
            switch query.content {
            case .literal: true
            case .relation(let relation): Select(relation)?.isPlainMember ?? true
            case .select(let select): select.isPlainMember
            case .compound: false
            }
        guard !isPlain else { return write(query) }
        sql += "SELECT * FROM ("
        write(query)
        sql += ")"
    }

    // MARK: Names

    /// The names of the sources, by number. Their aliases resolve to these names from now on.
    private mutating func nameSources(of select: Select) -> [String] {
        var counts: [String: Int] = [:]
        select.forEachSource { counts[Self.wantedName($0, $1).foldedDatabaseName, default: 0] += 1 }
        // Inner queries must not shadow these names: an alias may refer to them.
        var taken = Set(aliasNames.values.map(\.foldedDatabaseName))
        var names: [String] = []
        select.forEachSource { source, aliases in
            let name = Self.name(source, aliases, counts, taken)
            taken.insert(name.foldedDatabaseName)
            for alias in aliases { aliasNames[alias] = name }
            names.append(name)
        }
        return names
    }

    /// The preferred name of a source: the user's alias, or the source's own name.
    private static func wantedName(_ source: Source, _ aliases: [TableAliasID]) -> String {
        aliases.lazy.compactMap(\.name).first ?? source.name
    }

    private static func name(
        _ source: Source, _ aliases: [TableAliasID], _ counts: [String: Int], _ taken: Set<String>
    ) -> String {
        let wanted = wantedName(source, aliases)
        let folded = wanted.foldedDatabaseName
        let isGiven = aliases.contains { $0.name != nil }
        guard !isGiven, taken.contains(folded) || counts[folded, default: 0] > 1 else { return wanted }
        var number = 1
        while true {
            let name = "\(wanted)\(number)"
            if !taken.contains(name.foldedDatabaseName), counts[name.foldedDatabaseName] == nil { return name }
            number += 1
        }
    }

    /// Writes terms whose unqualified columns belong to a source.
    private mutating func inside(_ source: Int, _ names: [String], _ write: (inout Renderer) -> Void) {
        let outer = currentName
        if outer != nil { currentName = names[source] }
        write(&self)
        currentName = outer
    }

    // MARK: Columns and order

    /// Writes the columns after those of the first source.
    private mutating func writeOtherColumns(of select: Select, _ names: [String]) {
        var isFirst = select.selection.isEmpty
        for columns in select.joinedColumns {
            inside(columns.source, names) { $0.write(columns.selection, &isFirst) }
        }
        write(select.hiddenSelection, &isFirst)
    }

    private mutating func write(_ selection: [SQLSelection], _ isFirst: inout Bool) {
        for selection in selection {
            if !isFirst { sql += ", " }
            isFirst = false
            write(selection)
        }
    }

    private mutating func writeOtherOrderings(of select: Select, _ names: [String]) {
        var isFirst = select.orderings.isEmpty
        for orderings in select.joinedOrderings {
            inside(orderings.source, names) { renderer in
                for ordering in orderings.terms {
                    renderer.sql += isFirst ? " ORDER BY " : ", "
                    isFirst = false
                    renderer.write(ordering)
                }
            }
        }
    }

    // MARK: Sources

    /// - Parameters:
    ///   - name: the name of the source in the query; nil to use the source's own name.
    ///   - isTarget: whether the rows of the source are updated or deleted: SQL then requires `AS`.
    mutating func write(_ source: Source, as name: String?, isTarget: Bool = false) {
        switch source {
        case .table(let table):
            write(table)
            guard let name, !name.isSameDatabaseName(as: table.name) else { return }
            guard isTarget else {
                sql += " "
                return write(identifier: name)
            }
        case .subquery(let subquery, _):
            sql += "("
            write(subquery)
            sql += ")"
        case .function(let call):
            write(call)
            guard let name, !name.isSameDatabaseName(as: call.name) else { return }
        case .derived(let rows, _): return write(rows, as: name, isTarget: isTarget)
        }
        sql += " AS "
        write(identifier: name ?? source.name)
    }

    /// - Parameter number: the number of the last written source.
    private mutating func write(_ joins: [Select.JoinedTable], _ number: inout Int, _ names: [String]) {
        let origin = number
        for join in joins {
            number += 1
            write(join, &number, names, origin: origin)
        }
    }

    private mutating func write(_ join: Select.JoinedTable, _ number: inout Int, _ names: [String], origin: Int) {
        let destination = number
        sql += " "
        sql += join.kind.rawValue
        sql += " "
        // Required joins of an optional source restrict that source, not the whole row.
        let isGroup = join.isGroup
        if isGroup { sql += "(" }
        write(join.source, as: names[destination])
        if isGroup { write(join.joins, &number, names) }
        if isGroup { sql += ")" }
        writeCondition(of: join, destination, names, origin: names[origin])
        if !isGroup { write(join.joins, &number, names) }
    }

    private mutating func writeCondition(
        of join: Select.JoinedTable, _ destination: Int, _ names: [String], origin: String
    ) {
        let filters = join.filters.flatMap { $0.operands(of: .and)?.all ?? [$0] }
        let isSingle = join.condition.termCount + filters.count == 1
        var separator = " ON "
        func write(_ renderer: inout Renderer, _ term: SQLExpression) {
            renderer.sql += separator
            separator = " AND "
            if isSingle { renderer.write(term) } else { renderer.write(operand: term) }
        }
        switch join.condition {
        case .always: break
        case .columns(let pairs):
            for pair in pairs {
                sql += separator
                separator = " AND "
                if !isSingle { sql += "(" }
                self.write(column: pair.destination, ofTable: names[destination])
                sql += " = "
                self.write(column: pair.origin, ofTable: origin)
                // Either operand may have the collation.
                if let collation = pair.conversion?.collation { self.write(collation: collation) }
                if !isSingle { sql += ")" }
            }
        case .expression(let expression, let originAlias, let destinationAlias):
            let outer = aliasNames
            aliasNames[originAlias] = origin
            aliasNames[destinationAlias] = names[destination]
            inside(destination, names) { renderer in
                for term in expression.operands(of: .and)?.all ?? [expression] { write(&renderer, term) }
            }
            aliasNames = outer
        }
        guard !filters.isEmpty else { return }
        inside(destination, names) { for filter in filters { write(&$0, filter) } }
    }

    private mutating func write(column: String, ofTable table: String) {
        write(identifier: table)
        sql += "."
        write(identifier: column)
    }
}

extension Select {
    /// Whether the query can be a member of a compound without a subquery.
    fileprivate var isPlainMember: Bool { !isOrdered && limit == nil && commonTables.isEmpty }
}

extension Select {
    /// Calls the closure with each source and its aliases, by number.
    fileprivate func forEachSource(_ body: (Source, [TableAliasID]) -> Void) {
        func visit(_ joins: [JoinedTable]) {
            for join in joins {
                body(join.source, join.aliases)
                visit(join.joins)
            }
        }
        body(source, aliases)
        visit(joins)
    }
}

extension ResolvedCondition {
    /// The number of terms of the condition, joined by AND.
    fileprivate var termCount: Int {
        switch self {
        case .always: 0
        case .columns(let pairs): pairs.count
        case .expression(let expression, _, _): expression.operands(of: .and)?.count ?? 1
        }
    }
}
