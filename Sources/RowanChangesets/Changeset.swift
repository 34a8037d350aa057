// Sets of changes as values. Their bytes are SQLite's, so that other programs can read them; the names of columns, which
// SQLite does not store, come along.

public import Rowan
public import RowanPlatform

/// Changes that can be applied to a database: a ``Changeset`` or a ``Patchset``.
public protocol DatabaseChanges: Hashable, Sendable {
    /// The changes, in SQLite's format. <https://sqlite.org/sessionintro.html>
    var data: Data { get }
    /// The columns of the tables, by table: those that are not generated, in order.
    var columnNames: [String: [String]] { get }
    /// Creates changes from SQLite's format and the columns of the tables.
    init(data: Data, columnNames: [String: [String]])
}

/// The changes of rows between two states of a database, with the values before and after.
///
/// ```swift
/// let changes = try dbQueue.write { db in
///     try db.recordChanges {
///         try db.execute(sql: "UPDATE player SET score = score + 10 WHERE team = 'Reds'")
///     }
/// }
/// try replica.write { db in try db.apply(changes) }
/// try dbQueue.write { db in try db.apply(changes.inverted()) }
/// ```
///
/// Each row has at most one change, however often it was written. Rows are identified by their primary key: tables
/// without one, and rows with NULL in it, have no changes.
///
/// Article: <doc:ChangesAsValues>.
///
/// Source: <https://sqlite.org/sessionintro.html>
public struct Changeset: DatabaseChanges, Codable {
    /// The changes, in SQLite's format.
    public let data: Data
    /// The columns of the tables, by table: those that are not generated, in order.
    public let columnNames: [String: [String]]

    /// Creates changes from SQLite's format and the columns of the tables. Without the columns, their names are `column1`,
    /// `column2`…
    public init(data: Data, columnNames: [String: [String]]) {
        self.data = data
        self.columnNames = columnNames
    }

    /// Creates a changeset without changes.
    public init() { self.init(data: Data(), columnNames: [:]) }

    /// The changeset that undoes this one.
    ///
    /// - Throws: a ``/Rowan/DatabaseError``, if the bytes are no changeset.
    public func inverted() throws -> Changeset {
        var changes: [(change: ChangeValues, table: ChangesetTable)] = []
        var reader = ChangesetReader(data)
        while let change = try reader.next() { if let table = reader.table { changes.append((change, table)) } }
        guard !reader.isPatchset else { throw Self.patchsetError }
        var writer = ChangesetWriter(isPatchset: false)
        // In the opposite order, unlike SQLite's own inverse: children are deleted before their parents, and a key that
        // differs only in its case is deleted before the other one is inserted.
        for (change, table) in changes.reversed() { writer.write(change.inverted(of: table), of: table) }
        return Changeset(data: writer.bytes, columnNames: columnNames)
    }

    /// The changes of this changeset, followed by those of another, as one.
    ///
    /// ```swift
    /// let day = try morning.combined(with: afternoon)
    /// ```
    ///
    /// A row that both change has one change. An insertion that is deleted disappears.
    ///
    /// - Throws: a ``/Rowan/DatabaseError``, if the bytes are no changesets, or if a table has other columns in the other one.
    public func combined(with other: Changeset) throws -> Changeset {
        let shared = columnNames.keys.filter { other.columnNames[$0] != nil }
        if let name = shared.sorted().first(where: { columnNames[$0] != other.columnNames[$0] }) {
            throw DatabaseError(
                resultCode: .SQLITE_SCHEMA, message: "the changesets have different columns of table \"\(name)\"")
        }
        var changes = CombinedChanges()
        for part in [self, other] {
            var reader = ChangesetReader(part.data)
            while let change = try reader.next() { if let table = reader.table { try changes.add(change, of: table) } }
            guard !reader.isPatchset else { throw Self.patchsetError }
        }
        return Changeset(data: changes.bytes, columnNames: columnNames.merging(other.columnNames) { own, _ in own })
    }

