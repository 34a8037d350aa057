// The trait that gives a test its database.

public import Rowan
import Synchronization
public import Testing

/// Gives each test a fresh database, with the schema of a migrator: see `.database(migrator)`.
public struct DatabaseTrait: TestTrait, SuiteTrait, TestScoping {
    let kind: TestDatabase.Kind
    let configuration: Configuration
    let template: DatabaseTemplate

    /// A suite passes the trait to its tests.
    public var isRecursive: Bool { true }

    /// Runs a test with its own database. If the test fails, its file is kept and its path is printed.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        // A suite has no database, but its tests do.
        guard testCase != nil else { return try await function() }
        let database = try TestDatabase(kind, template.bytes(), configuration)
        let failures = Counter()
        do {
            try await counting(failures, test, testCase) {
                try await TestDatabase.$ofTask.withValue(database) { try await function() }
            }
        } catch {
            keep(database, test)
            throw error
        }
        if failures.count > 0 { keep(database, test) } else { database.remove() }
    }

    private func keep(_ database: TestDatabase, _ test: Test) {
        guard let path = database.path else { return }
        print("The database of the failed test \(test.name) is \(path)")
    }

    /// Runs a test and counts the issues that it records.
    private func counting(
        _ failures: Counter, _ test: Test, _ testCase: Test.Case?,
        _ function: @Sendable () async throws -> Void
    ) async throws {
        #if compiler(>=6.2)
        let trait = IssueHandlingTrait.compactMapIssues { issue in
            if isFailure(issue) { failures.increment() }
            return issue
        }
        try await trait.provideScope(for: test, testCase: testCase, performing: function)
        #else
        // Older versions of Swift Testing do not report issues: only errors that the test throws are detected.
        try await function()
        #endif
    }
}

#if compiler(>=6.2)
/// Whether an issue makes a test fail, which known issues and warnings don't.
private func isFailure(_ issue: Issue) -> Bool {
    #if compiler(>=6.3)
    issue.isFailure
    #else
    true
    #endif
}
#endif

/// A count that several tasks change.
private final class Counter: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func increment() { value.withLock { $0 += 1 } }
}

extension Trait where Self == DatabaseTrait {
    /// Gives each test, and each case of a parameterised test, a fresh database with the schema of a migrator.
    ///
    /// ```swift
    /// @Suite(.database(migrator)) struct CityTests {
    ///     @Test func insertion() throws {
    ///         try TestDatabase.current.writer.write { db in _ = try City(name: "Ulm", population: 1).inserted(db) }
    ///     }
    /// }
    /// ```
    ///
    /// The migrations run once per process, for all traits with the same migrator: keep it in a constant. Each test
    /// copies the result. The copy is deleted after a test that passes; otherwise, its path is printed.
    ///
    /// - Parameters:
    ///   - migrator: the migrations.
    ///   - kind: a queue on a file, a pool, or a queue in memory.
    ///   - configuration: the configuration of the connections, including those that migrate.
    ///   - fixtures: the rows at the start of each test.
    public static func database(
        _ migrator: DatabaseMigrator, _ kind: TestDatabase.Kind = .queue,
        configuration: Configuration = Configuration(), fixtures: Fixture...
    ) -> Self {
        DatabaseTrait(
            kind: kind, configuration: configuration,
            template: .shared(migrator, kind, configuration, fixtures))
    }
}
