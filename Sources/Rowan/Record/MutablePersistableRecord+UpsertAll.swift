// Upserts of many records.

extension MutablePersistableRecord {
    /// Inserts records, or updates the rows that a primary or unique key finds, all or none.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("id", "name") VALUES (?,?),(?,?)... ON CONFLICT DO UPDATE SET "name"="excluded"."name"
    /// try Player.upsertAll(db, players)
    /// // INSERT INTO "vocabulary" ("word", "kind") VALUES (?,?),(?,?)...
    /// // ON CONFLICT ("word") DO UPDATE SET "kind"="excluded"."kind", "count"="count" + ?
    /// try Vocabulary.upsertAll(db, words, onConflict: ["word"]) { _ in [Column("count") += 1] }
    /// ```
    ///
    /// The result is that of a loop of ``upsert(_:)``, with the same callbacks. A record type with callbacks of its
    /// own is upserted record by record, since only SQLite knows the rowids of the rows that it updates.
    ///
    /// - Parameters:
    ///   - conflictTarget: the columns of the key that may find a row; all keys, if it is empty.
    ///   - strategy: which columns are overwritten, beyond those of the assignments.
    ///   - callbacks: `.skipped` goes fast with all types.
    ///   - assignments: what else is assigned, and with `noOverwrite`, what is kept. The closure is given an alias
    ///     of the row that could not be inserted.
    /// - Throws: a ``DatabaseError``, or the error of `encode(to:)` and of callbacks.
    /// - Complexity: O(*n*), with 64 rows in memory at any time.
    ///
    /// Source: <https://sqlite.org/lang_upsert.html>
    @inlinable
    public static func upsertAll(
        _ db: Database, _ records: some Sequence<Self>, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns, callbacks: PersistenceCallbacks = .honored,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws {
        var iterator = records.makeIterator()
        let insertion = Insertion(Self.self, upsert: Upsert(conflictTarget, strategy, assignments))
        try writeEach(InsertBatch.make(db, insertion, callbacks), &iterator) { _ in }
    }
}

extension Upsert {
    @usableFromInline
    init<R: MutablePersistableRecord>(
        _ conflictTarget: [String], _ strategy: UpsertUpdateStrategy,
        _ assignments: ((TableAlias<R>) -> [ColumnAssignment])?
    ) {
        self.conflictTarget = conflictTarget
        self.strategy = strategy
        self.assignments = assignments?(TableAlias(name: "excluded")) ?? []
    }
}

extension Insertion {
    @usableFromInline
    init(_ record: any MutablePersistableRecord.Type, upsert: Upsert) {
        self.init(record, .abort)
        self.upsert = upsert
    }
}
