// The recovery of what is left in a damaged file.

public import Rowan
public import RowanPlatform

extension Database {
    /// Recovers what can be read of a damaged database file into a new file.
    ///
    /// ```swift
    /// let report = try Database.salvage("damaged.sqlite", into: "recovered.sqlite")
    /// print(report)
    /// // player: 4210 rows, 2 unreadable pages
    /// // lost_and_found: 96 rows
    /// // 2 damaged pages of 182: 77, 78
    /// ```
    ///
    /// The file is read page by page, without the structure that SQLite needs: its header, its schema or some of its pages
    /// may be destroyed, and its end may be missing. The pages of a write-ahead log and of an interrupted transaction are
    /// taken into account. The damaged file is not changed.
    ///
    /// The recovered database has the tables, rows and rowids, then the indexes, views, triggers and virtual tables of the
    /// file. Constraints apply, except CHECK and foreign keys: a row that is incomplete or violates a constraint is stored in a
    /// table `lost_and_found`, with the reason. So is each row of a page that belongs to no table, for example because the
    /// page that led to it is destroyed. Its columns are described in the article.
    ///
    /// What SQL the file contains runs in the recovered database: generated columns, indexes on expressions. For a file from
    /// a stranger, pass a configuration with the trust `.untrustedFile`; it can't recover virtual tables.
    ///
    /// Article: <doc:SalvagingADatabase>. Source: <https://sqlite.org/fileformat2.html>
    ///
    /// - Parameters:
    ///   - path: the damaged file.
    ///   - destination: the new file.
    ///   - configuration: the configuration of the connection to the new file, with the functions, collations and tokenizers
    ///     that its schema uses.
    ///   - freePages: whether rows of pages that the file marks as free are recovered: mostly, they were deleted. They are
    ///     always recovered if the list of free pages is damaged.
    ///   - busyTimeout: how long to wait for a transaction that is writing the damaged file, in seconds.
    /// - Returns: what was recovered and what was lost.
    /// - Throws: a ``/Rowan/DatabaseError``: SQLITE_CANTOPEN if the file can't be opened or the new one exists, SQLITE_BUSY
    ///   if a transaction is writing the damaged file, SQLITE_NOTADB if no page can be read, as in an encrypted file.
    ///   `CancellationError` if the task is cancelled. The new file doesn't exist then.
    /// - Complexity: O(*n* log *n*), where *n* is the size of the file. The memory does not depend on it.
    @discardableResult
    public static func salvage(
        _ path: String, into destination: String, configuration: Configuration = Configuration(),
        freePages: Bool = false, busyTimeout: TimeInterval = 5
    ) throws -> SalvageReport {
        let file = try DamagedFile(path: path, busyTimeout: busyTimeout)
        let schema = try SalvagedSchema(file)
        return try NewFile(destination).make { path in
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let report = try queue.writeWithoutTransaction { db in
                try Salvage.prepare(db, file.header, schema.encoding)
                var report: SalvageReport?
                try db.inTransaction(.immediate) {
                    report = try Salvage(file, schema, into: db).run(schema.objects, freePages: freePages)
                    return .commit
                }
                return report
            }
            try queue.close()
            return report!
        }
    }
}

/// A file that exists when it is complete.
private struct NewFile {
    let path: String

    /// - Throws: SQLITE_CANTOPEN if there is a file.
    init(_ path: String) throws {
        self.path = path
        guard access(path, F_OK) != 0 else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "the file exists: pass the path of a new file - \(path)")
        }
    }

    /// Makes the file under another name, and gives it its name.
    func make<Result>(_ body: (String) throws -> Result) throws -> Result {
        let other = "\(path).incomplete"
        // What an earlier recovery left that was killed.
        remove(other)
        do {
            let result = try body(other)
            guard rename(other, path) == 0 else {
                throw DatabaseError(
                    resultCode: .SQLITE_CANTOPEN, message: "\(String(cString: strerror(errno))) - \(path)")
            }
            return result
        } catch {
            remove(other)
            throw error
        }
    }

    private func remove(_ path: String) { for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) } }
}
