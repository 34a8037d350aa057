// Fills the profile of a statement while SQLite compiles it. The authorizer is installed once, when the connection
// opens, because installing one expires every statement. It does nothing while no profile is being filled.

import RowanSQLite

/// Records the actions that SQLite's compiler reports to its authorizer.
final class ProfileRecorder {
    /// The profile that is being filled.
    @exclusivity(unchecked) private var profile: StatementProfile?
    /// Whether to reject pragmas that change state: many take effect during compilation.
    @exclusivity(unchecked) private var refusesPragmas = false
    /// Whether a DELETE without a condition empties its table at once.
    @exclusivity(unchecked) var truncatesTables = true
    /// Whether the last report was the removal of a table: SQLite then reports the deletion of its rows.
    @exclusivity(unchecked) private var isDropping = false

    /// The actions to refuse, if any.
    @exclusivity(unchecked) var restriction: SQLRestriction?
    /// What SQL may do that the modules of virtual tables compile, if the file is untrusted: the definition of a full-text table
    /// chooses some of its functions and tables, and SQLite trusts them.
    @exclusivity(unchecked) var moduleRestriction: SQLRestriction?
    /// The statement whose first step runs: SQLite may compile it again.
    @exclusivity(unchecked) var startingStatement: SQLiteStatement?
    /// The writes of the statement that SQLite has reported.
    @exclusivity(unchecked) private var writeCount = 0
    private var connection: SQLiteConnection?
    /// The scope of the current access, if it has one.
    @exclusivity(unchecked) var scope: ScopeRestriction?

    /// Runs the closure, which compiles a statement, and records its profile.
    func recording<T>(
        refusingPragmas: Bool, _ compile: () throws -> T
    ) rethrows -> (result: T, profile: StatementProfile) {
        // A nested compilation by a virtual table's module has its own profile.
        let outer = (profile, refusesPragmas)
        (profile, refusesPragmas) = (StatementProfile(), refusingPragmas)
        writeCount = 0
        defer { (profile, refusesPragmas) = outer }
        let result = try compile()
        return (result, profile.take() ?? StatementProfile())
    }

