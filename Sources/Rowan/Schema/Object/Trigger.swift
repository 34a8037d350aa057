// Triggers from requests and SQL. A trigger accepts no arguments, so the values of its requests are literals.

/// The options of a trigger. <https://sqlite.org/lang_createtrigger.html>
public struct TriggerOptions: OptionSet, Sendable {
    /// The raw value of the options.
    public let rawValue: Int
    /// Creates options from their raw value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Does nothing if a trigger with this name exists.
    public static let ifNotExists = TriggerOptions(rawValue: 1 << 0)
    /// Creates a trigger that only this connection runs, until it closes.
    public static let temporary = TriggerOptions(rawValue: 1 << 1)
}

/// The time at which a trigger runs.
public enum TriggerTime: String, Hashable, Sendable {
    /// Before the row changes.
    case before = "BEFORE"
    /// After the row has changed.
    case after = "AFTER"
    /// Instead of the change. Only views have such triggers.
    case insteadOf = "INSTEAD OF"
}

/// The event that runs a trigger.
public struct TriggerEvent: Hashable, Sendable {
    private enum Change: Hashable { case insert, delete, update([String]) }

    private let change: Change

    /// The insertion of a row.
    public static let insert = TriggerEvent(change: .insert)
    /// The deletion of a row.
    public static let delete = TriggerEvent(change: .delete)
    /// The update of a row.
    public static let update = TriggerEvent(change: .update([]))
    /// An update that assigns a value to one of these columns.
    public static func update(of columns: String...) -> TriggerEvent { TriggerEvent(change: .update(columns)) }

    fileprivate var sql: String {
        switch change {
        case .insert: "INSERT"
        case .delete: "DELETE"
        case .update(let columns): columns.isEmpty ? "UPDATE" : "UPDATE OF \(columns.quotedList)"
        }
    }
}

/// The definition of a trigger: its condition, and its statements in the order of the calls.
///
/// Article: <doc:Schema>.
public final class TriggerDefinition {
    typealias Statement = (Database) throws -> (inout Renderer) -> Void

    /// The row before its change: `t.old["score"]` is `"OLD"."score"`. An insertion has none.
    public let old = TableAlias(name: "OLD")
    /// The row after its change: `t.new["score"]` is `"NEW"."score"`. A deletion has none.
    public let new = TableAlias(name: "NEW")

    fileprivate var condition: SQLExpression?
    fileprivate var statements: [Statement] = []

    /// Runs the trigger only for rows that meet a condition: `WHEN "NEW"."score" > "OLD"."score"`.
    public func when(_ condition: some SQLSpecificExpressible) { self.condition = condition.sqlExpression }

    /// Updates the rows of a request.
    ///
    /// ```swift
    /// // UPDATE "team" SET "score" = "score" + "NEW"."score" WHERE "id" = "NEW"."teamId";
    /// t.update(Team.filter { $0.id == t.new["teamId"] }, Column("score") += t.new["score"])
    /// ```
    public func update<T>(
        _ request: QueryInterfaceRequest<T>, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ assignments: ColumnAssignment...
    ) {
        statements.append { try request.updateQuery($0, conflictResolution, assignments, returning: []) }
    }

    /// Deletes the rows of a request.
    public func delete<T>(_ request: QueryInterfaceRequest<T>) {
        statements.append { try request.deleteQuery($0, returning: []) }
    }

    /// Inserts a row.
    ///
    /// ```swift
    /// // INSERT INTO "history" ("playerId", "score") SELECT "OLD"."id", "OLD"."score";
    /// t.insert(into: "history", Column("playerId").set(to: t.old["id"]), Column("score").set(to: t.old["score"]))
    /// ```
    public func insert(
        into table: String, onConflict conflictResolution: Database.ConflictResolution? = nil,
        _ values: ColumnAssignment...
    ) {
        let assigned = values.compactMap { assignment in assignment.value.map { (assignment.column, $0) } }
        let row = assigned.map { "\($0.1)" as SQL }.joined(separator: ", ")
        insert(
            into: table, columns: assigned.map(\.0), from: SQLSubquery(.literal("SELECT \(row)")),
            onConflict: conflictResolution)
    }

    /// Inserts the rows of a request.
    ///
    /// - Parameters:
    ///   - table: the table to insert into.
    ///   - columns: the columns to insert into; by default, all columns in their order.
    ///   - request: the request whose rows are inserted. It selects a value for each of the columns, in the same order.
    ///   - conflictResolution: how to handle rows that violate a constraint. A conflict resolution of the statement
    ///     that runs the trigger takes precedence.
    public func insert(
        into table: String, columns: [String] = [], from request: some SQLSubqueryable,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) {
        let subquery = request.sqlSubquery
        statements.append { db in
            let query = InsertSelectQuery(
                table: TableName(table), columns: columns, conflictResolution: conflictResolution?.rawValue,
                query: try Resolver(db).subquery(subquery))
            return { $0.write(query) }
        }
    }

