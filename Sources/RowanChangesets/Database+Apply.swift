// Applying changes to a database. SQLite skips changes that don't fit the schema, so the schemas are compared first.

public import Rowan
import RowanPlatform

/// A conflict between a change and the database that it is applied to.
public struct ChangeConflict: Sendable {
    /// The kinds of conflicts. <https://sqlite.org/session/c_changeset_conflict.html>
    public enum Kind: String, Hashable, Sendable {
        /// The row to update or to delete has other values than the changeset expects.
        case data
        /// The row to update or to delete doesn't exist.
        case notFound
        /// A row with the primary key of an inserted row already exists.
        case conflict
        /// The change violates another constraint: UNIQUE, CHECK, NOT NULL.
        case constraint
        /// After all changes, some rows have no parent. It has no change.
        case foreignKey
    }

    /// What to do about a conflict.
    public enum Resolution: Hashable, Sendable {
        /// Leaves the change out. For a foreign key: keeps the rows without a parent.
        case omit
        /// Applies the change: the row gets the new values, or replaces the row that is in the way. Only for ``Kind/data``
        /// and ``Kind/conflict``.
        case replace
        /// Undoes all changes and throws an error.
        case abort
    }

    /// The kind of the conflict.
    public let kind: Kind
    /// The change; nil for a foreign key.
    public let change: DatabaseChange?
    /// The number of rows without a parent.
    public let foreignKeyViolationCount: Int
    private let existingValues: [DatabaseValue]?

    /// The row in the database, for ``Kind/data`` and ``Kind/conflict``; nil for the others.
    public var existing: Row? {
        guard let existingValues, let change else { return nil }
        return Row(layout: ColumnLayout(names: change.columnNames), values: existingValues)
    }

    fileprivate init(foreignKeyViolationCount: Int) {
        (kind, change, existingValues) = (.foreignKey, nil, nil)
        self.foreignKeyViolationCount = foreignKeyViolationCount
    }

    fileprivate init(_ raw: RawConflict, _ table: ChangesetTable?, _ columnNames: [String]) {
        kind =
            switch raw.kind {
            case .data: .data
            case .notFound: .notFound
            case .conflict: .conflict
            case .constraint: .constraint
            case .foreignKey: .foreignKey
            }
        foreignKeyViolationCount = raw.foreignKeyCount
        existingValues = raw.existing.flatMap { $0.count == columnNames.count ? $0 : nil }
        change = table.flatMap { table in
            DatabaseChange.Kind(code: raw.operation).map { kind in
                DatabaseChange(
                    ChangeValues(kind: kind, isIndirect: raw.isIndirect, old: raw.old, new: raw.new), of: table,
                    columnNames: columnNames)
            }
        }
    }

    /// Whether a trigger or an action of a foreign key has already made the change.
    fileprivate var isMade: Bool {
        guard let change, change.isIndirect else { return false }
        switch kind {
        case .notFound: return change.kind == .delete
        case .data, .conflict:
            guard change.kind != .delete, let existingValues else { return false }
            return zip(change.values.new, existingValues).allSatisfy { new, existing in
                new.map { $0 == existing } ?? true
            }
        case .constraint, .foreignKey: return false
        }
    }

    fileprivate var error: DatabaseError {
        let reason =
            switch kind {
            case .data: "the row has other values"
            case .notFound: "the row does not exist"
            case .conflict: "a row with this key already exists"
            case .constraint: "it violates a constraint"
            case .foreignKey: "\(foreignKeyViolationCount) foreign keys would be violated"
            }
        return DatabaseError(
            resultCode: .SQLITE_ABORT,
            message: "the changes were not applied: \(change.map { "\($0.description): " } ?? "")\(reason)")
    }
}

extension ChangeConflict: CustomStringConvertible {
    /// The kind, and the change without its values.
    public var description: String { kind.rawValue + (change.map { ": \($0)" } ?? "") }
}

