// The rows that a test starts with.

public import Foundation
public import Rowan

/// Rows that a test database has from the start: a closure, or a file of SQL.
///
/// ```swift
/// @Test(.database(migrator, fixtures: .sql(file), .rows { db in _ = try City(name: "Bonn", population: 1).inserted(db) }))
/// ```
public struct Fixture: Sendable {
    let identity: String
    let load: @Sendable (Database) throws -> Void

    /// The statements of a file.
    ///
    /// - Parameter url: a file of SQL in UTF-8. Its error, or that of a statement, fails the test.
    public static func sql(_ url: URL) -> Fixture {
        Fixture(identity: url.absoluteString) { db in
            try db.execute(sql: String(contentsOf: url, encoding: .utf8))
        }
    }

    /// What a closure inserts. It runs once in the process for each trait, in a write.
    public static func rows(_ load: @escaping @Sendable (Database) throws -> Void) -> Fixture {
        Fixture(identity: UUID().uuidString, load: load)
    }
}
