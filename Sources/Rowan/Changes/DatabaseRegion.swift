// A part of a database: the part that a statement reads or a transaction changes. If the two regions overlap, the
// statement's results may have changed.

/// A part of a database: tables, and in each table all or some of the columns and rows.
///
/// ```swift
/// try Player.all().databaseRegion(db)                            // player(id,name,score)
/// try Player.select(\.score).filter(id: 1).databaseRegion(db)    // player(id,score)[1]
/// try Table("player").databaseRegion(db)                         // player(*)
/// ```
///
/// Article: <doc:Observation>.
public struct DatabaseRegion: Sendable {
    /// The tables; nil for the full database.
    private(set) var tables: [Key: Part]?

    /// A table, with its names in lower case.
    struct Key: Hashable, Sendable {
        var schema: String
        var name: String

        init(_ table: StatementProfile.Table) {
            schema = table.schema.foldedDatabaseName
            name = table.name.foldedDatabaseName
        }
    }

    /// A part of a table.
    struct Part: Hashable, Sendable {
        /// The names of the columns in lower case, with their spellings; nil for all columns.
        var columns: [String: String]?
        /// The rowids; nil for all rows.
        var rowIDs: Set<Int64>?
        /// The name of the table, as written.
        var spelling: String

        static func == (left: Part, right: Part) -> Bool {
            left.rowIDs == right.rowIDs && left.columns.map { Set($0.keys) } == right.columns.map { Set($0.keys) }
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(rowIDs)
            hasher.combine(columns.map { Set($0.keys) })
        }
    }

    private init(_ tables: [Key: Part]?) { self.tables = tables }

    /// Creates the empty region, which is modified by no change.
    public init() { tables = [:] }

    /// The full database, which every change modifies except those of Litestream's tables.
    public static let fullDatabase = DatabaseRegion(nil)

    /// A part of a table.
    ///
    /// - Parameters:
    ///   - columns: the columns; nil for all columns.
    ///   - rowIDs: the rowids; nil for all rows.
    package init(_ table: StatementProfile.Table, columns: Set<String>? = nil, rowIDs: Set<Int64>? = nil) {
        let columns = columns.map { Dictionary($0.map { ($0.foldedDatabaseName, $0) }) { first, _ in first } }
        let part = Part(columns: columns, rowIDs: rowIDs, spelling: table.name)
        self.init(rowIDs?.isEmpty == true ? [:] : [Key(table): part])
    }

    /// The part of a table that is modified by changes of a kind.
    package init(_ table: StatementProfile.Table, kind: DatabaseEventKind, rowIDs: Set<Int64>? = nil) {
        switch kind {
        case .insert, .delete: self.init(table, rowIDs: rowIDs)
        case .update(_, let columns): self.init(table, columns: columns, rowIDs: rowIDs)
        }
    }

    /// The region that a statement reads.
    package init(reads profile: StatementProfile) {
        self.init()
        for (table, columns) in profile.reads {
            // Without columns, as in COUNT(*), the statement depends on the rows.
            formUnion(DatabaseRegion(table, columns: columns.isEmpty ? nil : columns))
        }
    }

    /// Whether the region is empty.
    public var isEmpty: Bool { tables?.isEmpty ?? false }

    /// Whether the region is the full database.
    public var isFullDatabase: Bool { tables == nil }

    // MARK: Algebra

    /// The region that contains both regions.
    public func union(_ other: DatabaseRegion) -> DatabaseRegion {
        var union = self
        union.formUnion(other)
        return union
    }

    /// Adds another region.
    public mutating func formUnion(_ other: DatabaseRegion) {
        guard tables != nil, let others = other.tables else { return tables = nil }
        for (key, part) in others { tables![key, default: part].formUnion(part) }
    }

    /// The part of this region in the only table of another region, restricted to the given rows of that table.
    ///
    /// - Parameter rowIDs: the rowids that a statement reads from the table.
    package func restricted(to rowIDs: Set<Int64>, of table: StatementProfile.Table) -> DatabaseRegion {
        guard var tables, var part = tables[Key(table)] else { return self }
        part.rowIDs = part.rowIDs.map { $0.intersection(rowIDs) } ?? rowIDs
        tables[Key(table)] = part.rowIDs?.isEmpty == true ? nil : part
        return DatabaseRegion(tables)
    }

