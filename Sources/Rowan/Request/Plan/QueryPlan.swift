// How SQLite runs a query, as it reports it. The texts of EXPLAIN QUERY PLAN are meant for people and may change with
// any version, so unrecognized texts are kept unchanged.
// Source: https://sqlite.org/eqp.html

/// The plan of a query: a tree of the steps that SQLite takes.
///
/// ```swift
/// // EXPLAIN QUERY PLAN SELECT * FROM "player" WHERE "teamId" = ? ORDER BY "score"
/// let plan = try Player.filter { $0.teamId == 1 }.order(\.score).explain(db)
/// print(plan)
/// // SEARCH player USING INDEX player_on_teamId (teamId=?)
/// // USE TEMP B-TREE FOR ORDER BY
/// plan.indexes             // ["player_on_teamId"]
/// plan.fullScans           // []
/// plan.usesTemporaryBTree  // true
/// ```
///
/// Use plans for reading, for logs, and for tests with a known version of SQLite: other versions may have other plans
/// and other texts.
/// Article: <doc:QueryPlans>.
///
/// Source: <https://sqlite.org/eqp.html>
public struct QueryPlan: Hashable, Sendable {
    /// The steps in SQLite's order, which is the order in which tables are joined.
    public let nodes: [Node]

    /// A step and its parts.
    public struct Node: Hashable, Sendable {
        /// The operation of the step.
        public let operation: Operation
        /// SQLite's text.
        public let detail: String
        /// The parts of the step.
        public let children: [Node]
    }

    /// The operation of a step.
    public enum Operation: Hashable, Sendable {
        /// Reads all rows of a table, in the order of the index if there is one.
        ///
        /// `SCAN player USING COVERING INDEX player_on_name`. The table is named by its alias, if it has one.
        case scan(table: String, index: Index?, isCovering: Bool)
        /// Reads the rows of a table that match a key.
        ///
        /// `SEARCH player USING INDEX player_on_name (name=?)`. The constraint is the text in parentheses.
        case search(table: String, index: Index?, isCovering: Bool, constraint: String?)
        /// Sorts rows or removes duplicates in a temporary index.
        ///
        /// `USE TEMP B-TREE FOR ORDER BY`
        case temporaryBTree(purpose: String)
        /// A compound query, or one of its parts: `UNION ALL`, `EXCEPT USING TEMP B-TREE`, `MERGE (UNION)`, `LEFT`.
        case compound(String)
        /// A subquery, with its name or number.
        case subquery(Subquery, name: String, isCorrelated: Bool)
        /// Finds the rows of one table with several indexes: `MULTI-INDEX OR`, and `INDEX 1` for each index.
        case multipleIndexes
        /// Any other operation: read the detail.
        case other
    }

    /// The index that finds rows.
    public enum Index: Hashable, Sendable {
        /// An index with a name.
        case named(String)
        /// The rowid.
        case rowID
        /// The primary key of a table without rowid.
        case primaryKey
        /// An index that SQLite builds for this query only. <https://sqlite.org/optoverview.html#autoindex>
        case automatic
        /// The index of a virtual table, with its number and text.
        case virtualTable(String)
    }

    /// How a subquery runs.
    public enum Subquery: Hashable, Sendable {
        /// As a coroutine, row by row on demand: `CO-ROUTINE`.
        case coroutine
        /// Once, into a temporary table: `MATERIALIZE`.
        case materialized
        /// For a single value: `SCALAR SUBQUERY`.
        case scalar
        /// For the values of an `IN`: `LIST SUBQUERY`.
        case list
    }
}

extension QueryPlan {
    /// All steps; each one precedes its parts.
    public var allNodes: [Node] {
        func flat(_ nodes: [Node]) -> [Node] { nodes.flatMap { [$0] + flat($0.children) } }
        return flat(nodes)
    }

    /// Whether SQLite sorts rows or removes duplicates in a temporary index.
    public var usesTemporaryBTree: Bool {
        allNodes.contains { node in
            switch node.operation {
            case .temporaryBTree: true
            case .compound: node.detail.hasSuffix("USING TEMP B-TREE")
            case .scan, .search, .subquery, .multipleIndexes, .other: false
            }
        }
    }

