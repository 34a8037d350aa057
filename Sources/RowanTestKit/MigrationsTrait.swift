// The trait that migrates the databases of released versions before a test.

import Foundation
public import Rowan
public import Testing

/// Migrates the databases of released versions: see `.migrations(migrator, snapshots:)`.
public struct MigrationsTrait: TestTrait, TestScoping {
    let test: MigrationTest
    let changing: [String: Set<String>]
    let losing: Set<String>
    let sourceLocation: SourceLocation

    /// Migrates each snapshot, then runs the test.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try self.test.run(changing: changing, losing: losing, sourceLocation: sourceLocation)
        try await function()
    }
}

extension Trait where Self == MigrationsTrait {
    /// Migrates the databases of released versions, whose snapshots ``MigrationTest/record(version:upTo:rows:)`` writes.
    ///
    /// ```swift
    /// @Test(.migrations(migrator, snapshots: "Schemas/")) func migrations() {}
    /// ```
    ///
    /// - Parameters:
    ///   - migrator: all migrations.
    ///   - snapshots: the folder of the snapshots. A relative path begins at the folder of the test.
    ///   - changing: the columns whose values migrations change on purpose, by table.
    ///   - losing: the tables whose rows migrations delete on purpose.
    ///   - configuration: the configuration of the connections.
    ///   - filePath: the file of the test.
    ///   - sourceLocation: the location of a failure.
    public static func migrations(
        _ migrator: DatabaseMigrator, snapshots: String, changing: [String: Set<String>] = [:],
        losing: Set<String> = [], configuration: Configuration = Configuration(), filePath: String = #filePath,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        let folder = URL(
            fileURLWithPath: snapshots, isDirectory: true,
            relativeTo: URL(fileURLWithPath: filePath).deletingLastPathComponent())
        return MigrationsTrait(
            test: MigrationTest(migrator, folder: folder.absoluteURL, configuration: configuration), changing: changing,
            losing: losing, sourceLocation: sourceLocation)
    }
}
