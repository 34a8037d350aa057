// The functions and collations that a program adds to a connection. Those methods can't throw: what SQLite refuses is a
// mistake of the programmer, whatever the data, and stops the program with what to do.

extension Database {
    /// Adds a custom SQL function. It replaces the one with this name and number of arguments.
    ///
    /// - Precondition: no statement runs, if a function is replaced; SQLite accepts the number of arguments.
    public func add(function: DatabaseFunction) {
        guard let pointer = connection.pointer, let hooks = connection.hooks else { return }
        let code = function.install(in: pointer, calledBy: hooks)
        stopUnless(
            ResultCode(rawValue: code) != .SQLITE_MISUSE,
            "function \(function.name) has \(function.id.argumentCount) arguments, which is more than SQLite accepts: "
                + "define it with argumentCount nil, for any number of arguments")
        check(code, "replace function", function.name)
    }

    /// Removes a custom SQL function.
    ///
    /// - Precondition: no statement runs.
    public func remove(function: DatabaseFunction) {
        guard let pointer = connection.pointer else { return }
        connection.forgetCachedStatements()
        check(function.uninstall(from: pointer), "remove function", function.name)
    }

    /// Adds a custom collation. It replaces the one with this name.
    ///
    /// - Precondition: no statement runs, if a collation is replaced.
    public func add(collation: DatabaseCollation) {
        guard let pointer = connection.pointer, let hooks = connection.hooks else { return }
        check(collation.install(in: pointer, calledBy: hooks), "replace collation", collation.name)
    }

    /// Removes a custom collation.
    ///
    /// - Precondition: no statement runs.
    public func remove(collation: DatabaseCollation) {
        guard let pointer = connection.pointer else { return }
        connection.forgetCachedStatements()
        check(collation.uninstall(from: pointer), "remove collation", collation.name)
    }

    private func check(_ code: CInt, _ change: String, _ name: String) {
        stopUnless(
            ResultCode(rawValue: code) != .SQLITE_BUSY,
            "could not \(change) \(name) while statements run on this connection: let cursors go before, or make the "
                + "change in Configuration.prepareDatabase")
        stopUnless(ResultCode(rawValue: code) == .SQLITE_OK, "could not \(change) \(name): \(connection.error(code))")
    }
}
