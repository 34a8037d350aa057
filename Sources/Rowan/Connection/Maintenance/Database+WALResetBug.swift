// A defect of SQLite that programs should know: a database in WAL mode can be damaged.

extension Database {
    /// Whether the running SQLite has the WAL-reset bug: in rare cases, it damages a database in WAL mode if one connection
    /// checkpoints while another one commits.
    ///
    /// The connections of Rowan are safe from each other, in one process or in several: where SQLite has the bug, their
    /// checkpoints hold the lock of the writer. Another program that writes the file, such as a shell, is not. Servers may log it
    /// at their start:
    ///
    /// ```swift
    /// if Database.hasWALResetBug { print("SQLite has the WAL-reset bug: only Rowan may write the database") }
    /// ```
    ///
    /// Article: <doc:SharingADatabase>.
    ///
    /// The versions are 3.7.0 to 3.51.2, without 3.44.6 and 3.50.7 and their successors of the same branch. A system may
    /// have ported the correction to another version, which SQLite does not tell.
    ///
    /// Source: <https://sqlite.org/wal.html#walresetbug>
    public static var hasWALResetBug: Bool {
        LocalConnection.hasWALResetBug(version: Int(LocalConnection.libraryVersion))
    }
}
