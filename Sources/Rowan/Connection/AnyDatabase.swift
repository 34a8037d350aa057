// Type-erased readers and writers: they forward routes, and inherit the verbs.

/// A type-erased reader.
public final class AnyDatabaseReader: DatabaseReader {
    private let base: any DatabaseReader

    /// Wraps a reader.
    public init(_ base: any DatabaseReader) { self.base = base }

    /// The configuration of the wrapped reader.
    public var configuration: Configuration { base.configuration }
    /// The path of the wrapped reader.
    public var path: String { base.path }
    /// Closes the wrapped reader.
    public func close() throws { try base.close() }
    /// Interrupts the statements of the wrapped reader.
    public func interrupt() { base.interrupt() }
    /// The route of the wrapped reader. Not for users.
    public func _route(_ kind: DatabaseAccessKind) -> DatabaseAccessRoute { base._route(kind) }
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
    /// The route of the wrapped writer. Not for users.
    public func _route(_ kind: DatabaseAccessKind) -> DatabaseAccessRoute { base._route(kind) }
    /// The barrier of the wrapped writer. Not for users.
    public func _withBarrier<T>(_ body: () throws -> T) throws -> T { try base._withBarrier(body) }
    /// Schedules a read on the wrapped writer.
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.spawnConcurrentRead(value)
    }
}