/// Whether triggers, and the actions of foreign keys, run when changes are applied.
public enum ChangeTriggers: Hashable, Sendable {
    /// They don't run: the changes contain what they have changed.
    case skip
    /// They run, in addition to the changes. An indirect change that they have already made is not a conflict.
    case run
}

extension Database {
    /// Applies changes to the main database: all of them or, after an error, none.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try db.apply(changes) { conflict in
    ///         // The last writer wins.
    ///         conflict.kind == .data || conflict.kind == .conflict ? .replace : .omit
    ///     }
    /// }
    /// ```
    ///
    /// Triggers and the actions of foreign keys, such as ON DELETE CASCADE, don't run, because what they changed has been
    /// recorded. Foreign keys are checked at the end, and observers see what was changed. To apply some of the changes, use
    /// ``/RowanChangesets/DatabaseChanges/filter(_:)``.
    ///
    /// The changes of virtual tables are not recorded. If triggers synchronize a full-text table, let them run, or rebuild
    /// it.
    ///
    /// - Parameters:
    ///   - changes: a changeset or a patchset.
    ///   - triggers: whether triggers and the actions of foreign keys run.
    ///   - resolve: returns what to do about a conflict. By default, a conflict is an error. The closure can read the
    ///     database, but not write to it.
    /// - Returns: what has been done about the conflicts: see ``/RowanChangesets/Changeset/rebased(on:)``.
    /// - Throws: SQLITE_ABORT if a conflict is not resolved; SQLITE_SCHEMA, before anything is changed, if a table does not
    ///   have the columns of the changes; SQLITE_MISUSE for a resolution that is impossible, or on a cluster;
    ///   SQLITE_CORRUPT for damaged bytes; SQLITE_TOOBIG for more than two gigabytes; SQLITE_READONLY in a read; the
    ///   closure's error.
    ///
    /// Article: <doc:ChangesAsValues>.
    ///
    /// Source: <https://sqlite.org/session/sqlite3changeset_apply.html>
    @discardableResult
    public func apply(
        _ changes: some DatabaseChanges, triggers: ChangeTriggers = .skip,
        conflict resolve: (ChangeConflict) throws -> ChangeConflict.Resolution = { _ in .abort }
    ) throws -> ChangesetRebase {
        try connection.refuseInScope("apply changes")
        guard connection.readOnlyDepth == 0, !configuration.readonly else {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY, message: "changes can't be applied in a read: use `write`")
        }
        guard changes.data.count <= Int32.max else {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG, message: "SQLite applies at most two gigabytes of changes: divide them")
        }
        let tables = try changes.tables()
        var rebase = ChangesetRebase(data: Data())
        guard !tables.isEmpty else { return rebase }
        // Observers receive the changes when the savepoint is released.
        try inSavepoint {
            // In the transaction, so that no other connection changes the schema after the comparison.
            var names: [String: (table: ChangesetTable, columns: [String])] = [:]
            for table in tables { names[table.name] = (table, try columnNames(of: table, changes)) }
            let columns = names.mapValues(\.columns)
            guard triggers == .skip else {
                rebase = try apply(changes, names) { $0.isMade ? .omit : try resolve($0) }
                return .commit
            }
            let isEnforced = connection.isOn(.foreignKeys)
            // SQLite would not count the parents that are inserted while foreign keys are off.
            guard !isEnforced || connection.deferredViolationCount == 0 else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message:
                        "the transaction has rows whose parents are still missing: insert the parents before changes "
                        + "are applied")
            }
            var hasReplaced = try tables.contains {
                try definitionWords().replacing.contains($0.name.foldedDatabaseName)
            }
            rebase = try connection.with(.foreignKeys, false) {
                try connection.with(.triggers, false) {
                    try apply(changes, names) { conflict in
                        let resolution = try resolve(conflict)
                        if resolution == .replace { hasReplaced = true }
                        return resolution
                    }
                }
            }
            guard isEnforced else { return .commit }
            let count = try ForeignKeyCheck(tables.map(\.name), self).violationCount(
                changes, columns, hasReplaced: hasReplaced)
            if count > 0 { _ = try resolution(ChangeConflict(foreignKeyViolationCount: count), resolve) }
            return .commit
        }
        return rebase
    }

    private func apply(
        _ changes: some DatabaseChanges, _ names: [String: (table: ChangesetTable, columns: [String])],
        _ resolve: (ChangeConflict) throws -> ChangeConflict.Resolution
    ) throws -> ChangesetRebase {
        try reportingChanges(of: Array(names.keys)) {
            let data = try connection.apply(changes.data) { raw in
                let known = raw.table.flatMap { names[$0] }
                return try resolution(ChangeConflict(raw, known?.table, known?.columns ?? []), resolve)
            }
            return ChangesetRebase(data: data)
        }
    }

    private func resolution(
        _ conflict: ChangeConflict, _ resolve: (ChangeConflict) throws -> ChangeConflict.Resolution
    ) throws -> RawConflict.Resolution {
        // Foreign keys and triggers may be off.
        switch try readOnly({ try resolve(conflict) }) {
        case .omit: return .omit
        case .abort: throw conflict.error
        case .replace:
            guard conflict.kind == .data || conflict.kind == .conflict else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message:
                        "a conflict of the kind \"\(conflict.kind.rawValue)\" can't be resolved by replacing a row: "
                        + "omit the change, or abort")
            }
            return .replace
        }
    }

    /// Checks that a table has the columns and the primary key of the changes.
    ///
    /// - Returns: the names of the columns.
    func columnNames(of table: ChangesetTable, _ changes: some DatabaseChanges) throws -> [String] {
        func differs(_ difference: String) -> DatabaseError {
            DatabaseError(resultCode: .SQLITE_SCHEMA, message: "the changes don't fit the schema: \(difference)")
        }
        guard try tableExists(table.name, in: "main") else { throw differs("there is no table \"\(table.name)\"") }
        // Those behind virtual tables, which recorders leave out: their rows only make sense together.
        let isShadow = try schemaObjects(in: "main").contains { $0.isShadowTable && $0.name == table.name }
        guard !isShadow else { throw differs("\"\(table.name)\" belongs to a virtual table") }
        guard let recorded = try RecordedTable(table.name, self) else {
            throw differs("\"\(table.name)\" is not a table with a primary key")
        }
        if let expected = changes.columnNames[table.name], expected != recorded.columnNames {
            throw differs(
                "table \"\(table.name)\" has the columns \(recorded.columnNames.joined(separator: ", ")), instead of "
                    + expected.joined(separator: ", "))
        }
        guard recorded.columnNames.count == table.keyIndexes.count else {
            throw differs(
                "table \"\(table.name)\" has \(recorded.columnNames.count) columns, instead of \(table.keyIndexes.count)"
            )
        }
        // Other programs only store whether a column belongs to the key.
        guard recorded.format.keyIndexes.map({ $0 > 0 }) == table.keyIndexes.map({ $0 > 0 }) else {
            throw differs("table \"\(table.name)\" has another primary key")
        }
        return recorded.columnNames
    }

    /// Runs the closure, which changes rows of some tables, and reports them to observers, with those that triggers and
    /// foreign keys change.
    private func reportingChanges<T>(of tables: [String], _ body: () throws -> T) throws -> T {
        guard isObserved else { return try body() }
        let profile = try connection.unrestricted {
            try connection.collectingProfiles {
                for name in tables {
                    let table = "main.\(name.quotedDatabaseIdentifier)"
                    let columns = try columns(in: name, in: "main").filter { !$0.isGenerated }
                    let assignments = columns.map(\.name.quotedDatabaseIdentifier).map { "\($0) = \($0)" }
                    _ = try makeStatement(sql: "DELETE FROM \(table)")
                    _ = try makeStatement(sql: "UPDATE \(table) SET \(assignments.joined(separator: ", "))")
                    _ = try makeStatement(sql: "REPLACE INTO \(table) DEFAULT VALUES")
                }
            }
        }
        return try reportingChanges(profile, of: "REPLACE", body)
    }
}
