// Drills of backup files.

import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import Rowan
import RowanTenants
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@testable import RowanDrills

/// A database with notes, a folder for backups, and one for copies.
final class DrillTest {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("drills-\(UUID().uuidString)")
    let pool: DatabasePool
    let backups: BackupFolder
    let log = InMemoryLogHandler()
    let metrics = TestMetrics()
    var options = RestoreDrill.Options()

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        pool = try DatabasePool(path: folder.appendingPathComponent("db.sqlite").path)
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
            for index in 0..<1_000 {
                try db.execute(sql: "INSERT INTO note (text) VALUES (?)", arguments: ["\(index)"])
            }
        }
        backups = BackupFolder(folder.appendingPathComponent("backups").path)
        options.folder = folder.appendingPathComponent("copies").path
        options.metricsFactory = metrics
    }

    deinit {
        // The system deletes leftover temporary files.
        try? FileManager.default.removeItem(at: folder)
    }

    func drill(_ check: @escaping @Sendable (Database) throws -> Void = { _ in }) -> RestoreDrill {
        RestoreDrill(
            of: backups, database: pool, options: options, logger: Logger(label: "drill") { [log] _ in log },
            check: check)
    }

    func files(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appendingPathComponent(name).path).sorted()
    }

    /// Changes a backup, as only a fault would.
    func change(_ backup: String, _ sql: String) throws {
        let queue = try DatabaseQueue(path: backup)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    func expectFailure(
        _ kind: RestoreDrillError.Kind, _ message: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ check: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) async throws {
        let error = await #expect(throws: RestoreDrillError.self, sourceLocation: sourceLocation) {
            try await drill(check).drill()
        }
        #expect(error?.kind == kind, sourceLocation: sourceLocation)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
        let entries = log.entries.filter { $0.level == .error }
        #expect(
            entries.map { "\($0.message)" } == ["the restore drill has failed: \(error?.message ?? "")"],
            sourceLocation: sourceLocation)
        #expect(try metrics.expectCounter("rowan.drill.failures").values == [1], sourceLocation: sourceLocation)
        #expect(
            try metrics.expectTimer("rowan.drill.duration", [("outcome", "failed")]).values.count == 1,
            sourceLocation: sourceLocation)
        #expect(try files("copies").isEmpty, sourceLocation: sourceLocation)
    }
}

@Suite struct BackupDrillTests {
    @Test func aBackupIsProven() async throws {
        let test = try DrillTest()
        let path = try await test.backups.add(test.pool)
        let names = try test.files("backups")
        #expect(names.count == 2)
        #expect(names[1].wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.sqlite/) != nil)
        #expect(names[0] == names[1].replacing(".sqlite", with: ".json"))
        #expect(path == "\(test.backups.path)/\(names[1])")
        // What is written later is not part of it.
        try await test.pool.write { try $0.execute(sql: "DELETE FROM note") }

        let report = try await test.drill { db in
            guard try Int.fetchOne(db, sql: "SELECT max(id) FROM note") == 1_000 else { throw CancellationError() }
        }.drill()
        #expect(report.rows == ["sqlite_schema": 1, "note": 1_000])
        #expect(report.isCompared)
        #expect(report.age < .seconds(60) && report.restoreDuration < report.duration)
        #expect(try test.metrics.expectTimer("rowan.drill.duration", [("outcome", "passed")]).values.count == 1)
        #expect(try test.metrics.expectGauge("rowan.drill.age").values.count == 1)
        let success = try #require(test.metrics.expectGauge("rowan.drill.last_success").lastValue)
        #expect(abs(success - Date().timeIntervalSince1970) < 60)
        #expect(test.log.entries.map { "\($0.message)" } == ["the backup can be restored"])
        #expect(try test.files("copies").isEmpty)
    }

    @Test func asInTheArticle() async throws {
        let test = try DrillTest()
        let (pool, logger) = (test.pool, Logger(label: "drill") { _ in test.log })
        let folder = test.backups.path
        let backups = BackupFolder(folder)
        // 2026-11-30T07-31-31.512Z.sqlite, and its digest with .json
        try await backups.add(pool)
        let drill = RestoreDrill(of: backups, database: pool, logger: logger)
        #expect(try await drill.drill().isCompared)
    }

