// Insertions of many records, with multi-row INSERT statements in one savepoint. The loops are generic over the record
// and `@inlinable`, like `insert` (benchmark insert-all). InsertBatch contains the shared parts.

/// Whether `insertAll` and `upsertAll` call the callbacks of records.
///
/// Article: <doc:SavingAndUpserting>.
public enum PersistenceCallbacks: Sendable {
    /// Callbacks are called as in `insert` and `upsert`.
    case honored
    /// No callback is called.
    case skipped
}

extension MutablePersistableRecord {
    /// Inserts all records, or none if an error occurs.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("id", "name") VALUES (?,?),(?,?),(?,?),(?,?)...
    /// try Player.insertAll(db, players)
    /// // INSERT OR IGNORE INTO "player" ("id", "name") VALUES (?,?),(?,?),(?,?),(?,?)...
    /// try Player.insertAll(db, players, onConflict: .ignore)
    /// ```
    ///
    /// The result is that of a loop of ``insert(_:onConflict:)``, except that an error undoes all insertions. A
    /// statement has up to 64 rows, or fewer if SQLite's limits require it. A record that sets different columns than
    /// the previous one starts a new statement.
    ///
    /// If the type implements no callbacks, records are inserted in large statements. Only the first record of each
    /// connection is inserted separately, to detect the callbacks. With `didInsert` or `didSave`, large statements
    /// require a table with an `INTEGER PRIMARY KEY` and without triggers or `ON CONFLICT` clauses, and a
    /// `conflictResolution` other than `ignore` and `replace`; the callbacks are called after the statement. With
    /// `willInsert`, `willSave`, `aroundInsert` or `aroundSave`, which may access the database, each record is inserted
    /// separately.
    ///
    /// Structs are copied. To update their ids, use ``insertAll(_:_:onConflict:)``.
    ///
    /// - Parameters:
    ///   - db: a connection that can write.
    ///   - records: the records, in insertion order.
    ///   - conflictResolution: the conflict resolution; nil for the policy of the type.
    ///   - callbacks: `.skipped` inserts in large statements for all types and tables.
    /// - Throws: a ``DatabaseError``, whose message contains the index of the record that violates a constraint, or an
    ///   error of `encode(to:)` or callbacks.
    /// - Complexity: O(*n*), with 64 rows in memory at any time.
    ///
    /// Source: <https://sqlite.org/lang_insert.html>
    @inlinable
    public static func insertAll(
        _ db: Database, _ records: some Sequence<Self>,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        callbacks: PersistenceCallbacks = .honored
    ) throws {
        var iterator = records.makeIterator()
        let batch = try InsertBatch(db, WriteRequest(Self.self, .insert(conflictResolution)), callbacks)
        try writeEach(batch, &iterator) { _ in }
    }

    /// Inserts all records or none, and updates them: `didInsert` can store the id.
    ///
    /// ```swift
    /// var players = [Player(id: nil, name: "Arthur"), Player(id: nil, name: "Barbara")]
    /// // INSERT INTO "player" ("id", "name") VALUES (?,?),(?,?)
    /// try Player.insertAll(db, &players)
    /// players.map(\.id)   // [1, 2]
    /// ```
    ///
    /// Large statements are used under the same conditions as ``insertAll(_:_:onConflict:callbacks:)``. The ids are
    /// those that SQLite would choose: the largest id of the table plus one, and so on. They are computed in advance
    /// and inserted with the rows.
    ///
    /// - Parameters:
    ///   - db: a connection that can write.
    ///   - records: the records, in insertion order. They are updated once all are inserted.
    ///   - conflictResolution: the conflict resolution; nil for the policy of the type.
    /// - Throws: a ``DatabaseError``, or an error of `encode(to:)` or callbacks. The collection is then unchanged.
    /// - Complexity: O(*n*), plus a copy of the collection.
    ///
    /// Source: <https://sqlite.org/autoinc.html>
    @inlinable
    public static func insertAll<Records: MutableCollection>(
        _ db: Database, _ records: inout Records,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws where Records.Element == Self {
        try writeAll(db, .insert(conflictResolution), &records)
    }
}

// MARK: - The loops

extension InsertBatch {
    /// Runs the closure in a transaction, or in a part of the current one. An error undoes its changes.
    @usableFromInline
    func atomically(_ body: () throws -> Void) throws {
        try db.inSavepoint {
            try body()
            return .commit
        }
    }
}

extension MutablePersistableRecord {
    /// Writes the records of a collection and updates them.
    @inlinable
    static func writeAll<Records: MutableCollection>(
        _ db: Database, _ operation: WriteOperation, _ records: inout Records
    ) throws where Records.Element == Self {
        var written = records
        var index = written.startIndex
        var iterator = records.makeIterator()
        let batch = try InsertBatch(
            db, WriteRequest(Self.self, operation), .honored, keepsRowIDs: Self._tableLayout?.keepsRowID ?? false)
        try writeEach(batch, &iterator) { record in
            written[index] = record
            written.formIndex(after: &index)
        }
        records = written
    }

