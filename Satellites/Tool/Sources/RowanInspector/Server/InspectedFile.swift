// The database file, and its connections.

import Foundation
import Rowan
import RowanCommands

/// A database that a page shows.
///
/// The connections are those for SQL of strangers, also for the statements of the pages: a schema may have been written to attack
/// the program.
final class InspectedFile: Sendable {
    static let maximumRowCount = 1_000
    static let maximumBytes = 10 << 20

    let path: String
    /// For what the pages show.
    private let queue: DatabaseQueue
    /// For counts, which are not waited for.
    private let counts: DatabaseQueue
    private let identity: FileIdentity?

    var name: String { URL(filePath: path).lastPathComponent }

    init(path: String) throws {
        self.path = path
        identity = FileIdentity(path)
        queue = try Self.open(path, Self.limits(time: .seconds(5)))
        counts = try Self.open(path, Self.limits(time: .milliseconds(100)))
    }

    /// The limits of the statements of pages. What a schema makes of them is not limited like a stranger's text: it may have many
    /// tables and long values.
    private static func limits(time: Duration) -> SQLLimits {
        var limits = SQLLimits()
        limits.time = time
        limits.rows = 1_000_000
        limits.resultBytes = maximumBytes
        // A page shows the start of a value.
        limits.valueBytes = 1_000_000_000
        limits.columns = 2_000
        limits.functionArguments = 100
        limits.likePatternBytes = 10_000
        limits.sqlBytes = 10_000_000
        limits.instructions = 10_000_000
        return limits
    }

    /// The limits of a user's query.
    private static var limitsOfQueries: SQLLimits {
        var limits = SQLLimits()
        limits.rows = maximumRowCount + 1
        limits.resultBytes = maximumBytes
        limits.valueBytes = 50_000_000
        limits.columns = 2_000
        limits.likePatternBytes = 10_000
        return limits
    }

    private static func open(_ path: String, _ limits: SQLLimits) throws -> DatabaseQueue {
        try DatabaseFile.open(
            path, isReadOnly: true, trust: .untrustedSQL(limits), prepare: { $0.add(function: RowFilter.textOfReal) })
    }

    /// Reads for a page.
    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
        try checkIdentity()
        return try await queue.read(body)
    }

    /// Reads a number for a page; nil if that takes longer than a tenth of a second.
    func quickly<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T? {
        do { return try await counts.read(body) } catch let error as DatabaseError
            where error.resultCode == .SQLITE_INTERRUPT
        { return nil }
    }

    enum Text { case pages, query }

    /// Reads with a connection that others do not wait for.
    ///
    /// - Parameters:
    ///   - text: who has written the SQL.
    ///   - isWhole: whether the result is a file, whose download ends when its client disconnects.
    func readAlone<T: Sendable>(
        _ text: Text, isWhole: Bool = false, _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try checkIdentity()
        // Pictures read the whole schema, or all pages of the file.
        var limits = text == .query ? Self.limitsOfQueries : Self.limits(time: .seconds(20))
        if isWhole { (limits.time, limits.rows, limits.resultBytes) = (.seconds(3_600), .max, .max) }
        let queue = try Self.open(path, limits)
        return try await queue.read(body)
    }

    /// A connection still reads a file that was deleted.
    private func checkIdentity() throws {
        let present = FileIdentity(path)
        guard present != identity else { return }
        throw Failure(
            message: present == nil
                ? "the file \(path) was deleted" : "the file \(path) was replaced: start rowan inspect again")
    }
}
