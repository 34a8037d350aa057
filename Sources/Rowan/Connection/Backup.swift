// Online backup. Source: https://sqlite.org/backup.html

/// The progress of a backup.
public struct DatabaseBackupProgress: Sendable {
    /// The number of pages that are still to be copied.
    public let remainingPageCount: Int
    /// The number of pages of the source.
    public let totalPageCount: Int
    /// Whether the backup is complete.
    public let isCompleted: Bool
    /// The number of pages that are copied.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }
}

extension Database {
    /// Copies this database into another, which is overwritten.
    ///
    /// - Parameters:
    ///   - pagesPerStep: the number of pages between two calls of `progress`; negative for all at once.
    ///   - progress: called after each step. An error that it throws before the end aborts the backup, and the
    ///     destination is rolled back; at the end, errors are ignored.
    /// - Throws: the error of SQLite, or of `progress`; SQLITE_MISUSE for 0 pages a step.
    public func backup(
        to destDb: Database, pagesPerStep: CInt = -1, progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        guard pagesPerStep != 0 else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a backup of 0 pages a step would never end")
        }
        let backup = try LocalConnection.Backup(from: connection, to: destDb.connection)
        var isCompleted = false
        while !isCompleted {
            isCompleted = try backup.step(pagesPerStep)
            let report = DatabaseBackupProgress(
                remainingPageCount: backup.remainingPageCount, totalPageCount: backup.totalPageCount,
                isCompleted: isCompleted)
            do {
                try progress?(report)
            } catch  where !isCompleted {
                throw error
            } catch {
                // The copy is complete: nothing is left to abort.
            }
        }
        try backup.finish()
        destDb.connection.schemaDidMove()
    }
}
