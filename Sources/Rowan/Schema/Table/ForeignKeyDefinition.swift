// The foreign key of `belongsTo`. The primary key of the other table defines its columns, which are known when the
// table is created.

/// The foreign key of a belongs-to association. ``TableDefinition/belongsTo(_:inTable:onDelete:onUpdate:deferred:indexed:)``
/// creates it.
///
/// Article: <doc:DesigningSchemas>.
public final class ForeignKeyDefinition {
    private let name: String
    private let table: String?
    private let onDelete: Database.ForeignKeyAction?
    private let onUpdate: Database.ForeignKeyAction?
    private let isDeferred: Bool
    private let isIndexed: Bool
    private let isInPrimaryKey: Bool
    private var notNullSQL: String?
    private var isUnique = false

    init(
        name: String, table: String?, onDelete: Database.ForeignKeyAction?, onUpdate: Database.ForeignKeyAction?,
        isDeferred: Bool, isIndexed: Bool, isInPrimaryKey: Bool
    ) {
        self.name = name
        self.table = table
        self.onDelete = onDelete
        self.onUpdate = onUpdate
        self.isDeferred = isDeferred
        self.isIndexed = isIndexed
        self.isInPrimaryKey = isInPrimaryKey
    }

    /// Rejects NULL in each column: `NOT NULL`.
    @discardableResult
    public func notNull(onConflict conflictResolution: Database.ConflictResolution? = nil) -> Self {
        notNullSQL = " NOT NULL\(conflictResolution.onConflictSQL)"
        return self
    }

    /// Rejects two rows that refer to the same row: `UNIQUE`, or a unique index on several columns.
    @discardableResult
    public func unique() -> Self {
        isUnique = true
        return self
    }

    /// The columns of the foreign key, its constraint if it has several columns, and its index.
    struct Syntax {
        var columns: [ColumnSyntax]
        var constraint: ([String], ForeignKeyReference)?
        var index: TableSyntax.Index?
    }

    /// - Throws: SQLITE_ERROR if the other table does not exist or has no primary key.
    func resolved(_ keys: ReferencedKeys) throws -> Syntax {
        let (table, key) = try referencedKey(keys)
        let reference = ForeignKeyReference(
            table: table, columns: key.map(\.name), onDelete: onDelete, onUpdate: onUpdate, isDeferred: isDeferred)
        var columns = key.map { column in
            var syntax = ColumnSyntax(name: name + column.name.uppercasedFirst, type: column.type)
            syntax.notNullSQL = notNullSQL
            return syntax
        }
        let names = columns.map(\.name)
        let constraint = columns.count == 1 ? nil : (names, reference)
        if columns.count == 1 {
            columns[0].references = [reference]
            if isUnique { columns[0].index = .unique(nil) }
        }
        // A unique column has the index of its constraint. A foreign key in the primary key uses the index of that key.
        let needsIndex = isUnique ? columns.count > 1 : isIndexed && !isInPrimaryKey
        guard needsIndex else { return Syntax(columns: columns, constraint: constraint) }
        let index = TableSyntax.Index(columns: names, isUnique: isUnique, of: keys.tableName)
        return Syntax(columns: columns, constraint: constraint, index: index)
    }

    private func referencedKey(_ keys: ReferencedKeys) throws -> (table: String, key: [ReferencedKeys.Column]) {
        let candidates = table.map { [$0] } ?? [name, name.pluralized]
        for candidate in candidates {
            if let key = try keys.primaryKey(of: candidate) { return (candidate, key) }
        }
        let names = candidates.count == 2 && candidates[0] != candidates[1] ? candidates : [candidates[0]]
        throw DatabaseError(
            message: "the foreign key \(name) of table \(keys.tableName) refers to the missing table "
                + "\(names.joined(separator: " or ")): create it first, or name another one with inTable")
    }
}