    @Test func theNewestBackupIsTried() async throws {
        let test = try DrillTest()
        try await test.backups.add(test.pool)
        try await test.pool.write { try $0.execute(sql: "DELETE FROM note WHERE id > 10") }
        try await Task.sleep(for: .milliseconds(20))
        try await test.backups.add(test.pool)
        #expect(try await test.drill().drill().rows["note"] == 10)
    }

    @Test func backupsDuringWritesAreWhole() async throws {
        let test = try DrillTest()
        let writes = Task { [pool = test.pool] in
            while !Task.isCancelled {
                try await pool.write {
                    try $0.execute(sql: "INSERT INTO note (text) VALUES ('x'); DELETE FROM note WHERE id % 7 = 0")
                }
            }
        }
        for _ in 0..<5 {
            try await test.backups.add(test.pool)
            #expect(try await test.drill().drill().isCompared)
        }
        writes.cancel()
        do { try await writes.value } catch is CancellationError {}
    }

    @Test func missingRowsAreFound() async throws {
        let test = try DrillTest()
        try test.change(try await test.backups.add(test.pool), "DELETE FROM note WHERE id = 77")
        try await test.expectFailure(.differs, "the copy differs from the database: note: 1000 rows became 999")
    }

    @Test func changedRowsAreFound() async throws {
        let test = try DrillTest()
        try test.change(try await test.backups.add(test.pool), "UPDATE note SET text = text || ' ' WHERE id = 77")
        try await test.expectFailure(.differs, "the copy differs from the database: note: the rows differ")
    }

