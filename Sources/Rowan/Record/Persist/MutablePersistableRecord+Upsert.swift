// Upserts: insertions with an ON CONFLICT clause.
// Source: https://sqlite.org/lang_upsert.html

/// The columns that an upsert overwrites.
///
/// Article: <doc:SavingAndUpserting>.
public struct UpsertUpdateStrategy: RawRepresentable, Hashable, Sendable {
    /// The raw value of the strategy.
    public let rawValue: Int
    /// Creates a strategy from its raw value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// All inserted columns, except the primary key and the conflict target.
    public static let allColumns = UpsertUpdateStrategy(rawValue: 0)
    /// Only the columns of the assignments.
    public static let noColumnUnlessSpecified = UpsertUpdateStrategy(rawValue: 1)
}

/// The ON CONFLICT clause of an upsert.
@usableFromInline
struct Upsert {
    var conflictTarget: [String] = []
    var strategy = UpsertUpdateStrategy.allColumns
    var assignments: [ColumnAssignment] = []
    /// The rowid, which is the last returned column: SQLite does not report the rowid of an updated row.
    static func rowID(_ row: Row) -> Int64? { row[row.count - 1] }

    /// Whether the clause depends only on the columns.
    var isDefault: Bool { conflictTarget.isEmpty && strategy == .allColumns && assignments.isEmpty }

    func clause(
        _ terms: inout TermResolver, _ columns: [String], _ primaryKey: PrimaryKeyInfo
    ) throws -> InsertQuery.Upsert {
        let specified = Set(assignments.map(\.column.foldedDatabaseName))
        let kept = Set((primaryKey.columns + conflictTarget).map(\.foldedDatabaseName)).union(specified)
        var result: [ColumnAssignment] = []
        if strategy == .allColumns {
            let excluded = TableAliasID.excluded
            result = columns.filter { !kept.contains($0.foldedDatabaseName) }.map {
                ColumnAssignment(column: $0, value: SQLExpression(.column($0, .alias(excluded))))
            }
        }
        result += try assignments.filter { $0.value != nil }.map { try terms.assignment($0) }
        // Without any assignment, SQLite would return no row. This assignment changes nothing.
        if result.isEmpty, let column = columns.first {
            result = [ColumnAssignment(column: column, value: SQLExpression(.column(column, .none)))]
        }
        return InsertQuery.Upsert(conflictTarget: conflictTarget, assignments: result)
    }
}

extension TableAliasID {
    /// The alias of the row that could not be inserted.
    static let excluded = TableAliasID(number: 0, name: "excluded")
}

extension MutablePersistableRecord {
    /// Inserts the record or updates the row with the same primary or unique key. All columns except the primary key
    /// are overwritten.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("id", "name") VALUES (?,?) ON CONFLICT DO UPDATE SET "name" = "excluded"."name" RETURNING "rowid"
    /// try player.upsert(db)
    /// ```
    ///
    /// The callbacks are those of an insertion. If none that the type implements receives the rowid, the statement does
    /// not return it after the first upsert of the type.
    @inlinable
    public mutating func upsert(_ db: Database) throws {
        if Self._tableLayout != nil, let plan = db.directPlan(of: ObjectIdentifier(Self.self), .upsert, nil) {
            let rowID = try plan.insert(db) { try self._bind(to: &$0) }
            if let rowID { _didInsert(rowID: rowID) }
            return
        }
        try upsertWithCallbacks(db)
    }

    @usableFromInline
    mutating func upsertWithCallbacks(_ db: Database) throws {
        var insertion = Insertion(type(of: self), .abort)
        insertion.upsert = Upsert()
        let group = insertion.planGroup(db)
        if let usesRowID = group.usesRowID {
            // SQLite would keep the returned row in a table of its own, which is four times as slow.
            insertion.returnsRowID = usesRowID
            return try upserting(db, insertion)
        }
        let callbacks = try db.probingCallbacks(of: type(of: self)) { try upserting(db, insertion) }
        insertion.returnsRowID =
            try insertion.keepsRowID(db)
            || !callbacks.isDisjoint(with: [.aroundInsert, .aroundSave, .didInsert, .didSave])
        group.usesRowID = insertion.returnsRowID
        try keepDirectUpsert(db, insertion, callbacks)
    }

