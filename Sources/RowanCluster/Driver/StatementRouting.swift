// Which statements a cluster runs, which ones the shadow handles, and which ones are rejected: some SQL crashes a node.

import Rowan
import RowanSQLText

/// Decides where statements run.
struct StatementRouting {
    let isReadonlyDatabase: Bool

    /// Pragmas that the schema determines.
    private static let schemaPragmas: Set<String> = [
        "collation_list", "compile_options", "database_list", "encoding", "foreign_key_list", "function_list",
        "index_info",
        "index_list", "index_xinfo", "module_list", "pragma_list", "table_info", "table_list", "table_xinfo",
    ]
    /// States of a connection that both databases have.
    private static let sharedPragmas: Set<String> = [
        "foreign_keys", "ignore_check_constraints", "recursive_triggers", "reverse_unordered_selects",
    ]
    /// Pragmas that only the rows or the file of the cluster determine.
    private static let remotePragmas: Set<String> = [
        "application_id", "data_version", "defer_foreign_keys", "foreign_key_check", "freelist_count",
        "integrity_check",
        "page_count", "quick_check", "user_version",
    ]
    /// Pragmas that have no meaning in a cluster and that no node sees: the shadow has its own.
    private static let localPragmas: Set<String> = ["busy_timeout", "cache_size", "schema_version", "temp_store"]

    /// The types whose NULL a node does not transfer, and whose other values may crash it.
    static let refusedTypes: Set<String> = ["boolean", "date", "datetime", "timestamp"]

    func concernsSchema(_ pragma: StatementProfile.Pragma) -> Bool { Self.schemaPragmas.contains(pragma.name) }

    func place(of candidate: RemoteCandidate) throws -> StatementPlace {
        let profile = candidate.profile
        if profile.transactionOperation != nil { return .both }
        if profile.changesAttachments {
            throw refusal("ATTACH and DETACH", "open another DatabaseCluster for another database")
        }
        if let pragma = profile.pragmas.first { return try place(of: pragma, candidate) }
        if let place = try placeOfUnprofiled(candidate) { return place }
        if isReadonlyDatabase, !profile.isReadonly {
            throw DatabaseError(resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database")
        }
        let touched = Array(profile.reads.keys) + profile.insertions + profile.deletions + Array(profile.updates.keys)
        guard !touched.contains(where: { $0.schema == "temp" && !Self.isSchema($0) }),
            !profile.schemaChanges.contains(where: { $0.schema == "temp" })
        else {
            throw refusal(
                "temporary tables, views and triggers",
                "a connection to a cluster may move to another node: use a table")
        }
        try checkPragmaFunctions(profile)
        if let function = profile.functions.first(where: Self.refusedFunctions.contains) {
            throw refusal("the function \(function)", "a node has no such files")
        }
        if !profile.schemaChanges.isEmpty { return .both }
        if profile.isReadonly, !profile.reads.isEmpty, profile.reads.keys.allSatisfy(Self.isSchema),
            !candidate.isExplain
        {
            return .shadow
        }
        try checkNames(of: candidate.columns.map(\.name))
        for column in candidate.columns {
            guard let type = column.declaredType, Self.refusedTypes.contains(type.lowercased()) else { continue }
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message:
                    "the column \"\(column.name)\" is declared as \(type), and a cluster does not transfer the NULL of "
                    + "such a column: declare it as \(type)(1), as tables are that this library creates")
        }
        return .remote
    }

    /// A node writes the column names into a page of memory, and past its end.
    private func checkNames(of columns: [String]) throws {
        let size = columns.reduce(8 + 8 * ((columns.count + 15) / 16)) { $0 + ($1.utf8.count + 8) / 8 * 8 }
        guard size > Self.maximumNameSize else { return }
        throw DatabaseError(
            resultCode: .SQLITE_TOOBIG,
            message:
                "the names of the \(columns.count) columns are too long for a cluster, in all: give expressions a short "
                + "name with AS, or select fewer columns")
    }

    private static let maximumNameSize = 4_000

    private static let refusedFunctions: Set<String> = ["fts3_tokenizer", "load_extension", "readfile", "writefile"]

    private static func isSchema(_ table: StatementProfile.Table) -> Bool {
        let name = table.name.lowercased()
        return BuiltInNames.schemaTables.contains(name)
            || name.hasPrefix("pragma_") && !remotePragmas.contains(String(name.dropFirst(7))) || name == "json_each"
    }

    /// Pragmas that are read as tables follow the same rules.
    private func checkPragmaFunctions(_ profile: StatementProfile) throws {
        for table in profile.reads.keys where table.name.lowercased().hasPrefix("pragma_") {
            let name = String(table.name.lowercased().dropFirst(7))
            let known = [Self.schemaPragmas, Self.sharedPragmas, Self.remotePragmas, Self.localPragmas]
            guard known.contains(where: { $0.contains(name) }) else {
                throw refusal(
                    "PRAGMA \(name)", "it concerns the file of a single node, which the cluster manages")
            }
        }
    }

    /// VACUUM, which SQLite's authorizer does not report, and other statements identified by their first word.
    private func placeOfUnprofiled(_ candidate: RemoteCandidate) throws -> StatementPlace? {
        guard case .word(let word)? = SQLTokens.first(1, of: candidate.sql).first else { return nil }
        switch word {
        case "vacuum":
            if SQLTokens.first(3, of: candidate.sql).contains(.word("into")) {
                throw refusal("VACUUM INTO", "the file would belong to a node; use dump(to:)")
            }
            throw refusal("VACUUM", "the nodes keep their files compact themselves")
        case "analyze", "reindex": return .both
        default: return nil
        }
    }

    private func place(of pragma: StatementProfile.Pragma, _ candidate: RemoteCandidate) throws -> StatementPlace {
        if Self.schemaPragmas.contains(pragma.name), pragma.name != "encoding" || pragma.argument == nil {
            return .shadow
        }
        if Self.sharedPragmas.contains(pragma.name) { return pragma.argument == nil ? .shadow : .both }
        if Self.localPragmas.contains(pragma.name), pragma.name != "schema_version" || pragma.argument == nil {
            return .shadow
        }
        if Self.remotePragmas.contains(pragma.name) {
            if isReadonlyDatabase, pragma.argument != nil, ["user_version", "application_id"].contains(pragma.name) {
                throw DatabaseError(resultCode: .SQLITE_READONLY, message: "attempt to write a readonly database")
            }
            return .remote
        }
        throw refusal("PRAGMA \(pragma.name)", "it concerns the file of a single node, which the cluster manages")
    }

    private func refusal(_ what: String, _ reason: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "a cluster does not run \(what): \(reason)")
    }
}
