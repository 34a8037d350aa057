// The actions that untrusted SQL must not perform. SQLite's authorizer reports each action of a statement while the statement
// is compiled, including those of views and triggers, so nothing is guessed from the text.
// Sources: https://sqlite.org/c3ref/c_alter_table.html, https://sqlite.org/security.html

import RowanPlatform
import RowanSQLText
import RowanSQLite

/// The actions that a connection refuses.
package final class SQLRestriction {
    /// The names, in lower case, of the functions that untrusted SQL may call.
    @exclusivity(unchecked) private var functions: Set<String> = []
    /// The names, in lower case, of the modules whose tables exist without a definition, and may read anything.
    @exclusivity(unchecked) private var refusedModules: Set<String> = []
    /// What the last refused statement was refused for.
    @exclusivity(unchecked) private var lastRefusal: String?

    private typealias Text = UnsafePointer<CChar>

    /// - Parameters:
    ///   - functions: the functions of the connection that are not SQLite's, and whether any SQL may call them.
    ///   - modules: the modules of virtual tables that are not SQLite's, and whether any SQL may read their tables.
    init(
        _ known: Known, functions: [(name: String, isInnocuous: Bool)], modules: [(name: String, isInnocuous: Bool)]
    ) {
        self.functions = known.functions
        refusedModules = known.refusedModules
        for function in functions { note(function: function.name, isInnocuous: function.isInnocuous) }
        for module in modules { note(module: module.name, isInnocuous: module.isInnocuous) }
    }

    /// What the SQLite of the process has on each connection.
    struct Known: Sendable {
        /// The functions that any SQL may call.
        let functions: Set<String>
        /// The modules whose tables untrusted SQL must not read.
        let refusedModules: Set<String>

        init(functions: [(name: String, isInnocuous: Bool)], modules: [String]) {
            let refused = functions.filter { !$0.isInnocuous }.map { $0.name.lowercased() }
            self.functions = Set(functions.map { $0.name.lowercased() }).subtracting(refused)
                .union(SQLRestriction.functionsOfExtensions).union(SQLRestriction.internalFunctions).subtracting(
                    SQLRestriction.refusedFunctions)
            refusedModules = Set(modules.map { $0.lowercased() }.filter { !SQLRestriction.isReadable(module: $0) })
        }
    }

    /// Functions of extensions that are part of SQLite, which does not declare them as innocuous.
    private static let functionsOfExtensions: Set<String> = [
        "snippet", "highlight", "bm25", "offsets", "matchinfo", "match", "rtreenode", "rtreedepth",
        "geopoly_area", "geopoly_blob", "geopoly_json", "geopoly_svg", "geopoly_within", "geopoly_contains_point",
        "geopoly_overlap", "geopoly_debug", "geopoly_bbox", "geopoly_xform", "geopoly_regular", "geopoly_ccw",
        "geopoly_group_bbox",
    ]

    /// Functions that only SQLite calls, in statements that change a schema.
    private static let internalFunctions: Set<String> = [
        "sqlite_rename_table", "sqlite_rename_column", "sqlite_rename_test", "sqlite_rename_quotefix",
        "sqlite_drop_column",
    ]

    /// Functions that load code, or write outside the database; those for which SQLite needs stack for each step of a path,
    /// which may have half a million steps; and those that compare all keys of two objects in one step.
    private static let refusedFunctions: Set<String> = [
        "load_extension", "fts3_tokenizer", "sqlite_log", "json_set", "json_insert", "json_array_insert", "jsonb_set",
        "jsonb_insert", "jsonb_array_insert", "json_patch", "jsonb_patch",
    ]

    /// The modules of SQLite that read only the database, or their arguments.
    static let modules: Set<String> = [
        "fts3", "fts4", "fts4aux", "fts3tokenize", "fts5", "fts5vocab", "rtree", "rtree_i32", "geopoly", "json_each",
        "json_tree", "dbstat",
    ]

    /// Those that can read what a stranger has written. FTS3 needs stack for each node of a tree, which may be a chain.
    static let modulesOfFiles = modules.filter { !$0.hasPrefix("fts3") && !$0.hasPrefix("fts4") }

    /// Records that a function has been added, or replaced.
    func note(function: String, isInnocuous: Bool) {
        if isInnocuous { functions.insert(function.lowercased()) } else { functions.remove(function.lowercased()) }
    }

    /// Records that a module has been added, or replaced.
    func note(module: String, isInnocuous: Bool) {
        let module = module.lowercased()
        if isInnocuous {
            refusedModules.remove(module)
        } else {
            refusedModules.insert(module)
        }
    }

    private static func isReadable(module: String) -> Bool {
        // The pragmas that may run decide about their functions.
        modules.contains(module) || module.hasPrefix("pragma_")
    }

    /// How many writes a statement may contain, with those of its triggers and foreign keys: SQLite compiles one inside the
    /// other, and needs stack for each.
    private static let maximumWriteCount = 1_000

    /// Refuses a statement that contains many writes. An INSERT or a DELETE counts as several columns of an UPDATE.
    func allows(writeCount: Int) -> Bool {
        guard writeCount > Self.maximumWriteCount else { return true }
        lastRefusal = lastRefusal ?? "the statement runs too many triggers and foreign keys"
        return false
    }

    /// What the last statement was refused for, once.
    func takeRefusal() -> String? { lastRefusal.take() }

    /// Whether a statement may perform an action.
    func allows(
        _ code: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?, _ schema: UnsafePointer<CChar>?
    ) -> Bool {
        guard let refusal = refusal(code, first, second, schema) else { return true }
        if lastRefusal == nil { lastRefusal = refusal }
        return false
    }

    /// Whether SQL that the module of a virtual table compiles may perform an action: the definition of the table may have chosen
    /// the function or the table.
    func allowsModule(
        _ code: CInt, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?, _ schema: UnsafePointer<CChar>?
    ) -> Bool {
        guard code == SQLITE_FUNCTION || code == SQLITE_READ else { return true }
        if code == SQLITE_READ, let first {
            let table = String(cString: first).lowercased()
            if table.hasPrefix("pragma_") || table == "dbstat" { return false }
        }
        return allows(code, first, second, schema)
    }

    private func refusal(_ code: CInt, _ first: Text?, _ second: Text?, _ schema: Text?) -> String? {
        func text(_ text: Text?) -> String { text.map { String(cString: $0) } ?? "" }
        func isTemporary() -> Bool { schema.map { strcmp($0, "temp") == 0 } ?? false }
        switch code {
        case SQLITE_ATTACH: return "untrusted SQL can't attach a database, or run VACUUM"
        case SQLITE_DETACH: return "untrusted SQL can't detach a database"
        case SQLITE_PRAGMA: return pragmaRefusal(text(first).lowercased(), second.map { text($0) })
        case SQLITE_FUNCTION:
            let name = text(second).lowercased()
            guard !functions.contains(name) else { return nil }
            return "untrusted SQL can't call the function \(name)()"
                + (Self.refusedFunctions.contains(name) ? "" : ": declare it as innocuous if it is")
        case SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_INDEX, SQLITE_CREATE_TEMP_TRIGGER, SQLITE_CREATE_TEMP_VIEW,
            SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_TEMP_INDEX, SQLITE_DROP_TEMP_TRIGGER, SQLITE_DROP_TEMP_VIEW:
            return temporaryRefusal(text(first))
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
            return isTemporary() ? temporaryRefusal(text(first)) : nil
        case SQLITE_ALTER_TABLE:
            return first.map { strcmp($0, "temp") == 0 } ?? false ? temporaryRefusal(text(second)) : nil
        case SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
            let module = text(second).lowercased()
            return Self.modules.contains(module) && !isTemporary()
                ? nil : "untrusted SQL can't create or drop a virtual table of the module \"\(module)\""
        case SQLITE_READ:
            return readRefusal([text(first).lowercased()])
        default: return nil
        }
    }

    /// - Parameter names: names in lower case, of which SQLite may not have reported that they are read.
    private func readRefusal(_ names: Set<String>) -> String? {
        names.intersection(refusedModules).min().map { "untrusted SQL can't read the virtual table \"\($0)\"" }
    }

    /// - Throws: SQLITE_AUTH if one of the names is that of a virtual table that must not be read.
    func check(readNames names: Set<String>, _ sql: @autoclosure () -> String) throws {
        guard let refusal = readRefusal(names) else { return }
        throw DatabaseError(resultCode: .SQLITE_AUTH, message: refusal, sql: sql())
    }

    private func temporaryRefusal(_ name: String) -> String {
        // A definition is reported as an insertion first.
        "untrusted SQL can't change temporary tables, indexes, triggers or views"
            + (name.hasPrefix("sqlite_") ? "" : ": \"\(name)\"")
    }

    private func pragmaRefusal(_ name: String, _ argument: String?) -> String? {
        let isReading = Self.questions.contains(name) || argument == nil && Self.states.contains(name)
        return isReading ? nil : "untrusted SQL can't run PRAGMA \(name)" + (argument == nil ? "" : " with an argument")
    }

    /// Pragmas that only read, also with an argument.
    private static let questions: Set<String> = [
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
        "foreign_key_check", "integrity_check", "quick_check", "function_list", "collation_list", "module_list",
        "pragma_list", "compile_options",
    ]

    /// Pragmas that read a state without an argument, and set it with one.
    private static let states: Set<String> = [
        "application_id", "auto_vacuum", "busy_timeout", "cache_size", "data_version", "defer_foreign_keys", "encoding",
        "foreign_keys", "freelist_count", "journal_mode", "max_page_count", "page_count", "page_size", "query_only",
        "recursive_triggers", "schema_version", "synchronous", "user_version", "wal_autocheckpoint",
    ]
}

