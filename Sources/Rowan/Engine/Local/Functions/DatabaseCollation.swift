// Custom collations. Source: https://sqlite.org/c3ref/create_collation.html

package import RowanSQLText
import RowanSQLite
public import RowanPlatform

/// A custom collation: an ordering of strings.
///
/// ```swift
/// let byLength = DatabaseCollation("by_length") { a, b in
///     a.count == b.count ? .orderedSame : (a.count < b.count ? .orderedAscending : .orderedDescending)
/// }
/// config.prepareDatabase { db in db.add(collation: byLength) }
/// // SELECT * FROM "player" ORDER BY "name" COLLATE by_length
/// Player.order { $0.name.collating(byLength) }
/// ```
///
/// Article: <doc:WritingSQL>.
public final class DatabaseCollation: Hashable, Identifiable, Sendable {
    /// The identity of a collation: SQLite compares collation names case-insensitively.
    public struct ID: Hashable, Sendable {
        let foldedName: String

        /// Whether both names are equal, case-insensitively.
        public static func == (lhs: ID, rhs: ID) -> Bool { lhs.foldedName == rhs.foldedName }
        /// Hashes the name, case-insensitively.
        public func hash(into hasher: inout Hasher) { hasher.combine(foldedName) }
    }

    /// The identity of the collation: its name, case-insensitively.
    public var id: ID { ID(foldedName: name.foldedDatabaseName) }

    /// The name of the collation.
    public let name: String

    private let function: @Sendable (String, String) -> ComparisonResult

    /// Creates a collation.
    ///
    /// - Parameters:
    ///   - name: the name in SQL. It is case-insensitive and must not contain a NUL character.
    ///   - function: the comparison. It must be a total order and must never change.
    public init(_ name: String, function: @escaping @Sendable (String, String) -> ComparisonResult) {
        self.name = name
        self.function = function
    }

    /// Whether both collations have the same name, case-insensitively.
    public static func == (lhs: DatabaseCollation, rhs: DatabaseCollation) -> Bool { lhs.id == rhs.id }
    /// Hashes the name, case-insensitively.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    /// - Parameter hooks: the hooks of the connection; nil for a collation that runs no SQL.
    package func install(in connection: SQLiteConnection, calledBy hooks: ConnectionHooks? = nil) -> CInt {
        let box = Unmanaged.passRetained(InstalledCollation(collation: self, hooks: hooks))
        let code = sqlite3_create_collation_v2(
            connection, name, SQLITE_UTF8, box.toOpaque(),
            { context, leftCount, left, rightCount, right in
                let installed = Unmanaged<InstalledCollation>.fromOpaque(context!).takeUnretainedValue()
                let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                guard let hooks = installed.hooks else { return installed.collation.compare(left, right) }
                return hooks.calling { installed.collation.compare(left, right) }
            },
            { Unmanaged<InstalledCollation>.fromOpaque($0!).release() })
        // SQLite releases the box of a function that it rejects, but not the box of a collation.
        if code != SQLITE_OK { box.release() }
        return code
    }

    package func uninstall(from connection: SQLiteConnection) -> CInt {
        sqlite3_create_collation_v2(connection, name, SQLITE_UTF8, nil, nil, nil)
    }

    fileprivate func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> CInt {
        CInt(function(String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self)).rawValue)
    }
}

/// A collation installed in a connection.
private final class InstalledCollation {
    let collation: DatabaseCollation
    // The connection keeps its hooks while it is open and runs no comparison afterwards.
    unowned let hooks: ConnectionHooks?

    init(collation: DatabaseCollation, hooks: ConnectionHooks?) {
        self.collation = collation
        self.hooks = hooks
    }
}

extension DatabaseCollation {
    package convenience init(
        _ collation: BuiltInCollation, _ compare: @escaping @Sendable (String, String) -> ComparisonResult
    ) {
        self.init(collation.rawValue, function: compare)
    }

    /// Swift's own string order.
    public static let unicodeCompare = DatabaseCollation(.unicodeCompare) { a, b in
        a < b ? .orderedAscending : (a == b ? .orderedSame : .orderedDescending)
    }

    /// The collations of every connection. SQLite requests each of them when a statement first needs it.
    package static let builtin: [DatabaseCollation] = [.unicodeCompare] + localized

    /// Installs each built-in collation when a statement first needs it, so opening a connection costs nothing.
    package static func installOnDemand(in connection: SQLiteConnection) -> CInt {
        sqlite3_collation_needed(connection, nil) { _, connection, _, name in
            guard let connection, let name else { return }
            let wanted = String(cString: name).foldedDatabaseName
            _ = DatabaseCollation.builtin.first { $0.id.foldedName == wanted }?.install(in: connection)
        }
    }
}

extension SQLInterpolation {
    /// Embeds the name of a collation: `... ORDER BY name COLLATE \(.localizedCompare)`.
    public mutating func appendInterpolation(_ collation: DatabaseCollation) {
        appendInterpolation(sql: collation.name.quotedCollationName)
    }
}

extension SQLSpecificExpressible {
    /// The expression with a custom collation: `name COLLATE "by_length"`.
    public func collating(_ collation: DatabaseCollation) -> SQLExpression {
        sqlExpression.collated(collation.name)
    }
}