    /// The tables, or their aliases, that are read in full, with or without an index. Results of subqueries and virtual
    /// tables are not included.
    public var fullScans: [String] {
        let nodes = allNodes
        let subqueries = nodes.compactMap { node in
            if case .subquery(_, let name, _) = node.operation { name } else { nil }
        }
        return nodes.compactMap { node in
            guard case .scan(let table, let index, _) = node.operation, !subqueries.contains(table) else { return nil }
            if case .virtualTable = index { return nil }
            return table
        }
    }

    /// The names of the indexes, in the order of the plan.
    public var indexes: [String] {
        var names: [String] = []
        for node in allNodes {
            guard case .named(let name) = node.operation.index, !names.contains(name) else { continue }
            names.append(name)
        }
        return names
    }
}

extension QueryPlan.Operation {
    /// The index that finds the rows of a table; nil if they are read in storage order.
    public var index: QueryPlan.Index? {
        switch self {
        case .scan(_, let index, _), .search(_, let index, _, _): index
        case .temporaryBTree, .compound, .subquery, .multipleIndexes, .other: nil
        }
    }
}

extension QueryPlan: CustomStringConvertible {
    /// SQLite's texts, one line per step. The parts of a step are indented by two spaces.
    public var description: String {
        func lines(_ nodes: [Node], _ indentation: String) -> [String] {
            nodes.flatMap { [indentation + $0.detail] + lines($0.children, indentation + "  ") }
        }
        return lines(nodes, "").joined(separator: "\n")
    }
}

// MARK: - Explaining requests and statements

extension FetchRequest {
    /// The plan of the request.
    ///
    /// ```swift
    /// // EXPLAIN QUERY PLAN SELECT * FROM "player" ORDER BY "name"
    /// print(try Player.order(\.name).explain(db))
    /// // SCAN player USING INDEX player_on_name
    /// ```
    ///
    /// The request does not run.
    ///
    /// - Throws: a ``DatabaseError`` if SQLite can't run the request.
    public func explain(_ db: Database) throws -> QueryPlan {
        let prepared = try makePreparedRequest(db, forSingleResult: false)
        return try withExtendedLifetime(prepared) { try prepared.statement.explain() }
    }

    /// The SQL of the request and its arguments.
    ///
    /// ```swift
    /// let (sql, arguments) = try Player.filter { $0.score > 1000 }.sql(db)
    /// // SELECT * FROM "player" WHERE "score" > ?, [1000]
    /// ```
    ///
    /// The request does not run, but SQLite compiles it.
    ///
    /// - Throws: a ``DatabaseError`` if SQLite can't run the request.
    public func sql(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        let prepared = try makePreparedRequest(db, forSingleResult: false)
        return withExtendedLifetime(prepared) { (prepared.statement.sql, prepared.statement.arguments) }
    }
}

extension Statement {
    /// The plan of the statement, which does not run.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "DELETE FROM player WHERE score = 0")
    /// print(try statement.explain())   // SCAN player
    /// ```
    ///
    /// - Throws: a ``DatabaseError``.
    public func explain() throws -> QueryPlan {
        let explanation = try connection.prepare("EXPLAIN QUERY PLAN " + sql)
        // The plan may depend on argument values: https://sqlite.org/queryplanner-ng.html
        explanation.setUncheckedArguments(storedArguments)
        return QueryPlan(try Row.fetchAll(explanation).map { ($0[0], $0[1], $0[3]) })
    }
}

extension Database {
    /// The plan of a statement, which does not run.
    ///
    /// ```swift
    /// let plan = try db.explain(sql: "SELECT * FROM player WHERE name = ?", arguments: ["Arthur"])
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` from SQLite, or with the code SQLITE_MISUSE if the text contains several
    ///   statements.
    public func explain(sql: String, arguments: StatementArguments = StatementArguments()) throws -> QueryPlan {
        let statement = try makeStatement(sql: sql)
        statement.setUncheckedArguments(arguments)
        return try statement.explain()
    }

    /// The plan of a statement from a literal. The statement does not run.
    ///
    /// ```swift
    /// let plan = try db.explain(literal: "SELECT * FROM player WHERE name = \(name)")
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` from SQLite, or with the code SQLITE_MISUSE if the literal contains several
    ///   statements.
    public func explain(literal sqlLiteral: SQL) throws -> QueryPlan {
        try makeStatement(literal: sqlLiteral).explain()
    }
}