extension SQLRestriction {
    /// The rows of VALUES that contain more than literals, in one another. Half a kilobyte of stack is needed for each.
    package static let maximumComputedRows = 500

    /// What a VALUES has too many rows with.
    package enum LongValues: Hashable, Sendable { case window, computed }

    /// Whether a text contains a VALUES whose rows SQLite compiles like a UNION, one inside the other, and that is long. SQLite counts
    /// such rows neither as queries nor as a depth.
    ///
    /// - Parameters:
    ///   - maximumRowCount: the rows of a VALUES with a window function.
    ///   - isDefinition: whether the text is in the schema. For others, newer versions of SQLite compile literals as a coroutine, and
    ///     then the rows from the first one that contains something else.
    package static func longValues(
        _ text: UnsafeBufferPointer<UInt8>, _ maximumRowCount: Int, isDefinition: Bool = false
    ) -> LongValues? {
        // So many rows take more bytes.
        guard text.count > 4 * min(maximumRowCount, maximumComputedRows) else { return nil }
        var bytes = SQLBytes(text)
        var depth = 0
        // The lists of VALUES that contain the token: their depths, and what they have.
        var lists: [(depth: Int, rowCount: Int, hasWindow: Bool, isComputed: Bool)] = []
        while let token = bytes.next() {
            guard !token.isComment else { continue }
            let symbol = token.kind == .symbol ? text[token.range.lowerBound] : nil
            switch symbol {
            case UInt8(ascii: "("):
                if lists.last?.depth == depth { lists[lists.count - 1].rowCount += 1 }
                depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                while let list = lists.last, list.depth > depth { lists.removeLast() }
            case UInt8(ascii: ","): break
            default:
                while let list = lists.last, list.depth >= depth { lists.removeLast() }
                guard token.kind == .word || token.kind == .quotedName else { break }
                let word = String(decoding: text[token.range], as: UTF8.self).lowercased()
                guard !["null", "true", "false"].contains(word) else { break }
                for index in lists.indices { lists[index].isComputed = true }
                switch word {
                case "values": lists.append((depth, 0, false, false))
                case "over": for index in lists.indices { lists[index].hasWindow = true }
                default: break
                }
            }
            if lists.contains(where: { $0.hasWindow && $0.rowCount > maximumRowCount }) { return .window }
            let computedRows = lists.reduce(0) { $0 + ($1.isComputed ? $1.rowCount : 0) }
            if !isDefinition, computedRows > maximumComputedRows { return .computed }
        }
        return nil
    }

    /// The queries in all definitions of an untrusted file. SQLite compiles a view inside the query that uses it, and each of the
    /// queries that UNION combines inside the next one.
    package static let maximumQueryCount = 5_000

    /// The number of queries in a text.
    package static func queryCount(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        var bytes = SQLBytes(text)
        var count = 0
        while let token = bytes.next() {
            guard token.kind == .word, token.range.count == 6 else { continue }
            if String(decoding: text[token.range], as: UTF8.self).lowercased() == "select" { count += 1 }
        }
        return count
    }
}
