// Types that can be observed: they can determine their region once a connection is available.

/// A type that has a region: requests, tables, and regions themselves.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: Player.all(), Table("team"))
/// ```
public protocol DatabaseRegionConvertible: Sendable {
    /// The region.
    ///
    /// - Throws: the error of a request that can't be prepared.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegion: DatabaseRegionConvertible {
    /// The region itself.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { self }
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
    /// The full database: `DatabaseRegionObservation(tracking: .fullDatabase)`.
    public static var fullDatabase: DatabaseRegion { DatabaseRegion.fullDatabase }
}

/// A region computed by a closure, or a type-erased region.
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
    private let region: @Sendable (Database) throws -> DatabaseRegion

    /// Creates a region from a closure.
    public init(_ region: @escaping @Sendable (Database) throws -> DatabaseRegion) { self.region = region }

    /// Wraps a region.
    public init(_ region: some DatabaseRegionConvertible) { self.init { try region.databaseRegion($0) } }

    /// The region.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}

extension DatabaseRegion {
    /// The union of regions.
    package static func union(_ regions: [any DatabaseRegionConvertible], _ db: Database) throws -> DatabaseRegion {
        try regions.reduce(into: DatabaseRegion()) { $0.formUnion(try $1.databaseRegion(db)) }
    }
}
