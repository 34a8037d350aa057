// Upserts of many records.

extension MutablePersistableRecord {
    /// Inserts records or updates the rows with the same primary or unique keys: all of them, or none if an error
    /// occurs.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("id", "name") VALUES (?,?),(?,?)... ON CONFLICT DO UPDATE SET "name" = "excluded"."name"
    /// try Player.upsertAll(db, players)
    /// // INSERT INTO "vocabulary" ("word", "kind") VALUES (?,?),(?,?)...
    /// // ON CONFLICT("word") DO UPDATE SET "kind" = "excluded"."kind", "count" = "count" + ?
    /// try Vocabulary.upsertAll(db, words, onConflict: ["word"]) { _ in [Column("count") += 1] }
    /// ```
    ///
    /// The result is that of a loop of ``upsert(_:)``, with the same callbacks. If the type implements callbacks, each
    /// record is upserted separately because only SQLite can determine the rowids of the updated rows.
    ///
    /// - Parameters:
    ///   - db: a connection that can write.
    ///   - records: the records to insert or update, in order.
    ///   - conflictTarget: the columns of the key that detects conflicts; if empty, all keys detect conflicts.
    ///   - strategy: the columns that are overwritten in addition to those of the assignments.
    ///   - callbacks: `.skipped` upserts in large statements for all types.
    ///   - assignments: additional assignments; `noOverwrite` keeps the stored value of a column. The closure receives
    ///     an alias of the row that could not be inserted.
    /// - Throws: a ``DatabaseError``, or an error of `encode(to:)` or callbacks.
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
        let operation = WriteOperation.upsert(.make(conflictTarget, strategy, assignments))
        try writeEach(InsertBatch(db, WriteRequest(Self.self, operation), callbacks), &iterator) { _ in }
    }

    /// Inserts records or updates the rows with the same keys, all or none, and updates the records: `didInsert` can
    /// store the id.
    ///
    /// ```swift
    /// var words = [Word(id: nil, text: "one"), Word(id: nil, text: "two")]
    /// // INSERT INTO "word" ("id", "text") VALUES (?,?) ON CONFLICT("text") DO UPDATE SET "text" = "excluded"."text"
    /// // RETURNING "rowid"
    /// try Word.upsertAll(db, &words, onConflict: ["text"])
    /// words.map(\.id)   // [7, 8]: those of the rows that existed, or new ones
    /// ```
    ///
    /// If the type stores ids or implements callbacks, each record is upserted separately because only SQLite can
    /// determine the rowids of the updated rows.
    ///
    /// - Parameters: those of ``upsertAll(_:_:onConflict:updating:callbacks:doUpdate:)``. The records are updated once all are
    ///   written.
    /// - Throws: a ``DatabaseError``, or an error of `encode(to:)` or callbacks. The collection is then unchanged.
    /// - Complexity: O(*n*), plus a copy of the collection.
    ///
    /// Source: <https://sqlite.org/lang_upsert.html>
    @inlinable
    public static func upsertAll<Records: MutableCollection>(
        _ db: Database, _ records: inout Records, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws where Records.Element == Self {
        try writeAll(db, .upsert(.make(conflictTarget, strategy, assignments)), &records)
    }
}
