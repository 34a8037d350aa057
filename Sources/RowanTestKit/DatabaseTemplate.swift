// The templates of test databases: each migrator runs once in a process, and tests copy the result.

import Foundation
import Rowan
import Synchronization

/// A migrated database that tests copy. It is made when the first test needs it.
final class DatabaseTemplate: Sendable {
    enum Content {
        case file(URL)
        case bytes(Data)
    }

    /// What makes two templates the same.
    struct Key: Hashable, Sendable {
        /// The storage of the migrations: copies of a migrator share it.
        let migrations: UInt
        /// The storage of what each connection gets, such as functions and a passphrase.
        let configuration: UInt
        let kind: TestDatabase.Kind
        /// The fixtures: files by their path; a closure is its own.
        let fixtures: [String]
    }

    private let migrator: DatabaseMigrator
    private let kind: TestDatabase.Kind
    private let configuration: Configuration
    private let fixtures: [Fixture]
    private let made = Mutex<Result<Content, any Error>?>(nil)

    init(
        _ migrator: DatabaseMigrator, _ kind: TestDatabase.Kind, _ configuration: Configuration, _ fixtures: [Fixture]
    ) {
        (self.migrator, self.kind, self.configuration, self.fixtures) = (migrator, kind, configuration, fixtures)
    }

    /// The database. The first call makes it, and the others wait for it.
    ///
    /// - Throws: the error of a migration or a fixture, at each call.
    func content() throws -> Content {
        try made.withLock { made in
            if let made { return try made.get() }
            let result = Result { try make() }
            made = result
            return try result.get()
        }
    }

    private func make() throws -> Content {
        switch kind {
        case .memory:
            let queue = try DatabaseQueue(configuration: configuration)
            try fill(queue)
            return .bytes(try queue.serialize())
        case .queue, .pool:
            let folder = Self.folder
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appendingPathComponent("\(UUID().uuidString).sqlite")
            let writer: any DatabaseWriter =
                kind == .pool
                ? try DatabasePool(path: file.path, configuration: configuration)
                : try DatabaseQueue(path: file.path, configuration: configuration)
            try fill(writer)
            // The last connection writes the log into the file, which alone is copied.
            try writer.close()
            return .file(file)
        }
    }

    private func fill(_ writer: any DatabaseWriter) throws {
        try migrator.migrate(writer)
        for fixture in fixtures { try writer.write { db in try fixture.load(db) } }
    }

    /// The folder of the templates of this process. The system deletes it with other temporary files.
    private static let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
        "RowanTestTemplates-\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)")

    private static let known = Mutex<[Key: DatabaseTemplate]>([:])

    /// The template of a migrator: traits with the same migrator and the same fixtures share it.
    static func shared(
        _ migrator: DatabaseMigrator, _ kind: TestDatabase.Kind, _ configuration: Configuration, _ fixtures: [Fixture]
    ) -> DatabaseTemplate {
        let key = Key(
            migrations: migrator.storageIdentity, configuration: configuration.storageIdentity, kind: kind,
            fixtures: fixtures.map(\.identity))
        return known.withLock { known in
            if let template = known[key] { return template }
            // The template keeps the migrations alive: no other ones can have their place in memory.
            let template = DatabaseTemplate(migrator, kind, configuration, fixtures)
            known[key] = template
            return template
        }
    }
}
