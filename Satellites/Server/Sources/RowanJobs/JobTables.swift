// The tables of jobs.
//
// A job moves through states: it may be delayed until it is due, held while others have its key, or blocked by its
// batch; then it is ready, then running. A job that has ended is deleted, or moved to another table. Triggers count the
// jobs by queue and state, so that nothing that a worker does takes longer with more of them.

public import Rowan

/// The state of a job, as it is stored.
enum StoredState: Int64 {
    case delayed = 0
    /// As many jobs as may run at the same time have its key.
    case held = 1
    case ready = 2
    case running = 3
    /// The job follows a batch that has not ended.
    case blocked = 4
}

/// The tables of jobs.
enum JobTables {
    static let version = 1

    /// Each statement can be executed again. The tables are strict, so that workers can read what other programs write.
    static let definitions = """
        CREATE TABLE IF NOT EXISTS rowan_job (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            version INTEGER NOT NULL,
            payload TEXT NOT NULL,
            queue TEXT NOT NULL,
            priority INTEGER NOT NULL,
            state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
            due INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            key TEXT,
            keyLimit INTEGER NOT NULL,
            uniqueKey TEXT,
            batch INTEGER,
            follows INTEGER,
            trace TEXT,
            enqueued INTEGER NOT NULL,
            started INTEGER,
            worker INTEGER,
            lease INTEGER,
            cancelled INTEGER NOT NULL DEFAULT 0,
            progress REAL,
            error TEXT
        ) STRICT;
        CREATE INDEX IF NOT EXISTS rowan_job_ready ON rowan_job (queue, priority DESC, id) WHERE state = 2;
        CREATE INDEX IF NOT EXISTS rowan_job_delayed ON rowan_job (due) WHERE state = 0;
        CREATE INDEX IF NOT EXISTS rowan_job_running ON rowan_job (worker) WHERE state = 3;
        CREATE INDEX IF NOT EXISTS rowan_job_key ON rowan_job (queue, key, state, priority DESC, id)
            WHERE key IS NOT NULL;
        CREATE INDEX IF NOT EXISTS rowan_job_unique ON rowan_job (kind, uniqueKey, (state = 3))
            WHERE uniqueKey IS NOT NULL;
        CREATE TABLE IF NOT EXISTS rowan_job_count (
            queue TEXT NOT NULL,
            state INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (queue, state)
        ) WITHOUT ROWID, STRICT;
        CREATE TRIGGER IF NOT EXISTS rowan_job_insert AFTER INSERT ON rowan_job BEGIN
            INSERT INTO rowan_job_count VALUES (new.queue, new.state, 1)
                ON CONFLICT (queue, state) DO UPDATE SET count = count + 1;
        END;
        CREATE TRIGGER IF NOT EXISTS rowan_job_update AFTER UPDATE OF state, queue ON rowan_job BEGIN
            UPDATE rowan_job_count SET count = count - 1 WHERE queue = old.queue AND state = old.state;
            INSERT INTO rowan_job_count VALUES (new.queue, new.state, 1)
                ON CONFLICT (queue, state) DO UPDATE SET count = count + 1;
        END;
        CREATE TRIGGER IF NOT EXISTS rowan_job_delete AFTER DELETE ON rowan_job BEGIN
            UPDATE rowan_job_count SET count = count - 1 WHERE queue = old.queue AND state = old.state;
        END;
        CREATE TABLE IF NOT EXISTS rowan_job_failed (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            version INTEGER NOT NULL,
            payload TEXT NOT NULL,
            queue TEXT NOT NULL,
            priority INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            key TEXT,
            keyLimit INTEGER NOT NULL,
            uniqueKey TEXT,
            batch INTEGER,
            follows INTEGER,
            trace TEXT,
            enqueued INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            error TEXT NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS rowan_job_failed_expires ON rowan_job_failed (expires);
        CREATE INDEX IF NOT EXISTS rowan_job_failed_queue ON rowan_job_failed (queue, id);
        CREATE INDEX IF NOT EXISTS rowan_job_failed_batch ON rowan_job_failed (batch) WHERE batch IS NOT NULL;
        CREATE TABLE IF NOT EXISTS rowan_job_result (
            id INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            cancelled INTEGER NOT NULL,
            result TEXT,
            ended INTEGER NOT NULL,
            expires INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS rowan_job_result_expires ON rowan_job_result (expires);
        CREATE TABLE IF NOT EXISTS rowan_job_batch (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            total INTEGER NOT NULL,
            remaining INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            afterFailures INTEGER NOT NULL,
            next INTEGER
        ) STRICT;
        CREATE TABLE IF NOT EXISTS rowan_job_schedule (
            name TEXT PRIMARY KEY,
            definition TEXT NOT NULL,
            next INTEGER NOT NULL,
            last INTEGER
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE IF NOT EXISTS rowan_job_worker (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL,
            beat INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE IF NOT EXISTS rowan_job_version (version INTEGER PRIMARY KEY) STRICT;
        INSERT INTO rowan_job_version SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM rowan_job_version);
        """

    /// Throws if the tables are missing, or unknown to this version of the library.
    static func check(_ db: Database) throws {
        guard try db.tableExists("rowan_job_version", in: "main"),
            let version = try Int64.fetchOne(db, sql: "SELECT max(version) FROM main.rowan_job_version")
        else {
            throw JobError(
                .tables, "the database has no tables of jobs: call `Jobs.createTables(db)` in a migration")
        }
        guard version == self.version else {
            throw JobError(
                .tables,
                "the tables of jobs have version \(version), and this program uses version \(self.version): update it")
        }
    }
}

extension Jobs {
    /// Creates the tables of jobs, unless they exist. Their names begin with `rowan_job`.
    ///
    /// ```swift
    /// migrator.registerMigration("jobs") { db in try Jobs.createTables(db) }
    /// ```
    ///
    /// - Throws: the errors of the connection.
    public static func createTables(_ db: Database) throws { try db.execute(sql: JobTables.definitions) }
}
