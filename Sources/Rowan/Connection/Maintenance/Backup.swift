// Online backup.
// Source: https://sqlite.org/backup.html

/// The progress of a backup.
///
/// Article: <doc:BackingUp>.
public struct DatabaseBackupProgress: Sendable {
    /// The number of pages that remain to be copied.
    public let remainingPageCount: Int
    /// The number of pages in the source.
    public let totalPageCount: Int
    /// Whether the backup is complete.
    public let isCompleted: Bool
    /// The number of pages that have been copied.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }
}

extension Database {
    /// Copies this database into another one, and overwrites its content.
    ///
    /// - Parameters:
    ///   - destDb: a connection to the other database, which can write.
    ///   - pagesPerStep: the number of pages to copy between two calls of `progress`; a negative number copies all
    ///     pages at once.
    ///   - progress: a closure that is called after each step. If it throws an error before the end, the backup is
    ///     aborted, and the destination is rolled back. Its errors at the end are ignored.
    /// - Throws: the error of SQLite or of `progress`; SQLITE_MISUSE if `pagesPerStep` is 0.
    public func backup(
        to destDb: Database, pagesPerStep: CInt = -1, progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        guard pagesPerStep != 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "a backup with 0 pages per step would never end: pass another number, or -1 for all pages")
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
                // The copy is complete: nothing can be aborted.
            }
        }
        try backup.finish()
        destDb.connection.schemaDidMove()
        try destDb.databaseWasReplaced()
    }
}
