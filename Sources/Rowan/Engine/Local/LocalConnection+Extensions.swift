// Extensions of SQLite: in libraries or linked into the program, and virtual file systems.
// Source: https://sqlite.org/loadext.html

import RowanSQLite
import RowanPlatform

/// The entry point of an extension, as declared in C.
public typealias SQLiteExtensionEntryPoint =
    @convention(c) (SQLiteConnection?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?) -> CInt

extension LocalConnection {
    // MARK: Extensions

    /// Loads a library and calls its entry point. SQLite accepts libraries only during this call, and never from SQL.
    ///
    /// - Throws: SQLITE_MISUSE for a path or name that is not a valid C string; SQLITE_ERROR with the system's or the
    ///   extension's message.
    package func loadExtension(path: String, entryPoint: String?) throws {
        let pointer = try openPointer()
        try refuseRemotely("extensions", "the nodes have the functions and modules of SQLite")
        guard rowan_can_load_extensions() != 0 else {
            throw DatabaseError(
                message: "this SQLite is built without loadable extensions: link the program with another SQLite, or "
                    + "link the extension into the program and pass its entry point - \(path)")
        }
        try Self.checkExtension(path: path, entryPoint: entryPoint)
        // Called now because the library may register automatic extensions, one of which may fail.
        _ = rowan_api_routines()
        var message: UnsafeMutablePointer<CChar>?
        try set(.extensions, true)
        // Disabled even where this SQLite accepts extensions by default.
        defer { restore(.extensions, false) }
        let code = rowan_load_extension(pointer, path, entryPoint, &message)
        // SQLite reports its last attempt, with another suffix, even if the file exists.
        let isMisnamed = message.map { strstr($0, "\(path).") != nil } ?? false
        let isThere = isMisnamed && FileManager.default.fileExists(atPath: path)
        try checkExtension(
            code, message, "could not load the extension - \(path)", reason: isThere ? Self.loaderError(path) : nil)
    }

    /// The reason why the system can't load a library; nil if it can.
    private static func loaderError(_ path: String) -> String? {
        guard let library = dlopen(path, RTLD_NOW) else { return dlerror().map { String(cString: $0) } }
        dlclose(library)
        return nil
    }

    /// Calls the entry point of an extension linked into the program.
    ///
    /// - Throws: the entry point's error code, with its message; SQLITE_AUTH if the SQL is already restricted.
    package func loadExtension(entryPoint: SQLiteExtensionEntryPoint) throws {
        let pointer = try openPointer()
        try refuseRemotely("extensions", "the nodes have the functions and modules of SQLite")
        guard hooks?.restriction == nil else {
            throw DatabaseError(
                resultCode: .SQLITE_AUTH,
                message: "an extension can't be added to a connection with untrusted SQL: add it in "
                    + "Configuration.prepareDatabase")
        }
        hasLoadedExtensions = true
        if hooks?.hasScopes == true { schemaDidMove() }
        var message: UnsafeMutablePointer<CChar>?
        let code = entryPoint(pointer, &message, rowan_api_routines())
        try checkExtension(code, message, "the entry point of the extension failed")
    }

    private static func checkExtension(path: String, entryPoint: String?) throws {
        func misuse(_ message: String) -> DatabaseError {
            DatabaseError(resultCode: .SQLITE_MISUSE, message: "\(message) - \(path)")
        }
        guard !path.isEmpty else { throw misuse("the path of the extension is empty: pass the path of a library") }
        guard !path.utf8.contains(0), entryPoint?.utf8.contains(0) != true else {
            throw misuse("the path or the entry point of the extension contains a NUL character: remove it")
        }
        // The system searches its own folders for a name without a slash. SQLite may add the suffix.
        guard path.contains("/") else { return }
        let candidates = ["", ".so", ".dylib", ".dll"].map { path + $0 }
        guard candidates.contains(where: FileManager.default.fileExists) else {
            throw DatabaseError(
                resultCode: .SQLITE_CANTOPEN, message: "there is no extension at this path: check it - \(path)")
        }
    }

    private func checkExtension(
        _ code: CInt, _ message: UnsafeMutablePointer<CChar>?, _ failure: String, reason: String? = nil
    ) throws {
        defer { sqlite3_free(message) }
        // An extension that stays loaded when the connection closes returns its own code.
        guard code != SQLITE_OK, code != ResultCode.SQLITE_OK_LOAD_PERMANENTLY.rawValue else { return }
        let reason = reason ?? message.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        throw DatabaseError(
            resultCode: ResultCode(rawValue: code), message: reason.map { "\(failure): \($0)" } ?? failure)
    }

    /// SQLite's message for a connection that fails to open.
    static func openingMessage(_ message: String) -> String {
        guard message.hasPrefix("automatic extension loading failed") else { return message }
        let isPadding = { (character: Character) in ": ".contains(character) }
        let end = message.lastIndex { !isPadding($0) }
        return (end.map { String(message[...$0]) } ?? message)
            + ": an extension that this process has loaded refuses all connections; update it, or call "
            + "sqlite3_reset_auto_extension() of RowanSQLite after loading it"
    }

    // MARK: Virtual file systems

    /// - Throws: SQLITE_ERROR, listing the names of all virtual file systems, if none has this name.
    static func checkVFS(_ name: String) throws {
        guard name.utf8.contains(0) || sqlite3_vfs_find(name) == nil else { return }
        throw DatabaseError(
            message: "there is no VFS named '\(name)': use one of \(vfsNames().joined(separator: ", ")), or load the "
                + "extension that registers it before, with another connection")
    }

    private static func vfsNames() -> [String] {
        var next = sqlite3_vfs_find(nil)
        // SQLite's own lock for the list. It is not recursive.
        let lock = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_MAIN)
        sqlite3_mutex_enter(lock)
        defer { sqlite3_mutex_leave(lock) }
        var names: [String] = []
        while let vfs = next {
            if let name = vfs.pointee.zName { names.append(String(cString: name)) }
            next = vfs.pointee.pNext
        }
        return names
    }
}