    /// Rejects the change with an error: SQLITE_CONSTRAINT_TRIGGER, with a message.
    ///
    /// ```swift
    /// // SELECT RAISE(ABORT, 'the score can''t decrease') WHERE "NEW"."score" < "OLD"."score";
    /// t.raise("the score can't decrease", when: t.new["score"] < t.old["score"])
    /// ```
    ///
    /// - Parameters:
    ///   - message: the message of the error.
    ///   - resolution: what happens to the changes of the statement and of the transaction. `ignore` skips the change
    ///     of this row without an error.
    ///   - condition: the condition for rejecting a change; nil to reject all changes.
    public func raise(
        _ message: String, _ resolution: Database.ConflictResolution = .abort,
        when condition: (any SQLExpressible)? = nil
    ) {
        let call: SQL =
            resolution == .ignore
            ? "RAISE(IGNORE)"
            : SQL(
                sql:
                    "RAISE(\(resolution == .replace ? "ABORT" : resolution.rawValue), \(message.databaseValue.sqlLiteral))"
            )
        if let condition {
            // As a selection, which writes a single expression without parentheses.
            execute(literal: "SELECT \(call) WHERE \(condition.sqlExpression.sqlSelection)")
        } else {
            execute(literal: "SELECT \(call)")
        }
    }

    /// Runs a statement: INSERT, UPDATE, DELETE or SELECT.
    ///
    /// ```swift
    /// t.execute(literal: "DELETE FROM history WHERE playerId = \(t.old["id"])")
    /// ```
    public func execute(literal sqlLiteral: SQL) {
        statements.append { db in
            let literal = try Resolver(db).literal(sqlLiteral)
            return { $0.write(literal) }
        }
    }

    /// Runs a statement: INSERT, UPDATE, DELETE or SELECT.
    public func execute(sql: String) { execute(literal: SQL(sql: sql)) }
}

extension Database {
    /// Creates a trigger.
    ///
    /// ```swift
    /// // CREATE TRIGGER "player_history" AFTER UPDATE OF "score" ON "player" FOR EACH ROW
    /// // WHEN "NEW"."score" <> "OLD"."score"
    /// // BEGIN INSERT INTO "history" ("playerId", "score") SELECT "OLD"."id", "OLD"."score"; END
    /// try db.create(trigger: "player_history", .after, .update(of: "score"), on: "player") { t in
    ///     t.when(t.new["score"] != t.old["score"])
    ///     t.insert(
    ///         into: "history", Column("playerId").set(to: t.old["id"]), Column("score").set(to: t.old["score"]))
    /// }
    /// ```
    ///
    /// - Throws: a ``DatabaseError`` or a ``RequestError``. SQLITE_MISUSE for a trigger without statements, and for SQL
    ///   text with arguments, which a trigger doesn't accept.
    ///
    /// Source: <https://sqlite.org/lang_createtrigger.html>
    public func create(
        trigger name: String, options: TriggerOptions = [], _ time: TriggerTime, _ event: TriggerEvent,
        on table: String, body: (TriggerDefinition) throws -> Void
    ) throws {
        let definition = TriggerDefinition()
        try body(definition)
        guard !definition.statements.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "trigger \(name) has no statements: add one at least")
        }
        let statements = try definition.statements.map { try $0(self) }
        try executeDefinition { renderer in
            renderer.write(options.contains(.temporary) ? "CREATE TEMPORARY TRIGGER " : "CREATE TRIGGER ")
            if options.contains(.ifNotExists) { renderer.write("IF NOT EXISTS ") }
            renderer.write(identifier: name)
            renderer.write(" \(time.rawValue) \(event.sql) ON ")
            renderer.write(identifier: table)
            renderer.write(" FOR EACH ROW ")
            if let condition = definition.condition {
                renderer.write("WHEN ")
                renderer.write(condition)
                renderer.write(" ")
            }
            renderer.write("BEGIN ")
            for statement in statements {
                statement(&renderer)
                renderer.write("; ")
            }
            renderer.write("END")
        }
    }

    /// Deletes a trigger.
    public func drop(trigger name: String) throws {
        try execute(sql: "DROP TRIGGER \(name.quotedDatabaseIdentifier)")
    }
}
