// The templates of test databases. Each migrator runs once per process, and tests copy the result.

import Foundation
import Rowan
import Synchronization

/// A migrated database that tests copy: the bytes of its file. It is created when the first test needs it.
final class DatabaseTemplate: Sendable {
    /// The properties that templates are shared by.
    struct Key: Hashable, Sendable {
        /// The storage of the migrations, which copies of a migrator share.
        let migrations: UInt
        let configuration: Configuration.Identity
        let kind: TestDatabase.Kind
        /// The fixtures: files by path; each closure is distinct.
        let fixtures: [String]
    }

    private let migrator: DatabaseMigrator
    private let kind: TestDatabase.Kind
    private let configuration: Configuration
    private let fixtures: [Fixture]
    private let made = Mutex<Result<Data, any Error>?>(nil)

    init(
        _ migrator: DatabaseMigrator, _ kind: TestDatabase.Kind, _ configuration: Configuration, _ fixtures: [Fixture]
    ) {
        (self.migrator, self.kind, self.configuration, self.fixtures) = (migrator, kind, configuration, fixtures)
    }

    /// The bytes of the database. The first call creates it while the others wait for it.
    ///
    /// - Throws: an error of a migration or a fixture, at each call.
    func bytes() throws -> Data {
        try made.withLock { made in
            if let made { return try made.get() }
            let result = Result { try make() }
            made = result
            return try result.get()
        }
    }

    private func make() throws -> Data {
        guard kind != .memory else {
            let queue = try DatabaseQueue(configuration: configuration)
            try fill(queue)
            return try queue.serialize()
        }
        return try inTemporaryFolder("RowanTestTemplate") { folder in
            let file = folder.appendingPathComponent("template.sqlite")
            let writer = try kind.open(file.path, configuration)
            try fill(writer)
            // The last connection writes the log into the file, which alone is copied.
            try writer.close()
            return try Data(contentsOf: file)
        }
    }

    private func fill(_ writer: any DatabaseWriter) throws {
        try migrator.migrate(writer)
        for fixture in fixtures { try writer.write { db in try fixture.load(db) } }
    }

    private static let known = Mutex<[Key: DatabaseTemplate]>([:])

    /// The template of a migrator. Traits with the same migrator, configuration and fixtures share it.
    static func shared(
        _ migrator: DatabaseMigrator, _ kind: TestDatabase.Kind, _ configuration: Configuration, _ fixtures: [Fixture]
    ) -> DatabaseTemplate {
        let key = Key(
            migrations: migrator.storageIdentity, configuration: configuration.identity, kind: kind,
            fixtures: fixtures.map(\.identity))
        return known.withLock { known in
            if let template = known[key] { return template }
            // The template keeps the migrations alive, so their memory address is not reused.
            let template = DatabaseTemplate(migrator, kind, configuration, fixtures)
            known[key] = template
            return template
        }
    }
}

extension TestDatabase.Kind {
    /// Opens a file.
    func open(_ path: String, _ configuration: Configuration) throws -> any DatabaseWriter {
        self == .pool
            ? try DatabasePool(path: path, configuration: configuration)
            : try DatabaseQueue(path: path, configuration: configuration)
    }
}

/// Creates a folder and runs the closure. The folder is then deleted.
private func inTemporaryFolder<Value>(_ name: String, _ body: (URL) throws -> Value) throws -> Value {
    let folder = try createTemporaryFolder(name)
    // The system deletes remaining temporary files.
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
}

/// Creates an empty folder among the temporary files.
func createTemporaryFolder(_ name: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(name)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
}
