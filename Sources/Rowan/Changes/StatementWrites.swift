// The possible writes of a statement, for observation. SQLite's update hook reports row changes, but not all of them.
// For the others, only the table is known, which is reported as a whole when the statement has changed something.

import RowanSQLText

/// The writes of a statement, according to its profile.
final class StatementWrites {
    /// A kind of change to a table.
    struct Write {
        var table: StatementProfile.Table
        var kind: DatabaseEventKind
        /// Whether SQLite may make such changes without reporting the rows.
        var isHidden = false
    }

    /// The state when the changes of a statement were last reported to all subscribers to regions.
    struct Report: Equatable {
        /// The state of the tracker.
        let epoch: Int
        /// The interests of the subscribers.
        let interests: Int
    }

    /// The schema version for which the writes are valid.
    let epoch: Int
    let writes: [Write]
    /// Whether any change concerns all the writes, so that the rows are not needed to determine what has changed.
    let changeTogether: Bool
    let changesSchema: Bool
    /// Whether the statement alters a table: SQLite does not report the new name of a renamed table.
    let altersTable: Bool
    /// The last report. While it is valid, rerunning the statement changes nothing else.
    @exclusivity(unchecked) var reported: Report?
    private var knownLayouts: [PreUpdateLayout?]?

    private init(_ writes: [Write], changesSchema: Bool, altersTable: Bool, epoch: Int) {
        self.writes = writes
        self.changesSchema = changesSchema
        self.altersTable = altersTable
        self.epoch = epoch
        changeTogether = Self.changeTogether(writes)
    }

    /// An insertion changes its table's counter, and a replaced row is in the same table as the row that replaces it.
    private static func changeTogether(_ writes: [Write]) -> Bool {
        guard let visible = writes.first(where: { !$0.isHidden }) else { return true }
        return writes.allSatisfy { write in
            guard write.isHidden else { return write.table == visible.table && write.kind == visible.kind }
            return write.table == visible.table || write.table.name == "sqlite_sequence"
        }
    }

    /// The writes of a statement, cached from an earlier execution if the schema is the same.
    static func of(_ statement: Statement, _ db: Database) -> StatementWrites {
        if let known = statement.knownWrites {
            let known = unsafeDowncast(known, to: StatementWrites.self)
            if known.epoch == db.connection.schemaEpoch { return known }
        }
        // The schema may turn out to be different while it is read.
        let epoch = db.connection.schemaEpoch
        let made = make(statement, db)
        guard db.connection.schemaEpoch != epoch else { return made }
        return make(statement, db)
    }

    /// SQLite's reporting of the row values of each write.
    func preUpdateLayouts(_ db: Database) -> [PreUpdateLayout?] {
        if let knownLayouts { return knownLayouts }
        do {
            let layouts = try db.connection.unwatched { try writes.map { try db.preUpdateLayout(of: $0.table) } }
            knownLayouts = layouts
            return layouts
        } catch {
            // After a cancellation or an I/O error, the statement fails for the same reason. The next execution
            // retries.
            return writes.map { _ in nil }
        }
    }

    private static func make(_ statement: Statement, _ db: Database) -> StatementWrites {
        let made = of(statement.profile, sql: statement.sql, db)
        statement.knownWrites = made
        return made
    }

    /// The writes according to a profile.
    static func of(_ profile: StatementProfile, sql: String, _ db: Database) -> StatementWrites {
        let epoch = db.connection.schemaEpoch
        var writes = profile.insertions.map { Write(table: $0, kind: .insert(tableName: $0.name)) }
        writes += profile.deletions.map { Write(table: $0, kind: .delete(tableName: $0.name)) }
        writes += profile.updates.map { table, columns in
            Write(table: table, kind: .update(tableName: table.name, columnNames: columns))
        }
        for change in profile.schemaChanges where [.table, .view, .virtualTable].contains(change.kind) {
            for schema in [change.schema] + db.schemas(after: change.schema) {
                let table = StatementProfile.Table(schema: schema, name: change.name)
                guard !profile.deletions.contains(table) else { continue }
                writes.append(Write(table: table, kind: .delete(tableName: change.name)))
            }
        }
        // The order of sets is random.
        writes.sort { ($0.table.schema, $0.table.name) < ($1.table.schema, $1.table.name) }
        return db.connection.unwatched {
            StatementWrites(
                db.explained(writes, of: sql, changesSchema: profile.changesSchema),
                changesSchema: profile.changesSchema,
                altersTable: profile.schemaChanges.contains { $0.action == .alter }, epoch: epoch)
        }
    }
}