    /// The same changes, for a database that has applied other changes to the same original state, and has resolved their
    /// conflicts.
    ///
    /// ```swift
    /// // Here, after our own changes:
    /// let rebase = try db.apply(theirs) { _ in .replace }
    /// // There, where their changes have already been made:
    /// try db.apply(ours.rebased(on: rebase)) { _ in .omit }
    /// ```
    ///
    /// Afterwards, both databases have the same rows if each conflict of the kinds `data` and `conflict` was resolved by
    /// `.replace`. `.omit` leaves out all columns of the other change, but SQLite rebases only those that both have
    /// changed: the others keep their values there.
    ///
    /// - Parameter rebase: the result of applying the other changes.
    /// - Throws: a ``/Rowan/DatabaseError``, if the bytes are no changeset.
    public func rebased(on rebase: ChangesetRebase) throws -> Changeset {
        var reader = ChangesetReader(data)
        let tables = try reader.skipToEnd()
        guard !reader.isPatchset else { throw Self.patchsetError }
        guard !rebase.data.isEmpty else { return self }
        // SQLite trusts these bytes, and pairs tables by their names only.
        var conflicts = ChangesetReader(rebase.data)
        while let conflict = try conflicts.next(), let table = conflicts.table {
            guard conflict.kind != .update, !conflicts.isPatchset else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "these bytes are no description of conflicts")
            }
            let isOther = tables.contains {
                $0.name.isSameDatabaseName(as: table.name) && $0.keyIndexes != table.keyIndexes
            }
            guard !isOther else {
                throw DatabaseError(
                    resultCode: .SQLITE_SCHEMA,
                    message: "the conflicts are those of other columns of table \"\(table.name)\"")
            }
        }
        return Changeset(data: try LocalConnection.rebase(data, on: rebase.data), columnNames: columnNames)
    }

    /// The same changes with less to store: without the values before. They can't be inverted, and find fewer conflicts.
    ///
    /// - Throws: a ``/Rowan/DatabaseError``, if the bytes are no changeset.
    public func patchset() throws -> Patchset {
        var reader = ChangesetReader(data)
        var writer = ChangesetWriter(isPatchset: true)
        while let change = try reader.next() { if let table = reader.table { writer.write(change, of: table) } }
        return Patchset(data: writer.bytes, columnNames: columnNames)
    }

    private static let patchsetError = DatabaseError(
        resultCode: .SQLITE_CORRUPT, message: "these bytes are a patchset: create a Patchset")
}

/// The changes of rows between two states of a database, with the values after only.
///
/// ```swift
/// let patch = try changes.patchset()
/// try replica.write { db in try db.apply(patch) }
/// ```
///
/// A patchset is smaller than a ``Changeset``. Applying it finds no rows that were changed differently, only rows that are
/// missing or in the way.
public struct Patchset: DatabaseChanges, Codable {
    /// The changes, in SQLite's format.
    public let data: Data
    /// The columns of the tables, by table: those that are not generated, in order.
    public let columnNames: [String: [String]]

    /// Creates changes from SQLite's format and the columns of the tables. Without the columns, their names are `column1`,
    /// `column2`…
    public init(data: Data, columnNames: [String: [String]]) {
        self.data = data
        self.columnNames = columnNames
    }
}

/// What applying changes has done about conflicts: see ``Changeset/rebased(on:)``.
public struct ChangesetRebase: Hashable, Sendable, Codable {
    /// SQLite's description of the conflicts. Empty if there were none.
    public let data: Data

    /// Creates a rebase from SQLite's description.
    public init(data: Data) { self.data = data }
}

// MARK: - Reading

extension DatabaseChanges {
    /// Creates changes from bytes of another program, with the columns that a database has.
    ///
    /// - Throws: SQLITE_CORRUPT if the bytes are damaged; SQLITE_SCHEMA if a table does not fit.
    public init(data: Data, columnsFrom db: Database) throws {
        let unnamed = Self(data: data, columnNames: [:])
        var names: [String: [String]] = [:]
        for table in try unnamed.tables() { names[table.name] = try db.columnNames(of: table, unnamed) }
        self.init(data: data, columnNames: names)
    }

    /// Creates changes from a file in SQLite's format, with the columns that a database has.
    ///
    /// The file is mapped into memory, and read where it is needed: changes of a gigabyte can be applied, and read with
    /// ``forEach(_:)``. The file must not be changed meanwhile.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try db.apply(Changeset(contentsOf: url, columnsFrom: db))
    /// }
    /// ```
    ///
    /// - Throws: the error of the file; SQLITE_CORRUPT if it is damaged; SQLITE_SCHEMA if a table does not fit.
    public init(contentsOf url: URL, columnsFrom db: Database) throws {
        try self.init(data: Data(contentsOf: url, options: .mappedIfSafe), columnsFrom: db)
    }

