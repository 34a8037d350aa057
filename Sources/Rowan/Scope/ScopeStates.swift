// The scopes of a connection. A scope is known by the SQL of its requests, without their values: the scopes of all
// tenants share their statements.

/// A scope on a connection, with everything that was compiled for it.
final class ScopeState {
    let restriction: ScopeRestriction
    private var caches = ConnectionState()
    private var schemaCache = SchemaCache()

    init(_ restriction: ScopeRestriction) { self.restriction = restriction }

    /// Exchanges what the connection has compiled and knows of the schema.
    func exchangeCaches(with db: Database) {
        db.state.exchangeStatements(with: &caches, except: ScopeStates.place)
        swap(&schemaCache, &db.schemaCache)
    }
}

/// What a request of a scope is known by.
struct ScopeKey: Hashable {
    let isWriting: Bool
    /// The table: the condition of a request to write does not name it.
    let table: String
    let sql: String
}

/// The scopes that a connection has used.
final class ScopeStates: ConnectionStateValue {
    static var place: ConnectionState.Place { .init(6, .statements) }

    private var states: [[ScopeKey]: ScopeState] = [:]
    /// The keys, the one used last at the end.
    private var order: [[ScopeKey]] = []
    private static let capacity = 16

    subscript(key: [ScopeKey]) -> ScopeState? {
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
        var rules: [ScopeRuleText] = []
        var values: [DatabaseValue] = []
        for rule in scope.rules {
            let text = try ScopeRuleText(rule, firstValue: values.count, self)
            rules.append(text)
            values += text.values
        }
        let states = state.value(orMake: ScopeStates())
        let key = rules.map(\.key)
        if let known = states[key], known.restriction.epoch == connection.schemaEpoch { return (known, values) }
        try connection.addScopeFunction()
        let state = ScopeState(try makeScope(rules))
        states[key] = state
        return (state, values)
    }
}
