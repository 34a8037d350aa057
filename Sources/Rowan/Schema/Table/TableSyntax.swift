// A table in the syntax of CREATE TABLE, with its indexes. <https://sqlite.org/lang_createtable.html>

struct TableSyntax {
    enum Item {
        case column(ColumnSyntax)
        case literal(SQL)
    }

    /// An index that is created with the table.
    struct Index {
        var name: String
        var columns: [String]
        var isUnique: Bool

        /// `player_on_teamId`, but `index_player_on_countryCode_teamId`.
        init(columns: [String], isUnique: Bool = false, of table: String) {
            name = "\(columns.count == 1 ? "" : "index_")\(table)_on_\(columns.joined(separator: "_"))"
            self.columns = columns
            self.isUnique = isUnique
        }
    }

    let name: String
    /// The schema of the table; nil for the temporary schema with the option, otherwise for the main schema.
    let schema: String?
    let options: TableOptions
    var items: [Item] = []
    private(set) var primaryKey: (columns: [String], conflictResolution: Database.ConflictResolution?)?
    var constraints: [SQL] = []
    private(set) var indexes: [Index] = []

    /// - Throws: SQLITE_ERROR if a foreign key of `belongsTo` refers to a missing table or primary key.
    init(_ definition: TableDefinition, in db: Database, schema: String? = nil) throws {
        name = definition.name
        self.schema = schema
        options = definition.options
        var keys = ReferencedKeys(
            db: db, schema: schema ?? (options.contains(.temporary) ? "temp" : "main"), tableName: name,
            ownKey: { [] })
        keys.ownKey = { [keys] in try Self.primaryKey(of: definition, keys) }
        constraints = definition.constraints.compactMap(\.uniqueKey)
        for item in definition.items { try add(item, keys) }
        for constraint in definition.constraints {
            if case .foreignKey(let columns, let reference) = constraint {
                add(columns, try keys.resolved(reference, columnCount: columns.count))
            }
        }
        constraints += definition.constraints.compactMap(\.condition) + definition.constraints.compactMap(\.literal)
        if let key = definition.primaryKey {
            primaryKey = (try Self.columns(of: key.parts, keys).map(\.name), key.conflictResolution)
        }
    }

    private mutating func add(_ item: TableDefinition.Item, _ keys: ReferencedKeys) throws {
        switch item {
        case .literal(let literal): items.append(.literal(literal))
        case .column(let definition):
            var column = definition.syntax
            column.references = try column.references.map { try keys.resolved($0, columnCount: 1) }
            items.append(.column(column))
            if case .plain = column.index { indexes.append(Index(columns: [column.name], of: name)) }
        case .foreignKey(let definition):
            let foreignKey = try definition.resolved(keys)
            items += foreignKey.columns.map { .column($0) }
            if let (columns, reference) = foreignKey.constraint { add(columns, reference) }
            if let index = foreignKey.index { indexes.append(index) }
        }
    }

    private mutating func add(_ columns: [String], _ reference: ForeignKeyReference) {
        constraints.append(SQL(sql: "FOREIGN KEY (\(columns.quotedList))\(reference.sql)"))
    }

    // MARK: The primary key of the definition

    private static func primaryKey(
        of definition: TableDefinition, _ keys: ReferencedKeys
    ) throws -> [ReferencedKeys.Column] {
        if let key = definition.primaryKey {
            let names = try columns(of: key.parts, keys)
            return names.map { column in
                guard let own = self.column(column.name, of: definition) else { return column }
                return ReferencedKeys.Column(name: own.name, type: own.type)
            }
        }
        for case .column(let column) in definition.items where column.syntax.primaryKeySQL != nil {
            return [ReferencedKeys.Column(name: column.syntax.name, type: column.syntax.type)]
        }
        return []
    }

    /// The columns of a primary key, with the types of those that foreign keys define.
    private static func columns(
        of parts: [TableDefinition.KeyPart], _ keys: ReferencedKeys
    ) throws -> [ReferencedKeys.Column] {
        try parts.flatMap { part in
            switch part {
            case .column(let name): [ReferencedKeys.Column(name: name, type: nil)]
            case .foreignKey(let foreignKey):
                try foreignKey.resolved(keys).columns.map { ReferencedKeys.Column(name: $0.name, type: $0.type) }
            }
        }
    }

    private static func column(_ name: String, of definition: TableDefinition) -> ColumnSyntax? {
        for case .column(let column) in definition.items where column.syntax.name.isSameDatabaseName(as: name) {
            return column.syntax
        }
        return nil
    }

    // MARK: SQL

    /// - Parameter otherName: the name in CREATE TABLE of a table that is renamed later.
    func write(to renderer: inout Renderer, name otherName: String? = nil, schema otherSchema: String? = nil) {
        renderer.write(options.contains(.temporary) ? "CREATE TEMPORARY TABLE " : "CREATE TABLE ")
        if options.contains(.ifNotExists) { renderer.write("IF NOT EXISTS ") }
        if let schema = otherSchema ?? schema {
            renderer.write(identifier: schema)
            renderer.write(".")
        }
        renderer.write(identifier: otherName ?? name)
        renderer.write(" (")
        renderer.write(list: items) { renderer, item in
            switch item {
            case .column(let column): column.write(to: &renderer)
            case .literal(let literal): renderer.write(literal)
            }
        }
        if let primaryKey {
            renderer.write(
                ", PRIMARY KEY (\(primaryKey.columns.quotedList))\(primaryKey.conflictResolution.onConflictSQL)")
        }
        for constraint in constraints {
            renderer.write(", ")
            renderer.write(constraint)
        }
        renderer.write(")")
        let suffixes: [String] =
            (options.contains(.strict) ? ["STRICT"] : [])
            + (options.contains(.withoutRowID) ? ["WITHOUT ROWID"] : [])
        if !suffixes.isEmpty { renderer.write(" " + suffixes.joined(separator: ", ")) }
    }
}
