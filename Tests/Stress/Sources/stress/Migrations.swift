// Processes migrate a file and are killed at any statement: the file is always in the state after one of the
// migrations, and the next process completes the rest. Eight simultaneous processes run each migration once.

import Foundation
import Rowan

extension Part {
    static let migrations = Part(
        name: "migrations", summary: "SIGKILL during migrations: each is there as a whole or not at all, and runs once",
        weight: 1.5
    ) { run in
        for kind in Kind.allCases {
            let path = run.folder.path("killed-\(kind)-\(run.seed).sqlite")
            var kills = 0
            repeat {
                run.note("\(kind), kill \(kills)")
                kills += 1
            } while try killMigration(run, path, kind) && kills < 8
            try checkFinish(run, path, kind)
            if run.isOver { return }
            run.note("\(kind), eight processes")
            try migrateAtOnce(run, run.folder.path("crowd-\(kind)-\(run.seed).sqlite"), kind)
        }
    }
}

/// Runs the migrations in a process that is killed after a random number of statements.
///
/// - Returns: whether the process was killed.
private func killMigration(_ run: Run, _ path: String, _ kind: Kind) throws -> Bool {
    let (process, output) = try Children.start(["child-migrations", path, kind.rawValue])
    let killer = run.number(1...(Migrations.count * 14))
    let pause = UInt32(run.number(0...1_000))
    var count = 0
    var isKilled = false
    while true {
        let data = output.availableData
        guard !data.isEmpty else { break }
        count += data.count { $0 == 10 }
        if !isKilled, count >= killer {
            usleep(pause)
            kill(process.processIdentifier, SIGKILL)
            isKilled = true
        }
    }
    process.waitUntilExit()
    run.count(isKilled ? "kills" : "complete migrations")
    try checkState(run, path, kind)
    return isKilled
}

/// Checks that the schema and the rows are those of the migrations recorded in the file.
private func checkState(_ run: Run, _ path: String, _ kind: Kind) throws {
    let writer = try kind.open(path)
    let migrator = Migrations.migrator()
    try writer.read { db in
        let integrity = try db.text("PRAGMA integrity_check")
        run.expect(integrity == "ok", "\(kind): integrity_check: \(integrity)")
        let applied = try migrator.appliedMigrations(db)
        run.expect(applied == Array(migrator.migrations.prefix(applied.count)), "\(kind): \(applied) have run")
        let differences = try migrator.schemaDifferences(db)
        run.expect(differences.isEmpty, "\(kind): after \(applied.count) migrations: \(differences)")
        try db.checkForeignKeys()
        guard !applied.isEmpty else { return }
        let logged = try String.fetchAll(db, sql: "SELECT name FROM log ORDER BY rowid")
        run.expect(logged == applied, "\(kind): \(applied) are recorded, \(logged) have run")
    }
    try writer.close()
}

private func checkFinish(_ run: Run, _ path: String, _ kind: Kind) throws {
    let writer = try kind.open(path)
    try Migrations.migrator().migrate(writer)
    try writer.close()
    try checkState(run, path, kind)
    run.count("finished jobs")
}

private func migrateAtOnce(_ run: Run, _ path: String, _ kind: Kind) throws {
    let children = try (0..<8).map { _ in try Children.start(["child-migrations", path, kind.rawValue]) }
    // All outputs are read concurrently, because a full pipe would block a child.
    let readers = children.map { child in
        let reader = Thread { while !child.output.availableData.isEmpty {} }
        reader.start()
        return reader
    }
    for child in children {
        child.process.waitUntilExit()
        run.expect(child.process.terminationStatus == 0, "\(kind): a process could not migrate")
    }
    withExtendedLifetime(readers) {}
    run.count("processes at once", children.count)
    try checkState(run, path, kind)
    let writer = try kind.open(path)
    let hasCompleted = try writer.read(Migrations.migrator().hasCompletedMigrations)
    run.expect(hasCompleted, "\(kind): eight processes have not completed the migrations")
    try writer.close()
}

/// The migrations: tables, indexes, rows, recreated tables, and a migration in SQL.
enum Migrations {
    static let count = 16

    static func migrator() -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.lockTimeout = 120
        migrator.registerMigration("base") { db in
            try db.execute(sql: "CREATE TABLE log (name TEXT NOT NULL)")
            try db.create(table: "parent") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("value", .integer)
            }
            for value in 0..<20 { try db.execute(sql: "INSERT INTO parent (value) VALUES (?)", arguments: [value]) }
            try log("base", db)
        }
        for number in 1..<(count - 1) { register(number, &migrator) }
        migrator.registerMigration(
            "sql",
            sql: """
                CREATE VIEW parents AS SELECT * FROM parent;
                CREATE TRIGGER t AFTER DELETE ON child1 BEGIN DELETE FROM child2 WHERE parentId = old.parentId; END;
                INSERT INTO log VALUES ('sql');
                """)
        return migrator
    }

    private static func register(_ number: Int, _ migrator: inout DatabaseMigrator) {
        let name = "child\(number)"
        migrator.registerMigration(name, foreignKeyChecks: number.isMultiple(of: 2) ? .deferred : .changedTables) {
            db in
            try db.create(table: name) { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("parent", onDelete: .cascade).notNull()
                t.column("payload", .blob)
            }
            for parent in 1...8 {
                try db.execute(
                    sql: "INSERT INTO \(name) (parentId, payload) VALUES (?, zeroblob(?))",
                    arguments: [parent, number * 300])
            }
            if number.isMultiple(of: 3) { try createParentsAnew(number, db) }
            try log(name, db)
        }
    }

    private static func createParentsAnew(_ number: Int, _ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE new_parent (id INTEGER PRIMARY KEY AUTOINCREMENT, value INTEGER, extra\(number) TEXT);
                INSERT INTO new_parent (id, value) SELECT id, value FROM parent;
                DROP TABLE parent;
                ALTER TABLE new_parent RENAME TO parent;
                """)
    }

    private static func log(_ name: String, _ db: Database) throws {
        try db.execute(sql: "INSERT INTO log VALUES (?)", arguments: [name])
    }

    /// The process that migrates, and writes a line for each statement.
    static func migrate(path: String, kind: Kind) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.trace { _ in
                // Without a reader, the parent has died.
                if write(1, "\n", 1) < 0 { exit(0) }
            }
        }
        let writer = try kind.open(path, configuration)
        try migrator().migrate(writer)
        try writer.close()
    }
}
