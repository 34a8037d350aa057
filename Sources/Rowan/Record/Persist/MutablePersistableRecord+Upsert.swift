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
final class Upsert: Hashable {
    let conflictTarget: [String]
    let strategy: UpsertUpdateStrategy
    let assignments: [ColumnAssignment]

    init(
        conflictTarget: [String] = [], strategy: UpsertUpdateStrategy = .allColumns,
        assignments: [ColumnAssignment] = []
    ) {
        self.conflictTarget = conflictTarget
        self.strategy = strategy
        self.assignments = assignments
    }

    @usableFromInline
    static func == (upsert: Upsert, other: Upsert) -> Bool { upsert === other }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// The rowid, which is the last returned column: SQLite does not report the rowid of an updated row.
    static func rowID(_ row: Row) -> Int64? { row[row.count - 1] }

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
        try insert(db, .upsert(nil))
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
        let upsert = Upsert.make(conflictTarget, strategy, assignments)
        let write = db.write(WriteRequest(type(of: self), .upsert(upsert), returning: T.databaseSelection))
        return try saving(db) { record, db in
            try record.inserting(db) { record in
                try record.runUpsert(db, write) { row in try T(row: row) }.orThrow(record.recordNotFound(db))
            }
        }
    }

    func runUpsert<T>(
        _ db: Database, _ write: RecordWrite, decode: (Row) throws -> T
    ) throws -> (InsertionSuccess, T)? {
        var container = write.makeContainer()
        try encode(to: &container)
        return try write.upsert(db, &container, decode)
    }
}

extension Upsert {
    /// The clause of an upsert; nil for the one of `upsert(_:)`.
    @usableFromInline
    static func make<R: MutablePersistableRecord>(
        _ conflictTarget: [String], _ strategy: UpsertUpdateStrategy,
        _ assignments: ((TableAlias<R>) -> [ColumnAssignment])?
    ) -> Upsert? {
        let assignments = assignments?(TableAlias(name: "excluded")) ?? []
        if conflictTarget.isEmpty, strategy == .allColumns, assignments.isEmpty { return nil }
        return Upsert(conflictTarget: conflictTarget, strategy: strategy, assignments: assignments)
    }
}
