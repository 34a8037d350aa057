// The type erasures of readers and writers: they forward routes, and inherit the verbs.

/// A reader of any kind.
public final class AnyDatabaseReader: DatabaseReader {
    private let base: any DatabaseReader

    /// Wraps a reader.
    public init(_ base: any DatabaseReader) { self.base = base }

    public var configuration: Configuration { base.configuration }
    public var path: String { base.path }
    public func close() throws { try base.close() }
    public func interrupt() { base.interrupt() }
    public func _route(_ kind: DatabaseAccessKind) -> DatabaseAccessRoute { base._route(kind) }
}

/// A writer of any kind.
public final class AnyDatabaseWriter: DatabaseWriter {
    private let base: any DatabaseWriter

    /// Wraps a writer.
    public init(_ base: any DatabaseWriter) { self.base = base }

    public var configuration: Configuration { base.configuration }
    public var path: String { base.path }
    public func close() throws { try base.close() }
    public func interrupt() { base.interrupt() }
    public func _route(_ kind: DatabaseAccessKind) -> DatabaseAccessRoute { base._route(kind) }
    public func _withBarrier<T>(_ body: () throws -> T) throws -> T { try base._withBarrier(body) }
    public func spawnConcurrentRead(_ value: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        base.spawnConcurrentRead(value)
    }
}