    mutating func upserting(_ db: Database, _ insertion: Insertion) throws {
        try saving(db) { record, db in try record.inserting(db) { try $0.runUpsert(db, insertion) } }
    }

    /// Inserts the record or updates the conflicting row, and decodes the upserted row.
    ///
    /// ```swift
    /// // INSERT INTO "vocabulary" ("word", "kind") VALUES (?,?)
    /// // ON CONFLICT("word") DO UPDATE SET "kind" = "excluded"."kind", "count" = "count" + ? RETURNING *
    /// let upserted = try vocabulary.upsertAndFetch(db, onConflict: ["word"]) { _ in [Column("count") += 1] }
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection that can write.
    ///   - conflictTarget: the columns of the key that detects conflicts; if empty, all keys detect conflicts.
    ///   - strategy: the columns that are overwritten in addition to those of the assignments.
    ///   - assignments: additional assignments; `noOverwrite` keeps the stored value of a column. The closure receives
    ///     an alias of the row that could not be inserted.
    public mutating func upsertAndFetch(
        _ db: Database, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> Self where Self: FetchableRecord {
        try upsertAndFetch(
            db, as: Self.self, onConflict: conflictTarget, updating: strategy, doUpdate: assignments)
    }

    /// Inserts the record or updates the conflicting row, and decodes the upserted row to another type.
    public mutating func upsertAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, as returnedType: T.Type, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> T {
        var insertion = Insertion(type(of: self), .abort, T.databaseSelection)
        insertion.upsert = Upsert(
            conflictTarget: conflictTarget, strategy: strategy,
            assignments: assignments?(TableAlias(name: "excluded")) ?? [])
        return try saving(db) { record, db in
            try record.inserting(db) { record in
                try record.runUpsert(db, insertion) { row in try T(row: row) }
                    .orThrow(record.recordNotFound(db))
            }
        }
    }

    @usableFromInline
    func runUpsert(
        _ db: Database, _ insertion: Insertion, _ plans: PlanGroup? = nil
    ) throws -> (InsertionSuccess, Void) {
        let group = plans ?? insertion.planGroup(db)
        var container = group.makeContainer()
        try encode(to: &container)
        let plan =
            try group.knownPlan(for: &container)
            ?? group.keep(insertion.makePlan(db, columns: container.columns))
        let rowID = try Self.run(db, plan, container) { _ in }?.rowID
        return (try InsertionSuccess(db, plan, container, rowID: rowID), ())
    }

    func runUpsert<T>(
        _ db: Database, _ insertion: Insertion, _ plans: PlanGroup? = nil, decode: (Row) throws -> T
    ) throws -> (InsertionSuccess, T)? {
        let (plan, container) = try insertion.fetchPlan(db, self, plans)
        guard let (rowID, value) = try Self.run(db, plan, container, decode) else { return nil }
        return (try InsertionSuccess(db, plan, container, rowID: rowID), value)
    }

    /// Runs the statement to completion and decodes the single row that it returns.
    private static func run<T>(
        _ db: Database, _ plan: PersistencePlan, _ container: PersistenceContainer, _ decode: (Row) throws -> T
    ) throws -> (rowID: Int64?, value: T)? {
        guard plan.returnsRows else {
            try plan.run(db, container)
            return nil
        }
        let cursor = try RowCursor(plan.use(db, container), adapter: nil)
        guard let row = try cursor.next() else { return nil }
        let rowID = plan.primaryKey.tableHasRowID ? Upsert.rowID(row) : nil
        let value = try decode(row)
        while try cursor.next() != nil {}
        return (rowID, value)
    }
}
