// An SQLite defect that programs should be aware of: a database in WAL mode can be damaged.

extension Database {
    /// Whether the running SQLite has the WAL-reset bug: in rare cases, a database in WAL mode is damaged if one
    /// connection checkpoints while another commits.
    ///
    /// Rowan's connections are safe from each other, in one process or several: if SQLite has the bug, their
    /// checkpoints hold the writer lock. Another program that writes the file, such as a shell, is not safe. Servers
    /// may log this on startup:
    ///
    /// ```swift
    /// if Database.hasWALResetBug { print("SQLite has the WAL-reset bug: only Rowan may write the database") }
    /// ```
    ///
    /// Article: <doc:SharingADatabase>.
    ///
    /// The affected versions are 3.7.0 to 3.51.2, except 3.44.6, 3.50.7 and later versions on the same branches. A
    /// system may have backported the fix to another version, which SQLite does not report.
    ///
    /// Source: <https://sqlite.org/wal.html#walresetbug>
    public static var hasWALResetBug: Bool {
        LocalConnection.hasWALResetBug(version: Int(LocalConnection.libraryVersion))
    }
}
