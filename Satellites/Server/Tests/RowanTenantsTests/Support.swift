// Folders of the tests.

import Foundation
import Rowan
import RowanTenants
import Testing

/// A folder that is removed after a test, and directories in it.
struct TenantTest {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tenants-\(UUID().uuidString)").path
    var migrator = DatabaseMigrator()

    init() {
        migrator.registerMigration("note") { db in try db.execute(sql: "CREATE TABLE note (text TEXT NOT NULL)") }
    }

    static func run(_ body: (TenantTest) async throws -> Void) async throws {
        let test = TenantTest()
        defer { try? FileManager.default.removeItem(atPath: test.folder) }
        try await body(test)
    }

    func directory(
        limit: Int = 100, createsMissing: Bool = false, waitTimeout: Duration = .seconds(30),
        migrator: DatabaseMigrator? = nil, configuration: Configuration = Configuration()
    ) throws -> DatabaseDirectory {
        try DatabaseDirectory(
            folder: folder, configuration: configuration, migrator: migrator ?? self.migrator, limit: limit,
            createsMissing: createsMissing, waitTimeout: waitTimeout)
    }

    var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != ".lock" }.sorted() }
    }
}

extension DatabaseDirectory {
    func addNote(_ text: String, to tenant: String) async throws {
        try await write(tenant) { db in try db.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text]) }
    }

    @discardableResult
    func notes(_ tenant: String) async throws -> [String] {
        try await read(tenant) { db in try String.fetchAll(db, sql: "SELECT text FROM note ORDER BY rowid") }
    }
}

/// Expects an error with a code and a message.
func expectError(
    _ code: DatabaseDirectoryError.Code, _ message: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("no error", sourceLocation: sourceLocation)
    } catch let error as DatabaseDirectoryError {
        #expect(error.code == code, sourceLocation: sourceLocation)
        #expect(error.message == message, sourceLocation: sourceLocation)
    } catch {
        Issue.record("another error: \(error)", sourceLocation: sourceLocation)
    }
}
