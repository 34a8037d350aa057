// Custom functions and collations of a connection. These methods can't throw: if SQLite refuses a definition, the
// program is wrong, whatever the data. It stops with an explanation.

extension Database {
    /// Adds a custom SQL function. It replaces any function with the same name and number of arguments.
    ///
    /// - Precondition: no statement is running, if a function is replaced; SQLite accepts the number of arguments.
    public func add(function: DatabaseFunction) {
        guard let pointer = connection.pointer, let hooks = connection.hooks else { return }
        let code = function.install(in: pointer, calledBy: hooks)
        stopUnless(
            ResultCode(rawValue: code) != .SQLITE_MISUSE,
            "the function \(function.name) has \(function.id.argumentCount) arguments, more than SQLite accepts: "
                + "pass a nil argumentCount, which accepts any number of arguments")
        check(code, "replace function", function.name)
    }

    /// Removes a custom SQL function.
    ///
    /// - Precondition: no statement is running.
    public func remove(function: DatabaseFunction) {
        guard let pointer = connection.pointer else { return }
        connection.forgetCachedStatements()
        check(function.uninstall(from: pointer), "remove function", function.name)
    }

    /// Adds a custom collation. It replaces any collation with the same name.
    ///
    /// - Precondition: no statement is running, if a collation is replaced.
    public func add(collation: DatabaseCollation) {
        guard let pointer = connection.pointer, let hooks = connection.hooks else { return }
        check(collation.install(in: pointer, calledBy: hooks), "replace collation", collation.name)
    }

    /// Removes a custom collation.
    ///
    /// - Precondition: no statement is running.
    public func remove(collation: DatabaseCollation) {
        guard let pointer = connection.pointer else { return }
        connection.forgetCachedStatements()
        check(collation.uninstall(from: pointer), "remove collation", collation.name)
    }

    private func check(_ code: CInt, _ change: String, _ name: String) {
        stopUnless(
            ResultCode(rawValue: code) != .SQLITE_BUSY,
            "could not \(change) \(name) while statements are running on this connection: release cursors first, or "
                + "make the change in Configuration.prepareDatabase")
        stopUnless(ResultCode(rawValue: code) == .SQLITE_OK, "could not \(change) \(name): \(connection.error(code))")
    }
}
