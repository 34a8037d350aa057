// A table that gets sample rows: what its columns may contain together.

import Rowan

/// A table, as sample rows see it.
struct SampleTable {
    /// A foreign key to a table that exists.
    struct Reference {
        let key: ForeignKeyInfo
        let isToItself: Bool
        /// The columns that may be NULL, in which case the key refers to no row.
        let nullable: [String]
    }

    /// Columns whose values are chosen together: a single one, or those of foreign keys that share columns.
    struct Slot {
        var columns: [String]
        var references: [Reference]
    }

    let name: String
    /// The columns that a program can write, by their folded names.
    let values: [String: SampleValues]
    /// The folded names in the order of the table.
    let columns: [String]
    let references: [Reference]
    let slots: [Slot]
    private let notNull: Set<String>
    /// The tokens of each check, with the name of its constraint.
    private let checks: [(name: String?, tokens: [SQLTokens.Token])]

    init(_ table: SchemaObject, _ db: Database) throws {
        name = table.name
        let key = try db.primaryKey(name, in: "main")
        let all = try db.columns(in: name, in: "main").filter { !$0.isGenerated }
        columns = all.map(\.name.foldedDatabaseName)
        checks = Self.checks(SQLTokens(table.sql ?? "").tokens)
        let others = try db.schemaObjects(in: "main").filter { object in
            object.kind != .table && object.tableName.isSameDatabaseName(as: table.name)
        }
        let constraints = checks.map(\.tokens) + others.map { SQLTokens($0.sql ?? "").tokens }
        let rowID = key.rowIDColumn?.foldedDatabaseName
        values = Dictionary(
            all.map { column in
                let name = column.name.foldedDatabaseName
                let own = constraints.filter { $0.contains(.word(column.name.lowercased())) }
                return (name, SampleValues(column, isRowID: name == rowID, constraints: own))
            }
        ) { first, _ in first }
        // SQLite allows NULL in most primary keys, but no program stores it.
        let required = Set(all.filter { $0.isNotNull || $0.primaryKeyIndex > 0 }.map(\.name.foldedDatabaseName))
        notNull = required
        references = try db.foreignKeys(on: name, in: "main").filter { key in
            try db.tableExists(key.destinationTable, in: "main")
        }.map { key in
            Reference(
                key: key, isToItself: key.destinationTable.isSameDatabaseName(as: table.name),
                nullable: key.originColumns.map(\.foldedDatabaseName).filter { !required.contains($0) })
        }
        slots = Self.slots(columns, references)
    }

    func isNullable(_ column: String) -> Bool { !notNull.contains(column) }

    private static func slots(_ columns: [String], _ references: [Reference]) -> [Slot] {
        var slots: [Slot] = []
        for reference in references {
            var slot = Slot(columns: reference.key.originColumns.map(\.foldedDatabaseName), references: [reference])
            for other in slots where !Set(other.columns).isDisjoint(with: slot.columns) {
                slot.columns += other.columns
                slot.references += other.references
            }
            slots.removeAll { !Set($0.columns).isDisjoint(with: slot.columns) }
            slot.columns = slot.columns.uniqued
            slots.append(slot)
        }
        let referring = Set(slots.flatMap(\.columns))
        return columns.filter { !referring.contains($0) }.map { Slot(columns: [$0], references: []) } + slots
    }

    /// The checks of a definition.
    private static func checks(_ tokens: [SQLTokens.Token]) -> [(name: String?, tokens: [SQLTokens.Token])] {
        tokens.indices.filter { tokens[$0] == .word("check") && tokens.dropFirst($0 + 1).first == .symbol("(") }
            .map { start in
                var depth = 0
                let end = tokens.indices.dropFirst(start + 1).first { index in
                    if tokens[index] == .symbol("(") { depth += 1 } else if tokens[index] == .symbol(")") { depth -= 1 }
                    return depth == 0
                }
                var name: String?
                if start >= 2, tokens[start - 2] == .word("constraint"), case .word(let word) = tokens[start - 1] {
                    name = word
                }
                return (name, Array(tokens[(start + 2)..<(end ?? tokens.endIndex)]))
            }
    }

    /// The slots that a violated constraint concerns: all of them if it is unknown.
    func slots(concernedBy error: DatabaseError) -> [Int] {
        let text = (error.message ?? "").split(separator: ": ", maxSplits: 1).last.map(String.init) ?? ""
        let tokens = SQLTokens(text).tokens
        let words: [SQLTokens.Token]
        switch error.extendedResultCode {
        case .SQLITE_CONSTRAINT_CHECK:
            let check = checks.first { $0.name == text.lowercased() || $0.tokens == tokens }
            words = check?.tokens ?? []
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID: words = tokens
        default: words = []
        }
        let names = Set(words.compactMap { if case .word(let word) = $0 { word.foldedDatabaseName } else { nil } })
        let concerned = slots.indices.filter { !names.isDisjoint(with: slots[$0].columns) }
        return concerned.isEmpty ? Array(slots.indices) : concerned
    }
}

extension [SampleTable] {
    /// The tables in an order in which parents come before their children, except in cycles.
    var inOrderOfInsertion: [SampleTable] {
        var (rest, result) = (self, [SampleTable]())
        while !rest.isEmpty {
            func isWaiting(_ reference: SampleTable.Reference) -> Bool {
                !reference.isToItself
                    && rest.contains { $0.name.isSameDatabaseName(as: reference.key.destinationTable) }
            }
            // A cycle starts where a key can be NULL at first.
            let next =
                rest.firstIndex { !$0.references.contains(where: isWaiting) }
                ?? rest.firstIndex { table in
                    table.references.allSatisfy { !isWaiting($0) || !$0.nullable.isEmpty }
                } ?? 0
            result.append(rest.remove(at: next))
        }
        return result
    }
}
