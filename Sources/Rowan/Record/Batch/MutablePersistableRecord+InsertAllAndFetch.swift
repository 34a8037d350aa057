// Insertions and upserts of many records that return the rows.

extension MutablePersistableRecord {
    /// Inserts all records or none, and decodes the inserted rows in the order of the records.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("id", "name") VALUES (?,?),(?,?) RETURNING *, "rowid"
    /// let stored = try Player.insertAllAndFetch(db, players)
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection that can write.
    ///   - records: the records, in insertion order.
    ///   - conflictResolution: the conflict resolution; nil for the policy of the type.
    ///   - callbacks: see ``insertAll(_:_:onConflict:callbacks:)``.
    /// - Returns: a record for each inserted row, which excludes records with ignored conflicts.
    /// - Throws: a ``DatabaseError``, or an error of `encode(to:)`, `init(row:)` or callbacks.
    /// - Complexity: O(*n*). Many rows share a statement if their rowids are known: in tables with an
    ///   `INTEGER PRIMARY KEY` that the records set or leave NULL, without triggers or `ON CONFLICT` clauses, and with
    ///   a resolution other than `ignore` and `replace`. Otherwise, each record is inserted separately because SQLite
    ///   guarantees no order for the rows that a statement returns.
    ///
    /// Source: <https://sqlite.org/lang_returning.html>
    public static func insertAllAndFetch(
        _ db: Database, _ records: some Sequence<Self>,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        callbacks: PersistenceCallbacks = .honored
    ) throws -> [Self] where Self: FetchableRecord {
        try insertAllAndFetch(db, records, onConflict: conflictResolution, callbacks: callbacks, as: Self.self)
    }

    /// Inserts all records or none, and decodes the inserted rows to another type, in the order of the records.
    ///
    /// ```swift
    /// // For each name: INSERT INTO "player" ("name") VALUES (?) RETURNING *
    /// let players = try PartialPlayer.insertAllAndFetch(db, names.map(PartialPlayer.init), as: Player.self)
    /// ```
    ///
    /// See ``insertAllAndFetch(_:_:onConflict:callbacks:)``.
    public static func insertAllAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, _ records: some Sequence<Self>,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        callbacks: PersistenceCallbacks = .honored, as returnedType: T.Type
    ) throws -> [T] {
        try fetchEach(db, records, .insert(conflictResolution), callbacks, T.self)
    }

    /// Upserts all records or none, and decodes the upserted rows in the order of the records.
    ///
    /// ```swift
    /// // For each word:
    /// // INSERT INTO "vocabulary" ("word", "kind") VALUES (?,?)
    /// // ON CONFLICT("word") DO UPDATE SET "kind" = "excluded"."kind", "count" = "count" + ? RETURNING *
    /// let upserted = try Vocabulary.upsertAllAndFetch(db, words, onConflict: ["word"]) { _ in [Column("count") += 1] }
    /// ```
    ///
    /// The statement is executed for each record separately, because only SQLite can determine which row an upsert
    /// updates. If several records upsert the same row, it is returned for each of them, with its state after that
    /// record.
    ///
    /// - Parameters: those of ``upsertAll(_:_:onConflict:updating:callbacks:doUpdate:)``.
    /// - Throws: a ``DatabaseError``, or an error of `encode(to:)`, `init(row:)` or callbacks.
    public static func upsertAllAndFetch(
        _ db: Database, _ records: some Sequence<Self>, onConflict conflictTarget: [String] = [],
        updating strategy: UpsertUpdateStrategy = .allColumns, callbacks: PersistenceCallbacks = .honored,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> [Self] where Self: FetchableRecord {
        try upsertAllAndFetch(
            db, records, as: Self.self, onConflict: conflictTarget, updating: strategy, callbacks: callbacks,
            doUpdate: assignments)
    }

    /// Upserts all records or none, and decodes the upserted rows to another type, in the order of the records.
    ///
    /// See ``upsertAllAndFetch(_:_:onConflict:updating:callbacks:doUpdate:)``.
    public static func upsertAllAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, _ records: some Sequence<Self>, as returnedType: T.Type,
        onConflict conflictTarget: [String] = [], updating strategy: UpsertUpdateStrategy = .allColumns,
        callbacks: PersistenceCallbacks = .honored,
        doUpdate assignments: ((TableAlias<Self>) -> [ColumnAssignment])? = nil
    ) throws -> [T] {
        try fetchEach(db, records, .upsert(.make(conflictTarget, strategy, assignments)), callbacks, T.self)
    }
}

// MARK: - The loop

extension MutablePersistableRecord {
    private static func fetchEach<T: FetchableRecord & TableRecord>(
        _ db: Database, _ records: some Sequence<Self>, _ operation: WriteOperation, _ callbacks: PersistenceCallbacks,
        _ returnedType: T.Type
    ) throws -> [T] {
        var fetched: [T] = []
        let request = WriteRequest(Self.self, operation, returning: T.databaseSelection)
        let batch = try InsertBatch(db, request, callbacks)
        var records = records.makeIterator()
        try batch.atomically {
            while case .probing = batch.mode, var record = records.next() {
                try batch.probe(type(of: record)) { fetched += try record.fetchAlone(batch) }
            }
            var waiting: [Self] = []
            while var record = records.next() {
                guard case .numbered = batch.mode, type(of: record) == Self.self else {
                    fetched += try fetch(batch, &waiting)
                    fetched += try record.fetchAlone(batch)
                    continue
                }
                var container = batch.makeContainer()
                try record.encode(to: &container)
                if batch.isFull(for: container) { fetched += try fetch(batch, &waiting) }
                try batch.add(&container)
                waiting.append(record)
            }
            fetched += try fetch(batch, &waiting)
        }
        return fetched
    }

    /// Inserts the waiting records and calls their callbacks.
    private static func fetch<T: FetchableRecord & TableRecord>(
        _ batch: InsertBatch, _ waiting: inout [Self]
    ) throws -> [T] {
        defer { waiting.removeAll(keepingCapacity: true) }
        guard let fetched = try batch.fetchNumbered(T.self) else {
            batch.forgetRows()
            return try waiting.indices.flatMap { try waiting[$0].fetchAlone(batch) }
        }
        guard case .honored = batch.callbacks else { return fetched }
        for index in waiting.indices {
            let inserted = batch.success(index)
            waiting[index].finishInsertion(inserted)
            waiting[index].didSave(PersistenceSuccess(inserted))
        }
        return fetched
    }

    /// Writes one record.
    ///
    /// - Returns: the row of the record; empty if a conflict was ignored.
    private mutating func fetchAlone<T: FetchableRecord & TableRecord>(_ batch: InsertBatch) throws -> [T] {
        let write = batch.write(of: type(of: self))
        defer { batch.didWriteAlone() }
        do {
            guard case .honored = batch.callbacks else { return try fetch(batch.db, write).1 }
            return try saving(batch.db) { record, db in try record.inserting(db) { try $0.fetch(db, write) } }
        } catch { throw batch.located(error) }
    }

    private func fetch<T: FetchableRecord & TableRecord>(
        _ db: Database, _ write: RecordWrite
    ) throws -> (InsertionSuccess, [T]) {
        if !write.request.isUpsert { return try runInsert(db, write) { try T.fetchAll($0) } }
        return try runUpsert(db, write) { [try T(row: $0)] }.orThrow(recordNotFound(db))
    }
}
