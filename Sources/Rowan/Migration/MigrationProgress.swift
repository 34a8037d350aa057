// The progress of migrations.

/// The progress of a migration.
public struct MigrationProgress: Hashable, Sendable {
    /// The identifier of the migration.
    public let identifier: String
    /// The position of the migration among those that run, from 0.
    public let index: Int
    /// The number of migrations that run.
    public let count: Int
    /// The number of units of work that the migration has completed: see
    /// ``Database/reportMigrationProgress(_:of:)``.
    public internal(set) var completedUnitCount: Int
    /// The number of units of work of the migration. A migration that reports none has one.
    public internal(set) var totalUnitCount: Int

    /// The completed part of this migration, from 0 to 1.
    public var fractionCompleted: Double {
        totalUnitCount <= 0 ? 1 : min(max(Double(completedUnitCount) / Double(totalUnitCount), 0), 1)
    }

    /// Whether the migration is committed.
    public internal(set) var isCommitted = false
}

/// Receives the reports of the current migration.
final class MigrationReporter: ConnectionStateValue {
    static var place: ConnectionState.Place { .init(5, .connection) }

    private var progress: MigrationProgress
    private let report: @Sendable (MigrationProgress) -> Void

    init(_ progress: MigrationProgress, _ report: @escaping @Sendable (MigrationProgress) -> Void) {
        self.progress = progress
        self.report = report
    }

    func advance(_ completed: Int, of total: Int) {
        progress.completedUnitCount = completed
        progress.totalUnitCount = total
        report(progress)
    }

    func commit() {
        progress.completedUnitCount = progress.totalUnitCount
        progress.isCommitted = true
        report(progress)
    }
}

extension Database {
    /// Reports the progress of the current migration to ``DatabaseMigrator/onProgress``. Outside a migration, it does
    /// nothing.
    ///
    /// ```swift
    /// migrator.registerMigration("Search names") { db in
    ///     let count = try Player.fetchCount(db)
    ///     for (index, player) in try Player.fetchAll(db).enumerated() {
    ///         try player.updateSearchName(db)
    ///         db.reportMigrationProgress(index + 1, of: count)
    ///     }
    /// }
    /// ```
    public func reportMigrationProgress(_ completedUnitCount: Int, of totalUnitCount: Int) {
        state[MigrationReporter.self]?.advance(completedUnitCount, of: totalUnitCount)
    }

    /// Runs a migration and reports its start, progress and commit.
    func reportingMigrationProgress(
        _ identifier: String, _ index: Int, _ count: Int, _ report: (@Sendable (MigrationProgress) -> Void)?,
        _ migrate: (_ begin: () -> Void) throws -> Void
    ) throws {
        guard let report else { return try migrate {} }
        let progress = MigrationProgress(
            identifier: identifier, index: index, count: count, completedUnitCount: 0, totalUnitCount: 1)
        defer { state[MigrationReporter.self] = nil }
        // If another process has run the migration in the meantime, it does not start here.
        try migrate {
            report(progress)
            state[MigrationReporter.self] = MigrationReporter(progress, report)
        }
        state[MigrationReporter.self]?.commit()
    }
}