    /// Installs the authorizer. The connection keeps this object while it is open.
    func install(in connection: SQLiteConnection) -> CInt {
        self.connection = connection
        return sqlite3_set_authorizer(
            connection,
            { context, code, first, second, schema, view in
                Unmanaged<ProfileRecorder>.fromOpaque(context!).takeUnretainedValue()
                    .answer(code, first, second, schema, view)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private typealias Text = UnsafePointer<CChar>

    private func answer(_ code: CInt, _ first: Text?, _ second: Text?, _ schema: Text?, _ view: Text?) -> CInt {
        if let moduleRestriction, profile == nil, isModuleCompiling,
            !moduleRestriction.allowsModule(code, first, second, schema)
        {
            return SQLITE_DENY
        }
        if let restriction, !restriction.allows(code, first, second, schema) { return SQLITE_DENY }
        // SQLite compiles a statement again without a profile.
        if profile != nil, let restriction = restriction ?? moduleRestriction,
            [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(code)
        {
            writeCount += code == SQLITE_UPDATE ? 1 : 5
            guard restriction.allows(writeCount: writeCount) else { return SQLITE_DENY }
        }
        if let scope, !scope.allows(code, first, second, schema, view) { return SQLITE_DENY }
        // A view of which the statement names no column, as in COUNT(*), is reported only with the columns it reads.
        if code == SQLITE_READ, let view {
            profile?.reads[.init(schema: "", name: Self.string(view)), default: []] = []
        }
        if view == nil { profile?.noteOwn(code, first) } else { profile?.own.usesViews = true }
        guard record(code, first, second, schema) else { return SQLITE_DENY }
        guard !truncatesTables else { return SQLITE_OK }
        let wasDropping = isDropping
        isDropping = [
            SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_VIEW, SQLITE_DROP_TEMP_VIEW,
            SQLITE_DROP_VTABLE,
        ].contains(code)
        // For a deletion, this result means row by row. In a DROP TABLE, it would skip the statement.
        // Source: https://sqlite.org/c3ref/c_deny.html
        guard code == SQLITE_DELETE, !wasDropping, let first, sqlite3_strnicmp(first, "sqlite_", 7) != 0 else {
            return SQLITE_OK
        }
        return SQLITE_IGNORE
    }

    /// Whether SQL that Rowan does not compile is that of a module: a statement runs, and is not being compiled again.
    private var isModuleCompiling: Bool {
        if let startingStatement { return sqlite3_stmt_busy(startingStatement) != 0 }
        var statement: SQLiteStatement?
        while let next = sqlite3_next_stmt(connection, statement) {
            if sqlite3_stmt_busy(next) != 0 { return true }
            statement = next
        }
        return false
    }

    /// - Returns: false to reject the statement.
    private func record(_ code: CInt, _ first: Text?, _ second: Text?, _ schema: Text?) -> Bool {
        guard profile != nil else { return true }
        func table() -> StatementProfile.Table { .init(schema: Self.string(schema), name: Self.string(first)) }
        switch code {
        case SQLITE_READ:
            // For rows read without columns, SQLite reports an empty column name.
            let column = Self.string(second)
            profile!.reads[table(), default: []].formUnion(column.isEmpty ? [] : [column])
        case SQLITE_UPDATE:
            profile!.updates[table(), default: []].insert(Self.string(second))
        case SQLITE_INSERT:
            profile!.insertions.insert(table())
        case SQLITE_DELETE:
            profile!.deletions.insert(table())
        case SQLITE_FUNCTION:
            profile!.functions.insert(Self.string(second).lowercased())
        case SQLITE_TRANSACTION:
            profile!.transactionOperation = Self.transaction(Self.string(first))
        case SQLITE_SAVEPOINT:
            profile!.transactionOperation = Self.savepoint(Self.string(first), Self.string(second))
        case SQLITE_PRAGMA:
            profile!.pragmas.append(
                .init(
                    name: Self.string(first).lowercased(), argument: second.map(Self.string),
                    schema: schema.map(Self.string)))
        case SQLITE_ATTACH, SQLITE_DETACH:
            profile!.changesAttachments = true
        default:
            if let change = Self.schemaChange(code, first, second, schema) { profile!.schemaChanges.append(change) }
        }
        return !(refusesPragmas && profile!.settingPragma != nil)
    }

    private static func string(_ text: Text?) -> String { text.map { String(cString: $0) } ?? "" }

    private static func transaction(_ operation: String) -> StatementProfile.TransactionOperation {
        switch operation {
        case "BEGIN": .begin
        case "COMMIT": .commit
        default: .rollback
        }
    }

    private static func savepoint(_ operation: String, _ name: String) -> StatementProfile.TransactionOperation {
        switch operation {
        case "BEGIN": .savepoint(name)
        case "RELEASE": .release(name)
        default: .rollbackTo(name)
        }
    }

    private static func schemaChange(
        _ code: CInt, _ first: Text?, _ second: Text?, _ schema: Text?
    ) -> StatementProfile.SchemaChange? {
        let change: (StatementProfile.SchemaChange.Action, StatementProfile.SchemaChange.Kind)
        switch code {
        case SQLITE_CREATE_TABLE, SQLITE_CREATE_TEMP_TABLE: change = (.create, .table)
        case SQLITE_CREATE_INDEX, SQLITE_CREATE_TEMP_INDEX: change = (.create, .index)
        case SQLITE_CREATE_TRIGGER, SQLITE_CREATE_TEMP_TRIGGER: change = (.create, .trigger)
        case SQLITE_CREATE_VIEW, SQLITE_CREATE_TEMP_VIEW: change = (.create, .view)
        case SQLITE_CREATE_VTABLE: change = (.create, .virtualTable)
        case SQLITE_DROP_TABLE, SQLITE_DROP_TEMP_TABLE: change = (.drop, .table)
        case SQLITE_DROP_INDEX, SQLITE_DROP_TEMP_INDEX: change = (.drop, .index)
        case SQLITE_DROP_TRIGGER, SQLITE_DROP_TEMP_TRIGGER: change = (.drop, .trigger)
        case SQLITE_DROP_VIEW, SQLITE_DROP_TEMP_VIEW: change = (.drop, .view)
        case SQLITE_DROP_VTABLE: change = (.drop, .virtualTable)
        // For ALTER TABLE, SQLite reports the schema and then the table.
        case SQLITE_ALTER_TABLE:
            return .init(action: .alter, kind: .table, schema: string(first), name: string(second))
        default: return nil
        }
        return .init(action: change.0, kind: change.1, schema: string(schema), name: string(first))
    }
}

extension StatementProfile {
    /// Records the effects of the statement itself, rather than of its triggers and views.
    fileprivate mutating func noteOwn(_ code: CInt, _ name: UnsafePointer<CChar>?) {
        switch code {
        case SQLITE_READ: own.noteRead(name.map { String(cString: $0) } ?? "")
        case SQLITE_INSERT: noteWrite(.insert, name)
        case SQLITE_UPDATE: noteWrite(.update, name)
        case SQLITE_DELETE: noteWrite(.delete, name)
        case SQLITE_ANALYZE: own.maintenance = "ANALYZE"
        // The creation of an index is reported first.
        case SQLITE_REINDEX where schemaChanges.isEmpty: own.maintenance = "REINDEX"
        case SQLITE_DETACH: own.maintenance = "DETACH"
        default: break
        }
    }

    private mutating func noteWrite(_ operation: OwnEffects.Operation, _ name: UnsafePointer<CChar>?) {
        // An upsert or a replacement reports its insertion first.
        guard own.write == nil else { return }
        own.write = OwnEffects.Write(operation: operation, table: name.map { String(cString: $0) } ?? "")
    }
}
