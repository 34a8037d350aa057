// Type-erased readers and writers, which forward routes and inherit the access methods.

/// A type-erased reader.
public final class AnyDatabaseReader: DatabaseReader {
    private let base: any DatabaseReader
    /// The routes of accesses to their connections. Not for users.
    public let _routes: DatabaseAccessRoutes

    /// Wraps a reader.
    public init(_ base: any DatabaseReader) { (self.base, _routes) = (base, base._routes) }

    fileprivate init(_ base: any DatabaseReader, at site: StaticCallSite) {
        (self.base, _routes) = (base, base._routes.at(site))
    }

    /// The configuration of the wrapped reader.
    public var configuration: Configuration { base.configuration }
    /// The path of the wrapped reader.
    public var path: String { base.path }
    /// Closes the wrapped reader.
    public func close() throws { try base.close() }
    /// Interrupts the statements of the wrapped reader.
    public func interrupt() { base.interrupt() }
}

extension DatabaseReader {
    /// The same reader, whose reads show this call site in ``DatabasePool/status`` and in reports of long reads.
    ///
    /// ```swift
    /// let players = try dbPool.atCallSite().read { db in try Player.fetchAll(db) }
    /// print(dbPool.status.reads)   // meanwhile: [read at App/PlayerStore.swift:42 for 200 milliseconds]
    /// ```
    public func atCallSite(fileID: StaticString = #fileID, line: UInt = #line) -> AnyDatabaseReader {
        AnyDatabaseReader(self, at: StaticCallSite(fileID, line))
    }
}

/// A type-erased writer.
public final class AnyDatabaseWriter: DatabaseWriter {
    private let base: any DatabaseWriter

    /// Wraps a writer.
    public init(_ base: any DatabaseWriter) { self.base = base }

    /// The configuration of the wrapped writer.
    public var configuration: Configuration { base.configuration }
    /// The path of the wrapped writer.
    public var path: String { base.path }
    /// Closes the wrapped writer.
    public func close() throws { try base.close() }
    /// Interrupts the statements of the wrapped writer.
    public func interrupt() { base.interrupt() }
    /// The routes of accesses to their connections. Not for users.
    public var _routes: DatabaseAccessRoutes { base._routes }
    /// Schedules a read on the wrapped writer.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.spawnConcurrentRead(value)
    }
}
