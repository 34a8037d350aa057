// Reports of changed regions by the program, and recording of read regions.

extension Database {
    /// Notifies the observers of a region that it has changed in a way that the connection does not observe: through
    /// the C API or another connection.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     sqlite3_exec(db.sqliteConnection, "UPDATE player SET score = 0", nil, nil, nil)
    ///     try db.notifyChanges(in: Table("player"))
    /// }
    /// ```
    ///
    /// Does nothing in a read.
    ///
    /// - Throws: the region's error.
    public func notifyChanges(in region: some DatabaseRegionConvertible) throws {
        guard connection.readOnlyDepth == 0, let tracker = state[ChangeTracker.self] else { return }
        let region = try connection.unwatched { try region.databaseRegion(self) }
        guard !region.isEmpty else { return }
        tracker.notifyChanges(in: region, try writes(in: region))
    }

    /// Notifies all subscribers that the content and schema of the database have been replaced.
    package func databaseWasReplaced() throws {
        guard let tracker = state[ChangeTracker.self] else { return }
        let all = try connection.unwatched {
            try schemaIDs(nil).flatMap { try writes($0.schemaTableName, in: $0.name, nil) } + writes(in: .fullDatabase)
        }
        tracker.notifyChanges(in: .fullDatabase, all)
    }

    /// Whether the transactions of this connection are observed.
    package var isObserved: Bool { state[ChangeTracker.self]?.subscribers.isEmpty == false }

    /// Reports a change that SQLite does not report and whose transaction ends later.
    package func reportChange(ofColumn column: String, in table: String, schema: String) {
        guard let tracker = state[ChangeTracker.self] else { return }
        let table = StatementProfile.Table(schema: schema, name: table)
        let kind = DatabaseEventKind.update(tableName: table.name, columnNames: [column])
        tracker.report(DatabaseRegion(table, columns: [column]), [.init(table: table, kind: kind)])
    }

    /// All kinds of changes that modify a region.
    private func writes(in region: DatabaseRegion) throws -> [StatementWrites.Write] {
        try connection.unwatched {
            guard let parts = region.tables else {
                // The changes are of rows, but not of the schema, whose changes SQLite always reports.
                return try tables().filter { !connection.abilities.hiddenTables.contains($0.name) }.flatMap {
                    try writes($0.name, in: $0.schemaID.name, nil)
                }
            }
            return try parts.flatMap { key, part in
                try writes(part.spelling, in: key.schema, part.columns.map { Set($0.values) })
            }
        }
    }

    private func writes(
        _ name: String, in schema: String, _ columns: Set<String>?
    ) throws -> [StatementWrites.Write] {
        // The table need not exist, and the schema tables have no columns to observe.
        let all =
            try columns ?? (tableExists(name, in: schema) ? Set(self.columns(in: name, in: schema).map(\.name)) : [])
        let kinds: [DatabaseEventKind] = [
            .delete(tableName: name), .insert(tableName: name), .update(tableName: name, columnNames: all),
        ]
        return kinds.map { .init(table: StatementProfile.Table(schema: schema, name: name), kind: $0) }
    }

    /// Adds a region to those tracked by the current observation. Does nothing if no observation is fetching.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking { db in
    ///     try db.registerAccess(to: Table("team"))
    ///     return cachedValue
    /// }
    /// ```
    ///
    /// - Throws: the region's error.
    public func registerAccess(to region: @autoclosure () -> some DatabaseRegionConvertible) throws {
        guard let recorder = connection.currentReadRecorder as? RegionRecorder else { return }
        let region = try connection.unwatched { try region().databaseRegion(self) }
        recorder.region.formUnion(region)
    }

    /// Runs the closure and returns the region that it reads.
    package func recordingRegion<T>(_ body: () throws -> T) rethrows -> (value: T, region: DatabaseRegion) {
        let recorder = RegionRecorder()
        // An outer recording records the same reads.
        let outer = connection.currentReadRecorder as? RegionRecorder
        defer { outer?.region.formUnion(recorder.region) }
        let value = try connection.recordingReads(recorder, body)
        return (value, recorder.region)
    }
}

/// Records the region read by statements.
private final class RegionRecorder: ReadRecorder {
    var region = DatabaseRegion()
    /// The last statement that read without a restriction, because loops run the same statement many times. It is
    /// retained so that no other statement has its address.
    private var last: (statement: Statement, epoch: Int)?

    func willRead(_ statement: Statement) {
        let restriction = statement.rowRestriction
        guard restriction != nil || statement !== last?.statement || statement.epoch != last?.epoch else { return }
        region.formUnion(statement.compiledRegion)
        last = restriction == nil ? (statement, statement.epoch) : nil
    }

    func willRead(_ table: StatementProfile.Table) { region.formUnion(DatabaseRegion(table)) }
}

extension Statement {
    /// The region that the statement reads, which an observation of the statement tracks.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT name FROM player WHERE score > 1000")
    /// statement.databaseRegion   // player(name,score)
    /// ```
    public var databaseRegion: DatabaseRegion {
        // Another connection may have changed the schema. If the check fails, for example outside an access, the known
        // schema is used; running the statement throws the error.
        try? connection.checkSchema()
        return compiledRegion
    }

    /// The region according to the schema that this connection has read.
    fileprivate var compiledRegion: DatabaseRegion {
        let region = connection.withShownTables(DatabaseRegion(reads: profile))
        guard let rowRestriction, rowRestriction.isValid(for: self) else { return region }
        return region.restricted(to: rowRestriction.rowIDs, of: rowRestriction.table)
    }
}

extension DatabaseCursor {
    /// The region that the cursor reads.
    public var databaseRegion: DatabaseRegion { statement.databaseRegion }
}
