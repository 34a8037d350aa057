// One change of a row, as a value.

public import Rowan

/// A change of a row in a ``Changeset`` or a ``Patchset``.
///
/// ```swift
/// for change in try changes.changes() {
///     // update player [score: 100] [score: 120]
///     print(change.kind, change.tableName, change.old, change.new)
/// }
/// ```
///
/// Article: <doc:ChangesAsValues>.
public struct DatabaseChange: Hashable, Sendable {
    /// The kinds of changes.
    public enum Kind: String, Hashable, Sendable { case insert, update, delete }

    /// The kind of the change.
    public var kind: Kind { values.kind }
    /// The table.
    public let tableName: String
    /// Whether only triggers and foreign keys have made the change.
    public var isIndirect: Bool { values.isIndirect }
    /// The names of the columns of the table, in order.
    public let columnNames: [String]
    let values: ChangeValues
    private let keyIndexes: [UInt8]

    init(_ values: ChangeValues, of table: ChangesetTable, columnNames: [String]) {
        self.values = values
        tableName = table.name
        keyIndexes = table.keyIndexes
        self.columnNames = columnNames
    }

    /// The row before the change. Empty for an insertion.
    ///
    /// The row of an update has the columns of the primary key and the changed columns; that of a deletion has all
    /// columns. In a patchset, both have only the columns of the primary key.
    public var old: Row { row { values.old[$0] } }

    /// The row after the change. Empty for a deletion.
    ///
    /// The row of an update has the columns of the primary key and the changed columns; that of an insertion has all
    /// columns.
    public var new: Row {
        kind == .delete ? Row() : row { values.new[$0] ?? (keyIndexes[$0] > 0 ? values.old[$0] : nil) }
    }

    /// The columns of the primary key, with their values. No update changes them: such a change is a deletion and an
    /// insertion.
    public var primaryKey: Row { row { keyIndexes[$0] > 0 ? values.old[$0] ?? values.new[$0] : nil } }

    /// The names of the changed columns of an update; all columns for an insertion or a deletion.
    public var changedColumnNames: [String] {
        kind == .update ? columnNames.indices.filter { values.new[$0] != nil }.map { columnNames[$0] } : columnNames
    }

    private func row(_ value: (Int) -> DatabaseValue?) -> Row {
        var (names, values): ([String], [DatabaseValue]) = ([], [])
        for index in columnNames.indices {
            guard let value = value(index) else { continue }
            names.append(columnNames[index])
            values.append(value)
        }
        return Row(layout: ColumnLayout(names: names), values: values)
    }
}

extension DatabaseChange: CustomStringConvertible {
    /// The kind, the table, and the columns of the primary key; no values.
    public var description: String {
        "\(kind.rawValue) of a row of \(tableName) by \(primaryKey.columnNames.joined(separator: ", "))"
    }
}

/// A change of the row of a record.
///
/// ```swift
/// for change in try changes.rows(of: Player.self) {
///     switch change.kind {
///     case .insert: print("new:", try change.new() as Any)
///     case .delete: print("gone:", try change.old() as Any)
///     case .update: print("changed:", change.row.changedColumnNames)
///     }
/// }
/// ```
public struct RecordChange<Record: FetchableRecord & TableRecord> {
    /// The change of the row.
    public let row: DatabaseChange

    /// The kind of the change.
    public var kind: DatabaseChange.Kind { row.kind }

    /// The record before the change; nil for an insertion.
    ///
    /// - Throws: a ``/Rowan/RowDecodingError`` for an update, or for a patchset, unless the record needs no other columns than
    ///   those of ``DatabaseChange/old``: see ``records(_:)``.
    public func old() throws -> Record? { kind == .insert ? nil : try Record(row: row.old) }

    /// The record after the change; nil for a deletion.
    ///
    /// - Throws: a ``/Rowan/RowDecodingError`` for an update, unless the record needs no other columns than those of
    ///   ``DatabaseChange/new``: see ``records(_:)``.
    public func new() throws -> Record? { kind == .delete ? nil : try Record(row: row.new) }

    /// The records before and after the change. A changeset has only the changed columns of an update: the others are
    /// those that the row has now.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// let (old, new) = try change.records(db)
    /// ```
    ///
    /// - Throws: a ``/Rowan/RecordError`` if the row of an update no longer exists.
    public func records(_ db: Database) throws -> (old: Record?, new: Record?) {
        guard kind == .update else { return (try old(), try new()) }
        let key = Dictionary(row.primaryKey.map { ($0.0, $0.1 as (any DatabaseValueConvertible)?) }) { first, _ in first
        }
        guard let current = try Row.fetchOne(db, Record.filter(key: key)) else {
            throw RecordError.recordNotFound(
                databaseTableName: row.tableName,
                key: Dictionary(row.primaryKey.map { ($0.0, $0.1) }) { first, _ in first })
        }
        func completed(by known: Row) throws -> Record {
            try Record(
                row: Row(
                    layout: ColumnLayout(names: Array(current.columnNames)),
                    values: current.map { name, value in known.hasColumn(name) ? known[name] : value }))
        }
        return (try completed(by: row.old), try completed(by: row.new))
    }
}