extension Database {
    /// The schemas whose tables are hidden by a table of another schema, for names without a schema.
    /// <https://sqlite.org/lang_naming.html>
    fileprivate func schemas(after schema: String) -> [String] {
        // If their list is unavailable, because of a cancellation or a lack of memory, no statement can run either.
        let names = ((try? connection.unwatched { try schemaIDs(nil) }) ?? []).map(\.name)
        return Array(names.drop { !$0.isSameDatabaseName(as: schema) }.dropFirst())
    }

    /// The writes, with the generated columns they update, and whether SQLite reports their rows.
    fileprivate func explained(
        _ writes: [StatementWrites.Write], of sql: String, changesSchema: Bool
    ) -> [StatementWrites.Write] {
        // A schema change changes rows without reporting them.
        guard !changesSchema else {
            return writes.map { StatementWrites.Write(table: $0.table, kind: $0.kind, isHidden: true) }
        }
        let replaces = MentionedWords(in: sql).contains(.replace) || writes.contains { mayReplaceRows(of: $0.table) }
        return writes.flatMap { write in
            var write = write
            guard !Self.isSQLiteInternalTable(write.table.name) else {
                // SQLite never reports the rows of its own tables.
                write.isHidden = true
                return [write]
            }
            // If the schema can't be read, because of a full disk or a cancellation, all changes may be hidden.
            write =
                (try? explained(write)) ?? StatementWrites.Write(table: write.table, kind: write.kind, isHidden: true)
            if write.kind.isKind(of: .delete) { return [write] }
            var hidden: [StatementWrites.Write] = []
            if write.kind.isKind(of: .insert), countsRowIDs(of: write.table) {
                let counters = StatementProfile.Table(schema: write.table.schema, name: "sqlite_sequence")
                hidden.append(.init(table: counters, kind: .insert(tableName: counters.name), isHidden: true))
            }
            // A replaced row is deleted, and an updated column of a virtual table may change its hidden columns.
            let isVirtual = (try? isVirtualTable(write.table.name, in: write.table.schema)) ?? true
            if replaces || isVirtual && write.kind.isKind(of: .update) {
                let deletion = DatabaseEventKind.delete(tableName: write.table.name)
                hidden.append(.init(table: write.table, kind: deletion, isHidden: true))
            }
            return [write] + hidden
        }
    }

    private func explained(_ write: StatementWrites.Write) throws -> StatementWrites.Write {
        let (name, schema) = (write.table.name, write.table.schema)
        var isHidden = try !connection.abilities.reportsRows || !reportsRows(of: name, in: schema)
        guard case .update(_, var columns) = write.kind else {
            return StatementWrites.Write(table: write.table, kind: write.kind, isHidden: isHidden)
        }
        // SQLite reports only the new rowid. An update of `oid` names the rowid, even if a column has this name.
        let rowIDNames = isHidden ? [] : try ["rowid"] + self.rowIDNames(of: name, in: schema)
        if columns.contains(where: { column in rowIDNames.contains { $0.isSameDatabaseName(as: column) } }) {
            isHidden = true
            // The update names the rowid or its alias, as do the statements that read it.
            columns.formUnion(rowIDNames)
        }
        for column in try self.columns(in: name, in: schema) where column.isGenerated { columns.insert(column.name) }
        return StatementWrites.Write(
            table: write.table, kind: .update(tableName: name, columnNames: columns), isHidden: isHidden)
    }

    /// Whether inserted or updated rows may replace others: SQLite does not report their deletion. A conflict clause
    /// needs the word REPLACE in the statement, in the definition of the table or in a trigger.
    private func mayReplaceRows(of table: StatementProfile.Table) -> Bool {
        guard let words = try? definitionWords() else { return true }
        return words.replacing.contains(table.name.foldedDatabaseName)
    }

    /// Whether an insertion also writes the counter of the table. SQLite does not report it.
    /// <https://sqlite.org/autoinc.html>
    private func countsRowIDs(of table: StatementProfile.Table) -> Bool {
        guard let words = try? definitionWords() else { return true }
        return words.autoincrementing.contains(table.name.foldedDatabaseName)
    }
}
