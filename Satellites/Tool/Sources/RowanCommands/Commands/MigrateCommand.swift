import ArgumentParser
import Foundation
import Rowan

struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Creates, checks and runs migrations, which are SQL files in a folder.",
        discussion: """
            rowan migrate create "add teams"
            rowan migrate plan players.sqlite
            rowan migrate up players.sqlite

            The names of the files, without .sql, are the names of the migrations, and decide their order. A database stores which \
            ones have run, and checksums of their texts.
            """,
        subcommands: [Create.self, Status.self, Plan.self, Check.self, Up.self, Baseline.self, Repair.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Writes a new file for a migration.")

        @Argument(help: "What the migration does, such as \"add teams\".") var name: String
        @OptionGroup var migrations: MigrationFolder
        @Option(
            help:
                "Draft the migration from the schema of a database, compared with the one that the migrations create.",
            completion: .file())
        var fromDiff: String?

        func run() async throws {
            let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }
            guard !words.isEmpty else { throw Failure.usage("the name of a migration has letters or digits") }
            var text = "-- \(name.onOneLine)\n"
            if let fromDiff {
                let exists = FileManager.default.fileExists(atPath: migrations.folder)
                let migrator = exists ? try migrations.migrator() : DatabaseMigrator()
                text += try await DatabaseFile.read(fromDiff) { try MigrationDraft($0, migrator).text }
            }
            try FileManager.default.createDirectory(atPath: migrations.folder, withIntermediateDirectories: true)
            let time = Date.now.formatted(
                Date.VerbatimFormatStyle(
                    format:
                        "\(year: .extended(minimumLength: 4))\(month: .twoDigits)\(day: .twoDigits)\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased))\(minute: .twoDigits)\(second: .twoDigits)",
                    timeZone: .gmt, calendar: Calendar(identifier: .gregorian)))
            let path = "\(migrations.folder)/\(try prefix(time))-\(words.joined(separator: "-")).sql"
            try Data(text.utf8).write(to: URL(filePath: path), options: .withoutOverwriting)
            print(path.forTerminal)
        }

        /// The names decide the order: a migration of the same second comes after those that are there.
        private func prefix(_ time: String) throws -> String {
            let present = try FileManager.default.contentsOfDirectory(atPath: migrations.folder)
                .filter { $0.hasSuffix(".sql") }.map { $0.prefix(time.count) }.compactMap { Int($0) }
            guard let last = present.max(), let now = Int(time), last >= now else { return time }
            return String(last + 1)
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the migrations: applied, pending, edited after they have run, or unknown to the folder.")

        @OptionGroup var file: DatabaseFile
        @OptionGroup var migrations: MigrationFolder

        func run() async throws {
            let migrator = try migrations.migrator()
            let states = try await file.read { try MigrationStates(migrator, $0) }
            for (identifier, state) in states.states {
                print("\(state.rawValue.padded(to: 8)) \(identifier.onOneLine)")
            }
            if !states.wrong.isEmpty { throw Findings() }
        }
    }

    struct Plan: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Runs the pending migrations on a copy, and prints what they do to the schema and to the rows.",
            discussion: "The migrations can't attach other databases, which they would change.")

        @OptionGroup var file: DatabaseFile
        @OptionGroup var migrations: MigrationFolder

        func run() async throws {
            let trial = try await trial(migrations.migrator(), file)
            guard !trial.preview.steps.isEmpty else { return print("nothing to do") }
            print(trial.preview.description.forTerminal)
            var table = TextTable(columns: ["table", "rows before", "rows after"])
            table.numbers = [1, 2]
            table.rows = trial.counts.map { name, before, after in
                [name, before.map(String.init) ?? "", after.map(String.init) ?? ""]
            }
            print(table.text(.box), terminator: "")
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Fails if the pending migrations can't run, or lose rows that no statement deletes.")

        @OptionGroup var file: DatabaseFile
        @OptionGroup var migrations: MigrationFolder

        func run() async throws {
            let trial = try await trial(migrations.migrator(), file)
            for (table, before, after) in trial.silentLosses {
                print("\(table.onOneLine) loses \(before - after) of \(before) rows, and no statement deletes them")
            }
            if !trial.silentLosses.isEmpty { throw Findings() }
            print("\(trial.preview.steps.count) pending")
        }
    }

    struct Up: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Runs the pending migrations. Writes the database, and a file schema.sql next to the folder, if there is one."
        )

        @OptionGroup var file: DatabaseFile
        @OptionGroup var migrations: MigrationFolder
        @Option(help: "The last migration to run.") var to: String?
        @Option(help: "Copy the database to this file before the first migration.", completion: .file()) var backup:
            String?
        @Option(help: "Write the schema that all migrations create to this file.", completion: .file()) var schema:
            String?

        func run() async throws {
            var migrator = try migrations.migrator()
            let (path, to) = (file.database, to)
            if FileManager.default.fileExists(atPath: path) {
                let known = migrator
                try await file.read { try MigrationStates(known, $0).check() }
            }
            if let backup { try DatabaseFile.requirePath(backup) }
            migrator.backupPath = backup ?? migrator.backupPath
            let ready = migrator
            let wasMissing = !FileManager.default.fileExists(atPath: path)
            var failure: (any Error)?
            let ran = try await DatabaseFile.explaining(path) {
                let queue = try DatabaseFile.open(path, isReadOnly: false, creates: true)
                let before = try await queue.read { try ready.appliedIdentifiers($0) }
                do { try await interruptible { try await ready.asyncMigrate(queue, upTo: to) } } catch {
                    failure = error
                }
                defer { try? queue.close() }  // The transactions have ended.
                return try await queue.read { try ready.appliedMigrations($0) }.filter { !before.contains($0) }
            }
            for identifier in ran { print("applied \(identifier.onOneLine)") }
            if let failure {
                if ran.isEmpty, wasMissing { DatabaseFile.remove(path) }
                throw Self.explained(failure, path, ran)
            }
            if ran.isEmpty { print("nothing to do") }
            let beside = URL(filePath: migrations.folder).deletingLastPathComponent().appending(path: "schema.sql").path
            if let target = schema ?? (FileManager.default.fileExists(atPath: beside) ? beside : nil) {
                try migrator.writeSchema(to: URL(filePath: target))
            }
        }

        /// Each migration is a transaction: those before an error remain.
        private static func explained(_ error: any Error, _ path: String, _ ran: [String]) -> any Error {
            switch (error as? DatabaseError).map({ DatabaseFile.explained($0, path) }) ?? error {
            case is CancellationError where !ran.isEmpty:
                Failure(message: "interrupted: the migrations above remain applied", exitCode: 130)
            case let error as MigrationError: Failure(message: "\(error)")
            case let error: error
            }
        }
    }

    struct Baseline: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Records migrations as applied without running them. Writes the database.",
            discussion: "For a database that was made without these migrations, and has the schema that they create.")

        @OptionGroup var file: DatabaseFile
        @OptionGroup var migrations: MigrationFolder
        @Flag(help: "Also if the schema differs.") var force = false

        func run() async throws {
            let (migrator, force) = (try migrations.migrator(), force)
            let expected = try DatabaseQueue(path: "")
            try MigrationRecords.quietly(migrator).migrate(expected)
            let records = try await expected.read { try MigrationRecords($0) }
            let differences = try await file.write { db in
                let found = try expected.read { try db.schemaDifferences(from: $0) }
                    .filter { !MigrationRecords.tables.contains($0.object.tableName) }
                guard found.isEmpty || force else { return found.map(\.description) }
                try records.store(migrator.migrations, in: db)
                return []
            }
            for difference in differences { print(difference.onOneLine) }
            guard differences.isEmpty else { throw Findings() }
            print("\(migrator.migrations.count) recorded as applied")
        }
    }

    struct Repair: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Accepts the new text of migrations that were edited, or forgets unknown ones. Writes the database.")

        @OptionGroup var file: DatabaseFile
        @OptionGroup var migrations: MigrationFolder
        @Option(help: "An edited migration, whose new text is right. May be repeated.") var accept: [String] = []
        @Option(help: "A migration that is not in the folder. May be repeated.") var forget: [String] = []

        func validate() throws {
            guard !accept.isEmpty || !forget.isEmpty else {
                throw ValidationError("pass --accept or --forget, with a name that rowan migrate status prints")
            }
        }

        func run() async throws {
            let (migrator, accept, forget) = (try migrations.migrator(), accept, forget)
            try await file.write { db in
                let states = try MigrationStates(migrator, db)
                func require(_ identifier: String, _ state: MigrationStates.State) throws {
                    guard states.states.contains(where: { $0.identifier == identifier && $0.state == state }) else {
                        throw Failure(
                            message: "the migration \(identifier) is not \(state.rawValue): see rowan migrate status")
                    }
                }
                for identifier in accept { try require(identifier, .edited) }
                for identifier in forget { try require(identifier, .unknown) }
                if let last = migrator.migrations.last(where: accept.contains) {
                    try MigrationRecords.of(migrator, upTo: last).store(accept, in: db)
                }
                for identifier in forget { try MigrationRecords.forget(identifier, in: db) }
            }
            for identifier in accept { print("accepted \(identifier.onOneLine)") }
            for identifier in forget { print("forgot \(identifier.onOneLine)") }
        }
    }
}

/// A trial of the pending migrations.
private func trial(_ migrator: DatabaseMigrator, _ file: DatabaseFile) async throws -> MigrationTrial {
    try await file.read { try MigrationStates(migrator, $0).check() }
    let path = file.database
    return try await DatabaseFile.explaining(path) {
        do { return try MigrationTrial(migrator, path) } catch let error as MigrationError {
            throw Failure(message: "\(error)")
        } catch let error as DatabaseError where error.message?.hasPrefix("too many attached databases") ?? false {
            throw Failure(message: "a plan can't attach databases, which it would change: try the migrations on copies")
        }
    }
}
