// Extensions in libraries, and extensions linked into the program.

import RowanSQLite
import Foundation
import Rowan
import Testing

@Suite
struct ExtensionTests {
    private static let isLoadable = rowan_can_load_extensions() != 0

    private var allowing: Configuration {
        var configuration = Configuration()
        configuration.allowsExtensions = true
        return configuration
    }

    @Test func extensionsAreNotAllowedByDefault() throws {
        #expect(Configuration().allowsExtensions == false)
        try withDatabase { db in
            expectError(
                .SQLITE_AUTH, "the configuration does not allow extensions: set Configuration.allowsExtensions - /vec0"
            ) { try db.loadExtension(path: "/vec0") }
        }
    }

    @Test(.enabled(if: isLoadable, "the running SQLite has no loadable extensions"))
    func badPaths() throws {
        try withDatabase(allowing) { db in
            expectError(.SQLITE_CANTOPEN, "there is no extension at this path: check it - /missing/vec0") {
                try db.loadExtension(path: "/missing/vec0")
            }
            expectError(.SQLITE_MISUSE, "the path of the extension is empty: pass the path of a library - ") {
                try db.loadExtension(path: "")
            }
            for (path, entryPoint) in [("a\0b", nil), ("/tmp", "a\0b")] {
                let error = expectError(.SQLITE_MISUSE) { try db.loadExtension(path: path, entryPoint: entryPoint) }
                #expect(error?.message?.contains("contains a NUL character: remove it") == true)
            }
            // The system searches for a name without a slash, and reports that it was not found.
            let error = expectError(.SQLITE_ERROR) { try db.loadExtension(path: "no-such-extension") }
            #expect(
                error?.message?.hasPrefix("could not load the extension - no-such-extension: ") == true,
                "\(String(describing: error))")
        }
    }

    @Test(.enabled(if: isLoadable, "the running SQLite has no loadable extensions"))
    func aFileThatIsNoLibrary() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("text.so")
        try Data("not a library".utf8).write(to: URL(fileURLWithPath: path))
        try withDatabase(allowing) { db in
            let error = expectError(.SQLITE_ERROR) { try db.loadExtension(path: path) }
            #expect(error?.message?.hasPrefix("could not load the extension - \(path): ") == true)
            // SQLite's last attempt uses another suffix.
            #expect(error?.message?.contains("text.so.") == false, "\(error?.message ?? "")")
            // The connection still works.
            try #expect(Int.fetchOne(db, sql: "SELECT 1") == 1)
        }
    }

    @Test(.enabled(if: !isLoadable, "the running SQLite has loadable extensions"))
    func anSQLiteWithoutExtensions() throws {
        try withDatabase(allowing) { db in
            let error = expectError(.SQLITE_ERROR) { try db.loadExtension(path: "/tmp") }
            #expect(error?.message?.contains("built without loadable extensions") == true)
        }
    }

    @Test(.needsVec, arguments: ConnectionKind.allCases)
    func allConnectionsHaveTheExtension(_ kind: ConnectionKind) async throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder, .withVec)
        try await writer.write { db in
            try db.execute(sql: "CREATE TABLE t(x); CREATE VIRTUAL TABLE v USING vec0(embedding float[2])")
            try db.execute(sql: "INSERT INTO v (embedding) VALUES ('[1, 2]')")
        }
        let count = "SELECT COUNT(*) FROM v WHERE vec_length(embedding) = 2"
        try await #expect(writer.write { try Int.fetchOne($0, sql: count) } == 1)
        try await #expect(writer.read { try Int.fetchOne($0, sql: count) } == 1)
        guard let pool = writer as? DatabasePool else { return }
        try await #expect(pool.makeSnapshot().read { try Int.fetchOne($0, sql: count) } == 1)
        try await #expect(pool.makeSnapshotPool().read { try Int.fetchOne($0, sql: count) } == 1)
        // Two readers at once, each with its own connection.
        let held = await HeldRead(pool)
        try await #expect(pool.read { try Int.fetchOne($0, sql: count) } == 1)
        await held.end()
    }

    @Test(.needsVec)
    func anEntryPointByItsName() throws {
        try withDatabase(allowing) { db in
            try db.loadExtension(path: #require(Extensions.vec), entryPoint: "sqlite3_vec_init")
            try #expect(String.fetchOne(db, sql: "SELECT vec_version()")?.hasPrefix("v") == true)
            let error = expectError(.SQLITE_ERROR) {
                try db.loadExtension(path: #require(Extensions.vec), entryPoint: "sqlite3_missing_init")
            }
            #expect(error?.message?.contains("sqlite3_missing_init") == true)
        }
    }

    @Test(.needsVec)
    func sqlCannotLoadExtensions() throws {
        let vec = try #require(Extensions.vec)
        func expectRefusal(_ db: Database) {
            let error = expectError(.SQLITE_ERROR) { try db.execute(sql: "SELECT load_extension(?)", arguments: [vec]) }
            #expect(error?.message == "not authorized")
        }
        try withDatabase(allowing) { db in
            expectRefusal(db)
            try db.loadExtension(path: vec)
            expectRefusal(db)
            expectError(.SQLITE_ERROR) { try db.loadExtension(path: vec, entryPoint: "missing") }
            expectRefusal(db)
            // The C function doesn't work after the call either.
            #expect(rowan_load_extension(db.sqliteConnection, vec, nil, nil) == SQLITE_ERROR)
        }
    }

    // MARK: Linked extensions

    @Test(arguments: ConnectionKind.allCases)
    func linkedExtensions(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.prepareDatabase { db in try db.loadExtension(entryPoint: addAnswer) }
        let writer = try kind.make(in: folder, configuration)
        try #expect(writer.write { try Int.fetchOne($0, sql: "SELECT answer()") } == 42)
        try #expect(writer.read { try Int.fetchOne($0, sql: "SELECT answer()") } == 42)
    }

    /// After the setup, the functions that untrusted SQL may call are known.
    @Test func linkedExtensionsAndUntrustedSQL() throws {
        var configuration = Configuration()
        configuration.trust = .untrustedSQL(SQLLimits())
        configuration.prepareDatabase { db in try db.loadExtension(entryPoint: addAnswer) }
        try withDatabase(configuration) { db in
            expectError(
                .SQLITE_AUTH,
                "an extension can't be added to a connection with untrusted SQL: add it in Configuration.prepareDatabase"
            ) { try db.loadExtension(entryPoint: addAnswer) }
            expectError(
                .SQLITE_AUTH,
                "untrusted SQL can't call the function answer(): declare it as innocuous if it is"
            ) { try Int.fetchOne(db, sql: "SELECT answer()") }
        }
    }

    @Test func theErrorOfAnEntryPoint() throws {
        try withDatabase { db in
            expectError(.SQLITE_NOMEM, "the entry point of the extension failed: no room for tables") {
                try db.loadExtension(entryPoint: { _, message, _ in
                    message?.pointee = strdupBySQLite("no room for tables")
                    return SQLITE_NOMEM
                })
            }
            expectError(.SQLITE_ERROR, "the entry point of the extension failed") {
                try db.loadExtension(entryPoint: { _, _, _ in SQLITE_ERROR })
            }
            // Requesting to stay in memory is not a failure of the extension.
            try db.loadExtension(entryPoint: { _, _, _ in SQLITE_OK | 1 << 8 })
        }
    }

    /// Automatic extensions apply to the whole process, so this test has its own.
    @Test func anAutomaticExtensionThatFails() async {
        await #expect(processExitsWith: .success) {
            try registerFailingExtension()
            let message =
                "automatic extension loading failed: an extension that this process has loaded refuses all connections; "
                + "update it, or call sqlite3_reset_auto_extension() of RowanSQLite after loading it - :memory:"
            let error = #expect(throws: DatabaseError.self) { try DatabaseQueue() }
            try #require(error?.message == message)
            sqlite3_reset_auto_extension()
            try DatabaseQueue().close()
        }
    }

    @Test func extensionsAreLoadedInAccessesOnly() throws {
        var leaked: Database?
        try withDatabase { leaked = $0 }
        expectError(.SQLITE_MISUSE) { try leaked?.loadExtension(entryPoint: addAnswer) }
    }

    /// An extension compiled as a library calls SQLite through the functions passed to its entry point.
    @Test(.needsVec)
    func entryPointsReceiveTheFunctionsOfSQLite() throws {
        let library = try #require(dlopen(Extensions.vec, RTLD_NOW))
        let symbol = try #require(dlsym(library, "sqlite3_vec_init"))
        let entryPoint = unsafeBitCast(symbol, to: SQLiteExtensionEntryPoint.self)
        for _ in 0..<2 {
            try withDatabase { db in
                try db.loadExtension(entryPoint: entryPoint)
                try #expect(String.fetchOne(db, sql: "SELECT vec_version()")?.hasPrefix("v") == true)
            }
        }
        // Other connections don't have the extension.
        try withDatabase { db in expectError(.SQLITE_ERROR) { try db.execute(sql: "SELECT vec_version()") } }
    }
}

/// Adds the function `answer()`.
private let addAnswer: SQLiteExtensionEntryPoint = { db, _, _ in
    sqlite3_create_function(
        db, "answer", 0, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_int(context, 42) }, nil, nil)
}

private func registerFailingExtension() throws {
    let fail: SQLiteExtensionEntryPoint = { _, _, _ in SQLITE_DONE }
    try #require(sqlite3_auto_extension(unsafeBitCast(fail, to: (@convention(c) () -> Void).self)) == SQLITE_OK)
}

/// A text that SQLite frees.
private func strdupBySQLite(_ text: String) -> UnsafeMutablePointer<CChar>? {
    let count = text.utf8.count + 1
    guard let copy = sqlite3_malloc(CInt(count)) else { return nil }
    text.withCString { copy.copyMemory(from: $0, byteCount: count) }
    return copy.assumingMemoryBound(to: CChar.self)
}