    @Test func damageIsFound() async throws {
        let test = try DrillTest()
        let path = try await test.backups.add(test.pool)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: 4_096)
        try file.write(contentsOf: Data(repeating: 0x5a, count: 4_096))
        try file.close()
        try await test.expectFailure(.damaged, "the copy")
    }

    @Test func aFileThatIsNoDatabase() async throws {
        let test = try DrillTest()
        try Data("no database at all, but long enough for its header".utf8)
            .write(to: URL(fileURLWithPath: try await test.backups.add(test.pool)))
        try await test.expectFailure(.damaged, "the copy can't be read: SQLite error 26")
    }

    @Test func theCheckOfTheProgram() async throws {
        struct TooFew: Error {}
        let test = try DrillTest()
        try await test.backups.add(test.pool)
        try await test.expectFailure(.checkFailed, "the check of the program has failed: TooFew()") { _ in
            throw TooFew()
        }
    }

    /// A fault of the disk of the copy is no damage of the backup: while it is opened, and while the program checks it.
    @Test(arguments: [ResultCode.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN], [true, false])
    func faultsOfTheCopy(_ code: ResultCode, isOpening: Bool) async throws {
        let test = try DrillTest()
        try await test.backups.add(test.pool)
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            if isOpening, db.configuration.label == "restore drill" { throw DatabaseError(resultCode: code) }
        }
        let database = try DatabaseQueue(path: test.pool.path, configuration: configuration)
        let drill = RestoreDrill(of: test.backups, database: database, options: test.options) { _ in
            throw DatabaseError(resultCode: code)
        }
        let error = await #expect(throws: RestoreDrillError.self) { try await drill.drill() }
        #expect(error?.kind == .unreadable)
        #expect(error?.message.hasPrefix("the copy could not be checked, which says nothing about the backup") == true)
        #expect(error?.message.hasSuffix("Check the disk of \(test.options.folder)") == true)
        #expect(try test.metrics.expectCounter("rowan.drill.failures").values == [1])
    }

    /// Processes that take each other's new folders for leftovers all get one.
    @Test func foldersAtTheSameTime() async throws {
        let test = try DrillTest()
        let parent = test.options.folder
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        let folder = try LockedFolder(in: parent, prefix: ".rowan-drill-")
                        #expect(FileManager.default.fileExists(atPath: folder.path))
                        folder.remove()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try test.files("copies").isEmpty)
    }

    @Test func oldBackups() async throws {
        let test = try DrillTest()
        let path = try await test.backups.add(test.pool)
        let yesterday = Date(timeIntervalSinceNow: -26 * 3_600)
        try FileManager.default.setAttributes([.modificationDate: yesterday], ofItemAtPath: path)
        try await test.expectFailure(.tooOld, "the newest backup, \(path), is from ")
        test.options.maximumAge = .seconds(27 * 3_600)
        let age = try await test.drill().drill().age
        #expect(age > .seconds(26 * 3_600) && age < .seconds(27 * 3_600))
    }

    @Test func backupsFromTheFuture() async throws {
        let test = try DrillTest()
        let path = try await test.backups.add(test.pool)
        let tomorrow = Date(timeIntervalSinceNow: 24 * 3_600)
        try FileManager.default.setAttributes([.modificationDate: tomorrow], ofItemAtPath: path)
        try await test.expectFailure(.tooOld, "the newest backup, \(path), is from the future: ")
    }

    @Test func temporaryTablesAreNotRead() async throws {
        let test = try DrillTest()
        let path = try await test.backups.add(test.pool)
        try test.change(path, "UPDATE note SET text = '' WHERE id = 5")
        let digests = try ["", "CREATE TEMP TABLE note (id, text)"].map { sql in
            try DatabaseQueue(path: path).writeWithoutTransaction { db in
                try db.execute(sql: sql)
                return try DatabaseDigest(db)
            }
        }
        #expect(digests[0] == digests[1])
        #expect(digests[0].tables["note"]?.rows == 1_000)
    }

    @Test func noBackups() async throws {
        let test = try DrillTest()
        try await test.expectFailure(.noBackup, "\(test.backups.path) contains no file *.sqlite")
    }

    @Test func anUnreadableDigest() async throws {
        let test = try DrillTest()
        let path = try await test.backups.add(test.pool)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: path.replacing(".sqlite", with: ".json")))
        try await test.expectFailure(.unreadable, "no copy could be made: ")
    }

    @Test func aBackupByOtherMeansIsNotCompared() async throws {
        let test = try DrillTest()
        try FileManager.default.createDirectory(atPath: test.backups.path, withIntermediateDirectories: true)
        let other = try DatabaseQueue(path: test.backups.path + "/nightly.sqlite")
        try test.pool.backup(to: other)
        try other.close()
        let report = try await test.drill().drill()
        #expect(!report.isCompared && report.rows["note"] == 1_000)
    }

    @Test func leftoversOfKilledProcessesAreRemoved() async throws {
        let test = try DrillTest()
        let copies = test.options.folder
        for name in [".rowan-drill-dead", ".rowan-drill-alive", ".rowan-new-dead", "other"] {
            try FileManager.default.createDirectory(atPath: "\(copies)/\(name)", withIntermediateDirectories: true)
        }
        let lock = open("\(copies)/.rowan-drill-alive", O_RDONLY)
        #expect(flock(lock, LOCK_EX) == 0)
        defer { close(lock) }
        try await test.backups.add(test.pool)
        try await test.drill().drill()
        #expect(try test.files("copies") == [".rowan-drill-alive", "other"])
    }

    @Test func theServiceGoesOnAfterFailures() async throws {
        let test = try DrillTest()
        (test.options.delay, test.options.interval) = (.zero, .milliseconds(10))
        let drill = test.drill()
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await drill.run() }
                func messages() -> Set<String> { Set(test.log.entries.map { "\($0.message)" }) }
                while messages().isEmpty { try await Task.sleep(for: .milliseconds(2)) }
                try await test.backups.add(test.pool)
                while messages().count < 2 { try await Task.sleep(for: .milliseconds(2)) }
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
                #expect(
                    messages() == [
                        "the restore drill has failed: \(test.backups.path) contains no file *.sqlite",
                        "the backup can be restored",
                    ])
            }
        }
        #expect(try test.files("copies").isEmpty)
    }
}
