// Functions, collations and tokenizers that statements may name. They are never called here.

import RowanSQLite

extension SchemaDatabase {
    func addCollation(_ name: String) {
        sqlite3_create_collation_v2(connection, name, SQLITE_UTF8, nil, { _, _, _, _, _ in 0 }, nil)
    }

    func addFunction(_ kind: SchemaDirective.FunctionKind, _ name: String, _ argumentCount: Int?) {
        let count = CInt(argumentCount ?? -1)
        // Indexes and generated columns may use it.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        switch kind {
        case .function:
            sqlite3_create_function_v2(connection, name, count, flags, nil, { _, _, _ in }, nil, nil, nil)
        case .aggregate:
            sqlite3_create_function_v2(connection, name, count, flags, nil, nil, { _, _, _ in }, { _ in }, nil)
        case .window:
            sqlite3_create_window_function(
                connection, name, count, flags, nil, { _, _, _ in }, { _ in }, { _ in }, { _, _, _ in }, nil)
        }
    }

    func addTokenizer(_ name: String) {
        guard let api = fts5API() else { return }
        var tokenizer = fts5_tokenizer(
            xCreate: { _, _, _, result in
                // FTS5 needs a pointer, which is never read.
                result?.pointee = OpaquePointer(bitPattern: 1)
                return SQLITE_OK
            },
            xDelete: { _ in },
            xTokenize: { _, _, _, _, _, _ in SQLITE_OK })
        _ = api.pointee.xCreateTokenizer(api, name, nil, &tokenizer, nil)
    }

    /// <https://sqlite.org/fts5.html#extending_fts5>
    private func fts5API() -> UnsafeMutablePointer<fts5_api>? {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, nil) == SQLITE_OK else { return nil }
        defer { sqlite3_finalize(statement) }
        var api: UnsafeMutablePointer<fts5_api>?
        // SQLite keeps the pointer to the name of the type.
        let type: StaticString = "fts5_api_ptr"
        withUnsafeMutablePointer(to: &api) { pointer in
            type.utf8Start.withMemoryRebound(to: CChar.self, capacity: type.utf8CodeUnitCount + 1) {
                _ = sqlite3_bind_pointer(statement, 1, pointer, $0, nil)
            }
            _ = sqlite3_step(statement)
        }
        return api
    }
}
