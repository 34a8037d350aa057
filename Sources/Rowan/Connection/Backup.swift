// Online backup. Source: https://sqlite.org/backup.html

import CSQLite

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
        let source = try connection.openPointer()
        let destination = try destDb.connection.openPointer()
        guard let backup = sqlite3_backup_init(destination, "main", source, "main") else {
            throw destDb.connection.error(sqlite3_errcode(destination))
        }
        var isFinished = false
        func finish() -> CInt {
            isFinished = true
            return sqlite3_backup_finish(backup)
        }
        defer { if !isFinished { _ = finish() } }
        var isCompleted = false
        while !isCompleted {
            let code = sqlite3_backup_step(backup, pagesPerStep)
            switch code {
            case SQLITE_DONE: isCompleted = true
            case SQLITE_OK: break
            default:
                _ = finish()
                throw destDb.connection.error(code)
            }
            let report = DatabaseBackupProgress(
                remainingPageCount: Int(sqlite3_backup_remaining(backup)),
                totalPageCount: Int(sqlite3_backup_pagecount(backup)), isCompleted: isCompleted)
            do {
                try progress?(report)
            } catch  where !isCompleted {
                throw error
            } catch {
                // The copy is complete: nothing is left to abort.
            }
        }
        let code = finish()
        guard code == SQLITE_OK else { throw destDb.connection.error(code) }
        destDb.connection.schemaDidMove()
    }
}