    /// Whether there are no changes.
    public var isEmpty: Bool { data.isEmpty }

    /// The changes, in the order in which they are applied.
    ///
    /// - Throws: SQLITE_CORRUPT if the bytes are damaged.
    public func changes() throws -> [DatabaseChange] {
        var changes: [DatabaseChange] = []
        try forEach { changes.append($0) }
        return changes
    }

    /// Calls the closure with each change, in the order in which they are applied.
    ///
    /// - Throws: SQLITE_CORRUPT if the bytes are damaged; the closure's error.
    public func forEach(_ body: (DatabaseChange) throws -> Void) throws {
        var reader = ChangesetReader(data)
        while let values = try reader.next(), let table = reader.table {
            try body(DatabaseChange(values, of: table, columnNames: columnNames(of: table)))
        }
    }

    /// The changes of the table of a record.
    ///
    /// ```swift
    /// for change in try changes.rows(of: Player.self) { print(change.kind, change.row.changedColumnNames) }
    /// ```
    ///
    /// - Throws: SQLITE_CORRUPT if the bytes are damaged.
    public func rows<Record: FetchableRecord & TableRecord>(of type: Record.Type) throws -> [RecordChange<Record>] {
        var changes: [RecordChange<Record>] = []
        try forEach { change in
            if change.tableName.isSameDatabaseName(as: Record.databaseTableName) {
                changes.append(RecordChange(row: change))
            }
        }
        return changes
    }

    /// The changes of some rows.
    ///
    /// ```swift
    /// let own = try changes.filter { $0.tableName == "note" }
    /// ```
    ///
    /// - Throws: SQLITE_CORRUPT if the bytes are damaged; the closure's error.
    public func filter(_ isIncluded: (DatabaseChange) throws -> Bool) throws -> Self {
        var reader = ChangesetReader(data)
        var bytes = Data()
        var lastTable: ChangesetTable?
        while let values = try reader.next(), let table = reader.table {
            guard try isIncluded(DatabaseChange(values, of: table, columnNames: columnNames(of: table))) else {
                continue
            }
            if lastTable != table { bytes.append(reader.tableBytes) }
            lastTable = table
            bytes.append(reader.changeBytes)
        }
        return Self(data: bytes, columnNames: columnNames)
    }

    /// The names of the columns. Without known names, they are `column1`, `column2`…
    func columnNames(of table: ChangesetTable) -> [String] {
        if let names = columnNames[table.name], names.count == table.keyIndexes.count { return names }
        return table.keyIndexes.indices.map { "column\($0 + 1)" }
    }

    /// The tables, each once, after all bytes have been checked.
    func tables() throws -> [ChangesetTable] {
        var reader = ChangesetReader(data)
        return try reader.skipToEnd()
    }

    /// The changes as JSON, for reading: an array of objects with `table`, `kind`, `indirect`, `old` and `new`. Blobs are in
    /// Base64.
    ///
    /// ```swift
    /// // [{"indirect":false,"kind":"update","new":{"id":1,"score":120},"old":{"id":1,"score":100},"table":"player"}]
    /// print(String(decoding: try changes.json(), as: UTF8.self))
    /// ```
    ///
    /// - Throws: SQLITE_CORRUPT if the bytes are damaged.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return try encoder.encode(try changes().map(JSONChange.init))
    }
}

private struct JSONChange: Encodable {
    let table: String
    let kind: String
    let indirect: Bool
    let old: [String: JSONValue]?
    let new: [String: JSONValue]?

    init(_ change: DatabaseChange) {
        table = change.tableName
        kind = change.kind.rawValue
        indirect = change.isIndirect
        func values(_ row: Row) -> [String: JSONValue]? {
            row.isEmpty ? nil : Dictionary(row.map { ($0.0, JSONValue(value: $0.1)) }) { first, _ in first }
        }
        old = values(change.old)
        new = values(change.new)
    }
}

private struct JSONValue: Encodable {
    let value: DatabaseValue

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value.storage {
        case .null: try container.encodeNil()
        case .int64(let integer): try container.encode(integer)
        case .double(let double): try container.encode(double)
        case .string(let text): try container.encode(text)
        case .blob(let data): try container.encode(data)
        }
    }
}