    /// Writes the records.
    ///
    /// - Parameter done: a closure that is called for each record, in order, after the callbacks of the record. It is
    ///   not called for records known to have no callbacks, which insertion does not change.
    @inlinable
    static func writeEach(
        _ batch: InsertBatch, _ records: inout some IteratorProtocol<Self>, _ done: (Self) -> Void
    ) throws {
        try batch.atomically {
            while case .probing = batch.mode, var record = records.next() {
                try batch.probe(type(of: record)) { try record.writeAlone(batch) }
                done(record)
            }
            switch batch.mode {
            case .probing: break
            case .silent, .positional: try writeSilently(batch, &records)
            case .numbered: try writeNumbered(batch, &records, done)
            case .alone:
                while var record = records.next() {
                    try record.writeAlone(batch)
                    done(record)
                }
            }
        }
    }

    @inlinable
    static func writeSilently(_ batch: InsertBatch, _ records: inout some IteratorProtocol<Self>) throws {
        var waiting = ContiguousArray<Self>()
        while var record = records.next() {
            guard type(of: record) == Self.self else {
                try flush(batch, &waiting)
                try record.writeAlone(batch)
                continue
            }
            guard Self._tableLayout != nil, case .positional = batch.mode else {
                try record.add(to: batch)
                continue
            }
            waiting.append(record)
            if waiting.count >= batch.capacity { try flush(batch, &waiting) }
        }
        try flush(batch, &waiting)
    }

    /// Inserts the waiting records, which have no callbacks.
    @inlinable
    static func flush(_ batch: InsertBatch, _ waiting: inout ContiguousArray<Self>) throws {
        if !waiting.isEmpty, try !batch.insert(waiting.count, { try waiting[$0]._bind(to: &$1) }) {
            for record in waiting { try record.add(to: batch) }
        }
        waiting.removeAll(keepingCapacity: true)
        try batch.flush()
    }

    /// Adds the record to the waiting rows.
    @inlinable
    func add(to batch: InsertBatch) throws {
        var container = batch.makeContainer()
        try encode(to: &container)
        if batch.isFull(for: container) { try batch.flush() }
        try batch.add(&container)
    }

    @inlinable
    static func writeNumbered(
        _ batch: InsertBatch, _ records: inout some IteratorProtocol<Self>, _ done: (Self) -> Void
    ) throws {
        var waiting = ContiguousArray<Self>()
        while var record = records.next() {
            guard type(of: record) == Self.self else {
                try flush(batch, &waiting, done)
                try record.writeAlone(batch)
                done(record)
                continue
            }
            var container = batch.makeContainer()
            try record.encode(to: &container)
            if batch.isFull(for: container) { try flush(batch, &waiting, done) }
            try batch.add(&container)
            waiting.append(record)
        }
        try flush(batch, &waiting, done)
    }

    /// Inserts the waiting records and calls their callbacks.
    @inlinable
    static func flush(
        _ batch: InsertBatch, _ waiting: inout ContiguousArray<Self>, _ done: (Self) -> Void
    ) throws {
        if try batch.flushNumbered() {
            for index in waiting.indices {
                let inserted = batch.success(index)
                waiting[index].finishInsertion(inserted)
                waiting[index].didSave(PersistenceSuccess(inserted))
                done(waiting[index])
            }
        } else {
            batch.forgetRows()
            for index in waiting.indices {
                try waiting[index].writeAlone(batch)
                done(waiting[index])
            }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Inserts or upserts one record.
    @inlinable
    mutating func writeAlone(_ batch: InsertBatch) throws {
        let write = batch.write(of: type(of: self))
        do {
            switch batch.callbacks {
            case .skipped: _ = try runInsert(batch.db, write)
            case .honored:
                try saving(batch.db) { record, db in try record.inserting(db) { try $0.runInsert(db, write) } }
            }
        } catch { throw batch.located(error) }
        batch.didWriteAlone()
    }
}
