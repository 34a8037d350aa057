// Shared by the tests of all adapters.

import Foundation
import Rowan
import Synchronization
import Testing

/// Runs the body with a pool on a new file, with a table `player` that contains two rows.
func withPool<T>(
    _ instrument: (any DatabaseInstrument)? = nil, _ configure: (inout Configuration) -> Void = { _ in },
    _ body: (DatabasePool) async throws -> T
) async throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rowan-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = Configuration()
    if let instrument { configuration.instruments = [instrument] }
    configuration.label = "players"
    configure(&configuration)
    let pool = try DatabasePool(path: folder.appendingPathComponent("db.sqlite").path, configuration: configuration)
    try await pool.write { db in
        try db.execute(
            sql: """
                CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                INSERT INTO player (name) VALUES ('Arthur'), ('Barbara')
                """)
    }
    return try await body(pool)
}

extension Database {
    /// The names of the players.
    func names() throws -> [String] { try String.fetchAll(self, sql: "SELECT name FROM player ORDER BY id") }
}

/// Waits for a condition, for at most a minute.
func eventually(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool) async rethrows
{
    let deadline = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("it has not happened in a minute", sourceLocation: sourceLocation)
            return
        }
        try? await Task.sleep(for: .milliseconds(5))
    }
}

/// A list that threads append to.
final class Elements<Element: Sendable>: Sendable {
    private let storage = Mutex<[Element]>([])
    var elements: [Element] { storage.withLock { $0 } }
    func append(_ element: Element) { storage.withLock { $0.append(element) } }
}
