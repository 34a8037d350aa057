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
    /// The number of copied pages.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }
}

extension Database {
    /// Copies this database into another, overwriting its content.
    ///
    /// - Parameters:
    ///   - destDb: a writing connection to the other database.
    ///   - pagesPerStep: the number of pages to copy between two calls of `progress`; a negative number copies all
    ///     pages at once.
    ///   - progress: a closure called after each step. If it throws an error before the last step, the backup is
    ///     aborted and the destination is rolled back. Errors after the last step are ignored.
    /// - Throws: the error of SQLite or `progress`; SQLITE_MISUSE if `pagesPerStep` is 0.
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
                // The copy is complete, so nothing can be aborted.
            }
        }
        try backup.finish()
        destDb.connection.schemaDidMove()
        try destDb.databaseWasReplaced()
    }
}
