// The scopes of a connection. A scope is known by the SQL of its requests, without their values: the scopes of all
// tenants share their statements.

import RowanSQLText

/// A scope on a connection, with everything that was compiled for it.
final class ScopeState {
    let restriction: ScopeRestriction
    /// The epoch of the schema that the scope is valid for.
    let epoch: Int
    private var caches = ConnectionState()
    private var schemaCache = SchemaCache()

    init(_ restriction: ScopeRestriction, epoch: Int) { (self.restriction, self.epoch) = (restriction, epoch) }

    /// Exchanges what the connection has compiled and knows of the schema.
    func exchangeCaches(with db: Database) {
        db.state.exchangeStatements(with: &caches, except: ScopeStates.place)
        swap(&schemaCache, &db.schemaCache)
    }
}

/// The scopes that a connection has used.
final class ScopeStates: ConnectionStateValue {
    static var place: ConnectionState.Place { .init(6, .statements) }

    private var states: [String: ScopeState] = [:]
    /// The keys, the one used last at the end.
    private var order: [String] = []
    private static let capacity = 16

    subscript(key: String) -> ScopeState? {
        get { states[key] }
        set {
            order.removeAll { $0 == key }
            if order.count == Self.capacity { states[order.removeFirst()] = nil }
            order.append(key)
            states[key] = newValue
        }
    }
}

extension Database {
    /// The scope on this connection, and the values of its conditions.
    func scopeState(of scope: DatabaseScope) throws -> (state: ScopeState, values: [DatabaseValue]) {
        try connection.refuseInScope("begin another one")
        try connection.refuseScopesRemotely()
        // Once per access.
        try validateCache()
        var (queries, values): ([String], [DatabaseValue]) = ([], [])
        var counts: [Int] = []
        for relation in scope.readings {
            var renderer = Renderer()
            renderer.write(try Resolver(self).select(relation))
            let arguments = try renderer.statementArguments()
            guard arguments.namedValues.isEmpty else { throw relation.refusal("has named arguments: use ?") }
            queries.append(renderer.text)
            counts.append(values.count)
            values += arguments.values
        }
        let states = state.value(orMake: ScopeStates())
        let key = queries.joined(separator: "\u{0}")
        if let known = states[key], known.epoch == connection.schemaEpoch { return (known, values) }
        try connection.addScopeFunction()
        let tables = try scope.readings.indices.map {
            try scopeTable(scope.readings[$0], queries[$0], firstValue: counts[$0])
        }
        let names = Set(tables.map(\.table.name.foldedDatabaseName))
        guard names.count == tables.count else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a scope has two requests of the same table")
        }
        let restriction = ScopeRestriction(
            tables: tables.map(\.table), views: Set(try views().map(\.name.foldedDatabaseName)),
            usedNames: tables.reduce(into: []) { $0.formUnion($1.usedNames) },
            schemas: Set(try connection.schemaNames().map(\.foldedDatabaseName) + ["main", "temp"]))
        let state = ScopeState(restriction, epoch: connection.schemaEpoch)
        states[key] = state
        return (state, values)
    }

    /// A table of a scope.
    ///
    /// - Parameters:
    ///   - query: the SQL of the request.
    ///   - firstValue: the position of its first argument in those of the scope.
    private func scopeTable(
        _ relation: Relation, _ query: String, firstValue: Int
    ) throws -> (table: ScopeRestriction.Table, usedNames: Set<String>) {
        guard case .table(let name) = relation.source, name.schema?.isSameDatabaseName(as: "main") ?? true else {
            throw relation.refusal("is not a request of a table of the main database")
        }
        let table = try existingTable(name.name, in: "main")
        guard try storesRows(table.name, in: "main") else {
            throw relation.refusal("is not a table that stores its rows itself")
        }
        let (text, usedNames) = try scopedQuery(relation, query, firstValue: firstValue)
        let all = try columnInfo(of: table.name, in: "main")
        let selected = try connection.prepare(text).columnNames
        let expected = try relation.selectedColumns() ?? all.map(\.name)
        guard
            selected.map(\.foldedDatabaseName) == expected.map(\.foldedDatabaseName),
            Set(selected.map(\.foldedDatabaseName)).isSubset(of: all.map(\.name.foldedDatabaseName))
        else { throw relation.refusal("selects \(selected.joined(separator: ", ")): select only columns of the table") }
        return (
            ScopeRestriction.Table(
                name: table.name, query: text, columns: Set(selected.map(\.foldedDatabaseName)),
                computedColumns: Set(all.filter(\.isComputed).map(\.name.foldedDatabaseName))), usedNames
        )
    }

    /// The query with functions in place of its arguments, and with the schema of its tables.
    ///
    /// - Returns: the query, and the names in lower case that may be those of further tables.
    private func scopedQuery(
        _ relation: Relation, _ query: String, firstValue: Int
    ) throws -> (text: String, usedNames: Set<String>) {
        var index = firstValue
        var previous: String?
        var usedNames: Set<String> = []
        var failure: DatabaseError?
        let text = try SQLScanner.replacing(query) { token, scanner in
            guard !token.isComment else { return nil }
            defer { previous = scanner[token] }
            if token.kind == .variable {
                guard scanner[token] == "?" else {
                    failure = relation.refusal("has the argument \(scanner[token]): use ?")
                    return nil
                }
                defer { index += 1 }
                return "\(ScopeRestriction.function)(\(index))"
            }
            guard let name = scanner.name(token), try object(name, in: "main") != nil else { return nil }
            guard ["FROM", "JOIN", "IN"].contains(previous?.uppercased()) else {
                usedNames.insert(name.foldedDatabaseName)
                return nil
            }
            return "main." + scanner[token]
        }
        if let failure { throw failure }
        return (text, usedNames)
    }
}

extension Relation {
    fileprivate func refusal(_ reason: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "a scope can't include \(source.name): the request \(reason)")
    }

    /// The names of the selected columns; nil for all columns.
    fileprivate func selectedColumns() throws -> [String]? {
        guard !selection.isEmpty, !selection.allSatisfy(\.isAllColumns) else { return nil }
        return try selection.map { selection in
            guard case .expression(let expression) = selection.node, case .column(let name, _) = expression.node else {
                throw refusal("selects something other than columns")
            }
            return name
        }
    }
}
