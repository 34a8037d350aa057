// SQLite's session extension, for the changes that Rowan has recorded. Its own recorder is not used: it takes SQLite's only
// pre-update hook away from other listeners. Source: https://sqlite.org/session/intro.html

import Rowan
import RowanPlatform
import RowanSQLite

/// A conflict between a change and the database, while the change is applied.
struct RawConflict {
    /// SQLite's kinds of conflicts.
    enum Kind: CInt {
        case data = 1
        case notFound, conflict, constraint, foreignKey
    }

    /// What to do about a conflict.
    enum Resolution: CInt {
        case omit, replace, abort
    }

    let kind: Kind
    /// The table; nil for foreign keys.
    let table: String?
    /// SQLITE_INSERT, SQLITE_UPDATE or SQLITE_DELETE.
    let operation: UInt8
    let isIndirect: Bool
    let old: [DatabaseValue?]
    let new: [DatabaseValue?]
    /// The row that is in the way, if there is one.
    let existing: [DatabaseValue]?
    /// The number of rows without a parent.
    let foreignKeyCount: Int
}

extension LocalConnection {
    /// Whether the running SQLite has the session extension.
    static var hasSessions: Bool { rowan_has_sessions() != 0 }

    private static func requireSessions() throws {
        guard !hasSessions else { return }
        throw DatabaseError(
            message: "this SQLite is built without its session extension: changes can be recorded and read, but not "
                + "applied or rebased")
    }

    /// The number of rows that violate a deferred foreign key in the current transaction, as far as SQLite counts them.
    var deferredViolationCount: Int {
        var (count, highest): (CInt, CInt) = (0, 0)
        guard let pointer else { return 0 }
        sqlite3_db_status(pointer, SQLITE_DBSTATUS_DEFERRED_FKS, &count, &highest, 0)
        return Int(count)
    }

    static func rebase(_ changes: Data, on rebase: Data) throws -> Data {
        try result { count, bytes in
            changes.withUnsafeBytes { changes in
                rebase.withUnsafeBytes { rebase in
                    rowan_changeset_rebase(
                        CInt(rebase.count), rebase.baseAddress, CInt(changes.count), changes.baseAddress, &count, &bytes
                    )
                }
            }
        }
    }

    private static func result(_ body: (inout CInt, inout UnsafeMutableRawPointer?) -> CInt) throws -> Data {
        try requireSessions()
        var count: CInt = 0
        var bytes: UnsafeMutableRawPointer?
        let code = body(&count, &bytes)
        defer { sqlite3_free(bytes) }
        guard code == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "SQLite can't read the changes")
        }
        return bytes.map { Data(bytes: $0, count: Int(count)) } ?? Data()
    }

    /// Applies changes to the main database: all or none of them.
    ///
    /// - Parameter resolve: called for each conflict.
    /// - Returns: SQLite's description of the conflicts.
    /// - Throws: the closure's error, or SQLITE_ABORT if it returns `abort`.
    func apply(_ changes: Data, resolve: (RawConflict) throws -> RawConflict.Resolution) throws -> Data {
        try Self.requireSessions()
        try refuseRemotely("changesets", "write the rows with SQL")
        let pointer = try openPointer()
        let hooks = try openHooks()
        // SQLite turns it off at the end.
        let defersForeignKeys = try unwatched { try firstValue("PRAGMA defer_foreign_keys") } == 1.databaseValue
        defer { if defersForeignKeys { unrestricted { _ = runUnchecked("PRAGMA defer_foreign_keys = 1") } } }
        let keeper = transactionKeeper
        transactionKeeper = .changes
        defer { transactionKeeper = keeper }
        return try withoutActuallyEscaping(resolve) { resolve in
            let handler = ConflictHandler(hooks, resolve)
            var rebase: UnsafeMutableRawPointer?
            var rebaseCount: CInt = 0
            // Its own statements may be those that untrusted SQL can't run.
            let code = unrestricted {
                changes.withUnsafeBytes { changes in
                    rowan_changeset_apply(
                        pointer, CInt(changes.count), UnsafeMutableRawPointer(mutating: changes.baseAddress),
                        { context, kind, change in
                            Unmanaged<ConflictHandler>.fromOpaque(context!).takeUnretainedValue().resolve(kind, change)
                        }, Unmanaged.passUnretained(handler).toOpaque(), &rebase, &rebaseCount)
                }
            }
            defer { sqlite3_free(rebase) }
            if let failure = handler.failure { throw failure }
            try check(code)
            return rebase.map { Data(bytes: $0, count: Int(rebaseCount)) } ?? Data()
        }
    }
}

/// Passes SQLite's conflicts to a closure, and keeps its error.
private final class ConflictHandler {
    private let hooks: ConnectionHooks
    private let resolution: (RawConflict) throws -> RawConflict.Resolution
    private let restriction: SQLRestriction?
    private(set) var failure: (any Error)?

    init(_ hooks: ConnectionHooks, _ resolution: @escaping (RawConflict) throws -> RawConflict.Resolution) {
        self.hooks = hooks
        self.resolution = resolution
        restriction = hooks.restriction
    }

    func resolve(_ kind: CInt, _ change: OpaquePointer?) -> CInt {
        // The closure's statements are the program's.
        hooks.restriction = restriction
        defer { hooks.restriction = nil }
        return hooks.calling {
            do {
                guard let change, let kind = RawConflict.Kind(rawValue: kind) else { return SQLITE_CHANGESET_ABORT }
                return try resolution(Self.conflict(kind, change)).rawValue
            } catch {
                failure = error
                return SQLITE_CHANGESET_ABORT
            }
        }
    }

    private static func conflict(_ kind: RawConflict.Kind, _ change: OpaquePointer) -> RawConflict {
        guard kind != .foreignKey else {
            var count: CInt = 0
            _ = rowan_changeset_foreign_keys(change, &count)
            return RawConflict(
                kind: kind, table: nil, operation: 0, isIndirect: false, old: [], new: [], existing: nil,
                foreignKeyCount: Int(count))
        }
        var table: UnsafePointer<CChar>?
        var (columnCount, operation, isIndirect): (CInt, CInt, CInt) = (0, 0, 0)
        _ = rowan_changeset_operation(change, &table, &columnCount, &operation, &isIndirect)
        func values(_ read: (OpaquePointer, CInt, UnsafeMutablePointer<OpaquePointer?>) -> CInt) -> [DatabaseValue?] {
            (0..<columnCount).map { column in
                var value: OpaquePointer?
                guard read(change, column, &value) == SQLITE_OK else { return nil }
                return value.map { DatabaseValue(sqliteValue: $0) }
            }
        }
        let none = [DatabaseValue?](repeating: nil, count: Int(columnCount))
        return RawConflict(
            kind: kind, table: table.map { String(cString: $0) }, operation: UInt8(operation),
            isIndirect: isIndirect != 0,
            old: operation == SQLITE_INSERT ? none : values { rowan_changeset_old($0, $1, $2) },
            new: operation == SQLITE_DELETE ? none : values { rowan_changeset_new($0, $1, $2) },
            existing: kind == .data || kind == .conflict
                ? values { rowan_changeset_conflict($0, $1, $2) }.compactMap(\.self) : nil,
            foreignKeyCount: 0)
    }
}
