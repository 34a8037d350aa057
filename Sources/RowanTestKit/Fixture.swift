// The rows at the start of a test.

public import Foundation
public import Rowan

/// Initial rows of a test database: a closure or an SQL file.
///
/// ```swift
/// @Test(.database(migrator, fixtures: .sql(file), .rows { db in _ = try City(name: "Bonn", population: 1).inserted(db) }))
/// ```
public struct Fixture: Sendable {
    let identity: String
    let load: @Sendable (Database) throws -> Void

    /// The statements of a file.
    ///
    /// - Parameter url: an SQL file in UTF-8. Errors of the file or of a statement fail the test.
    public static func sql(_ url: URL) -> Fixture {
        Fixture(identity: url.absoluteString) { db in
            try db.execute(sql: String(contentsOf: url, encoding: .utf8))
        }
    }

    /// Rows inserted by a closure. It runs once per process for each trait, in a write.
    public static func rows(_ load: @escaping @Sendable (Database) throws -> Void) -> Fixture {
        Fixture(identity: UUID().uuidString, load: load)
    }
}
