// Checkpoints of a write-ahead log, and their guards.

import RowanSQLite

extension LocalConnection {
    /// Copies frames of the WAL into the database file. <https://sqlite.org/c3ref/wal_checkpoint_v2.html>
    package func checkpoint(_ mode: CInt, on schema: String?) throws -> (frames: Int, checkpointed: Int) {
        _ = try openPointer()
        var (frameCount, doneCount): (CInt, CInt) = (-1, -1)
        try check(checkpointUnchecked(mode, on: schema, &frameCount, &doneCount))
        return (Int(frameCount), Int(doneCount))
    }

    /// A checkpoint that reports no error on failure: the next checkpoint does the remaining work.
    ///
    /// - Returns: SQLite's result code.
    package func checkpointUnchecked(_ mode: CInt, on schema: String) -> CInt {
        var (frameCount, doneCount): (CInt, CInt) = (-1, -1)
        return checkpointUnchecked(mode, on: schema, &frameCount, &doneCount)
    }

    private func checkpointUnchecked(
        _ mode: CInt, on schema: String?, _ frameCount: inout CInt, _ doneCount: inout CInt
    ) -> CInt {
        guard let pointer else { return SQLITE_MISUSE }
        for checkpointGuard in guards { (checkpointGuard.mode, checkpointGuard.isWaiting) = (mode, true) }
        var code = SQLITE_OK
        defer {
            for checkpointGuard in guards {
                checkpointGuard.endWaiting(code)
                checkpointGuard.mode = SQLITE_CHECKPOINT_PASSIVE
            }
        }
        var pauseCount = 0
        while true {
            code = sqlite3_wal_checkpoint_v2(pointer, schema, mode, &frameCount, &doneCount)
            // A guard can't wait itself: SQLite calls its handler only for its own locks.
            guard code == SQLITE_BUSY, mode != SQLITE_CHECKPOINT_PASSIVE, guards.contains(where: \.hasMetOther),
                hooks?.waitsForLock(after: pauseCount) == true
            else { return code }
            pauseCount += 1
        }
    }

    // MARK: Guards

    /// Guards the checkpoints of the databases of a writing connection.
    ///
    /// - Parameter report: receives all checkpoints; nil if there is no listener.
    package func guardCheckpoints(_ report: ((CheckpointResult) -> Void)?) {
        let excludesWriters = Self.hasWALResetBug(version: Int(Self.libraryVersion))
        guard report != nil || excludesWriters, let hooks else { return }
        // No weak reference to the connection, because it would slow down each retain (benchmark point-read-access).
        makeGuard = { file in
            // The program must not reset the statement whose commit caused the call.
            let careful = report.map { report in
                { (result: CheckpointResult) in hooks.calling { report(result) } }
            }
            return CheckpointGuard(file, excludesWriters: excludesWriters, careful)
        }
        updateGuards()
    }

    /// Guards the currently attached databases.
    func updateGuards() {
        guard let pointer, let makeGuard else { return }
        guards.removeAll { $0.file == nil }
        var index: CInt = 0
        while let name = sqlite3_db_name(pointer, index) {
            index += 1
            var file: CheckpointGuard.File?
            guard sqlite3_file_control(pointer, name, SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
                let new = makeGuard(file)
            else { continue }
            guards.append(new)
            if index == 1 { mainGuard = new }
        }
    }

    /// The number of pages in the log of the main database; nil without a log or a listener.
    package var walPageCount: Int? { mainGuard?.frameCount }

    /// The number of pages in the log from which a commit is followed by a checkpoint; 0 for never.
    package var automaticCheckpointSize: Int { textUnchecked("PRAGMA wal_autocheckpoint").flatMap { Int($0) } ?? 0 }

    /// Whether the main database is in WAL mode.
    var isInWAL: Bool { textUnchecked("PRAGMA main.journal_mode") == "wal" }

    /// The first value of an unreported query; nil after an error.
    private func textUnchecked(_ sql: String) -> String? {
        guard let hooks else { return nil }
        return hooks.silently {
            var statement: SQLiteStatement?
            defer { sqlite3_finalize(statement) }
            guard sqlite3_prepare_v2(pointer, sql, -1, &statement, nil) == SQLITE_OK,
                sqlite3_step(statement) == SQLITE_ROW
            else { return nil }
            return sqlite3_column_text(statement, 0).map { String(cString: $0) }
        }
    }

    /// Whether an SQLite version, in SQLite's numbering, has the WAL-reset bug: 3040001 is 3.40.1.
    package static func hasWALResetBug(version: Int) -> Bool {
        switch version {
        case 3_044_006..<3_045_000, 3_050_007..<3_051_000: false
        default: (3_007_000..<3_051_003).contains(version)
        }
    }
}