    /// Whether both regions have a row and a column in common.
    package func intersects(_ other: DatabaseRegion) -> Bool {
        guard let tables else { return other.hasOwnTables }
        guard let others = other.tables else { return hasOwnTables }
        return others.contains { key, part in tables[key]?.intersects(part) ?? false }
    }

    /// Whether the region contains a table created by the program.
    private var hasOwnTables: Bool {
        tables?.keys.contains { !HiddenTables.standard.contains($0.name) } ?? true
    }

    // MARK: Changes

    /// Whether the region contains only some rows of a table.
    package func countsRows(of table: StatementProfile.Table) -> Bool { tables?[Key(table)]?.rowIDs != nil }

    /// The number of rows of a table; nil for all rows.
    package func rowCount(of table: StatementProfile.Table) -> Int? {
        guard let tables else { return nil }
        guard let part = tables[Key(table)] else { return 0 }
        return part.rowIDs?.count
    }

    /// Whether events of a kind can modify the region.
    public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
        guard let tables else { return !HiddenTables.standard.contains(eventKind.tableName) }
        let name = eventKind.tableName.foldedDatabaseName
        return tables.contains { key, part in key.name == name && part.isModified(by: eventKind) }
    }

    /// Whether an event modifies the region. Columns are ignored: first select events by kind.
    public func isModified(by event: DatabaseEvent) -> Bool {
        guard let tables else { return !HiddenTables.standard.contains(event.table.name) }
        guard let part = tables[Key(event.table)] else { return false }
        return part.rowIDs?.contains(event.rowID) ?? true
    }
}

extension DatabaseRegion.Part {
    mutating func formUnion(_ other: DatabaseRegion.Part) {
        if let own = columns, let others = other.columns {
            if others.count > own.count || !others.keys.allSatisfy({ own[$0] != nil }) {
                columns = own.merging(others) { first, _ in first }
            }
        } else {
            columns = nil
        }
        if let own = rowIDs, let others = other.rowIDs { rowIDs = own.union(others) } else { rowIDs = nil }
    }

    fileprivate func intersects(_ other: DatabaseRegion.Part) -> Bool {
        if let rowIDs, let others = other.rowIDs, rowIDs.isDisjoint(with: others) { return false }
        guard let columns, let others = other.columns else { return true }
        return others.keys.contains { columns[$0] != nil }
    }

    fileprivate func isModified(by eventKind: DatabaseEventKind) -> Bool {
        guard case .update(_, let names) = eventKind, let columns else { return true }
        return names.contains { columns[$0.foldedDatabaseName] != nil }
    }
}

extension DatabaseRegion: Hashable {
    /// Whether both regions contain the same tables, columns and rows. The spelling of names is ignored.
    public static func == (lhs: DatabaseRegion, rhs: DatabaseRegion) -> Bool { lhs.tables == rhs.tables }

    /// Hashes the tables, the columns and the rows.
    public func hash(into hasher: inout Hasher) { hasher.combine(tables) }
}

extension DatabaseRegion: CustomStringConvertible {
    /// The tables in order, their columns and their rowids: `player(id,name)[1,2],team(*)`. The schema `main` is
    /// omitted.
    public var description: String {
        guard let tables else { return "full database" }
        guard !tables.isEmpty else { return "empty" }
        let parts = tables.sorted { ($0.key.schema, $0.key.name) < ($1.key.schema, $1.key.name) }
        return parts.map { key, part in
            let schema = key.schema == "main" ? "" : "\(key.schema)."
            let columns = part.columns.map { $0.values.sorted().joined(separator: ",") } ?? "*"
            let rows = part.rowIDs.map { "[\($0.sorted().map(String.init).joined(separator: ","))]" } ?? ""
            return "\(schema)\(part.spelling)(\(columns))\(rows)"
        }.joined(separator: ",")
    }
}
