// Custom functions and collations of a connection.

extension Database {
    /// Adds a custom SQL function. It replaces any function with the same name and number of arguments.
    ///
    /// If SQLite rejects it, because its name is too long or it has too many arguments, the statements that use the
    /// function throw an error that states the reason.
    ///
    /// A function can't be replaced while a statement is running. Until SQLite accepts the new function, the statements
    /// that use it throw a ``DatabaseError`` with the code SQLITE_BUSY.
    public func add(function: DatabaseFunction) {
        guard connection.pointer != nil else { return }
        connection.define(function.definition) { try function.install(in: $0) }
    }

    /// Removes a custom SQL function.
    ///
    /// A function can't be removed while a statement is running. Until SQLite removes it, the statements that use it throw
    /// a ``DatabaseError`` with the code SQLITE_BUSY.
    public func remove(function: DatabaseFunction) {
        guard connection.pointer != nil else { return }
        connection.forgetCachedStatements()
        connection.define(function.definition, removes: true) {
            try $0.check(function.uninstall(from: $0.openPointer()))
        }
    }

    /// Adds a custom collation. It replaces any collation with the same name.
    ///
    /// If SQLite rejects it, the statements that use the collation throw an error that states the reason.
    ///
    /// A collation can't be replaced while a statement is running. Until SQLite accepts the new one, the statements that
    /// may compare texts throw a ``DatabaseError`` with the code SQLITE_BUSY.
    public func add(collation: DatabaseCollation) {
        guard connection.pointer != nil else { return }
        connection.define(.init(.collation, collation.name)) {
            try LocalConnection.Definition.check(name: collation.name)
            try $0.check(collation.install(in: $0.openPointer(), calledBy: $0.openHooks()))
        }
    }

    /// Removes a custom collation.
    ///
    /// A collation can't be removed while a statement is running. Until SQLite removes it, the statements that may compare
    /// texts throw a ``DatabaseError`` with the code SQLITE_BUSY.
    public func remove(collation: DatabaseCollation) {
        guard connection.pointer != nil else { return }
        connection.forgetCachedStatements()
        connection.define(.init(.collation, collation.name), removes: true) {
            try $0.check(collation.uninstall(from: $0.openPointer()))
        }
    }
}

extension DatabaseFunction {
    fileprivate var definition: LocalConnection.Definition {
        .init(.function, name, argumentCount: id.argumentCount)
    }
}
