// Functions, collations and tokenizers that SQLite rejects. The methods that define them can't throw, so the statements
// that use them do.

import RowanSQLite

/// A definition that could not be changed.
struct RefusedDefinition {
    let definition: LocalConnection.Definition
    let error: DatabaseError
    let change: (LocalConnection) throws -> Void

    /// Whether SQLite may accept the change later. Until then, a previous definition may be in effect.
    var isTemporary: Bool { error.resultCode == .SQLITE_BUSY || error.resultCode == .SQLITE_NOMEM }
}

extension LocalConnection {
    /// A definition made by a program for the SQL of a connection.
    package struct Definition: Equatable {
        package enum Kind: String, Sendable { case function, collation, tokenizer }

        let kind: Kind
        /// The name, up to a NUL character as in SQLite.
        let name: String
        /// The number of arguments of a function, which SQLite distinguishes by it.
        let argumentCount: Int

        package init(_ kind: Kind, _ name: String, argumentCount: Int = 0) {
            self.kind = kind
            self.name = String(name.prefix { $0 != "\0" })
            self.argumentCount = argumentCount
        }

        package static func == (lhs: Definition, rhs: Definition) -> Bool {
            lhs.kind == rhs.kind && lhs.argumentCount == rhs.argumentCount
                && lhs.name.isSameDatabaseName(as: rhs.name)
        }

        /// - Throws: SQLITE_MISUSE for a name that SQLite would truncate at a NUL character.
        package static func check(name: String) throws {
            guard !name.utf8.contains(0) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "its name contains a NUL character; remove it")
            }
        }
    }

    /// Changes a definition. If this fails, statements that use the definition throw the error. If a running statement
    /// prevents the change, it is made once SQLite accepts it.
    ///
    /// - Parameter change: makes the change; throws if SQLite rejects it.
    package func define(
        _ definition: Definition, removes: Bool = false, _ change: @escaping (LocalConnection) throws -> Void
    ) {
        refusedDefinitions.removeAll { $0.definition == definition }
        do {
            if remote != nil { throw DatabaseError.remoteDefinition }
            try change(self)
        } catch {
            refusedDefinitions.append(
                RefusedDefinition(
                    definition: definition, error: definition.error(error, removes: removes), change: change))
            // Statements that use the previous definition are then recompiled, which fails.
            schemaDidMove()
        }
    }

    /// Retries the changes that a running statement prevented.
    func retryDefinitions() {
        refusedDefinitions = refusedDefinitions.filter { refused in
            guard refused.isTemporary else { return true }
            do { try refused.change(self) } catch { return true }
            return false
        }
    }

    /// Checks that a statement does not use a previous definition.
    ///
    /// - Throws: the error of the failed change.
    func checkDefinitions(of profile: StatementProfile, _ sql: String) throws {
        func uses(_ definition: Definition) -> Bool {
            switch definition.kind {
            case .function: profile.functions.contains(definition.name.foldedDatabaseName)
            // SQLite does not report the collations of a statement.
            case .collation:
                profile.touchesTables || sql.foldedDatabaseName.contains(definition.name.foldedDatabaseName)
            case .tokenizer: false
            }
        }
        guard let refused = refusedDefinitions.first(where: { $0.isTemporary && uses($0.definition) }) else { return }
        throw refused.error.with(sql: sql)
    }

    /// The error for a definition that is missing because it was rejected.
    ///
    /// - Parameter message: SQLite's message.
    func refusal(explaining message: String?) -> DatabaseError? {
        guard !refusedDefinitions.isEmpty, let message = message?.foldedDatabaseName else { return nil }
        return refusedDefinitions.first { refused in
            let name = refused.definition.name.foldedDatabaseName
            return switch refused.definition.kind {
            case .function:
                ["no such function: \(name)", "wrong number of arguments to function \(name)()"].contains(message)
            case .collation: message == "no such collation sequence: \(name)"
            case .tokenizer: message == "no such tokenizer: \(name)"
            }
        }?.error
    }
}

extension DatabaseError {
    /// The error for a definition that only this program can call.
    static var remoteDefinition: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "a cluster runs the SQL and can't call this program: compute the value in Swift, or with a "
                + "function of SQLite")
    }
}

extension LocalConnection.Definition {
    fileprivate func error(_ reason: any Error, removes: Bool) -> DatabaseError {
        let reason = reason as? DatabaseError ?? DatabaseError(message: "\(reason)")
        let subject = "the \(kind.rawValue) \(name.prefix(40))\(name.count > 40 ? "…" : "")"
        guard reason.resultCode == .SQLITE_BUSY else {
            return reason.with(
                message: "\(subject) could not be \(removes ? "removed" : "added"): \(reason.message ?? "")")
        }
        return reason.with(
            message:
                "\(subject) could not be \(removes ? "removed" : "replaced") while a statement was running on this "
                + "connection: release cursors, or make the change in Configuration.prepareDatabase")
    }
}

extension StatementProfile {
    /// Whether the statement reads or writes tables of the program.
    fileprivate var touchesTables: Bool {
        [Array(reads.keys), Array(updates.keys), Array(insertions), Array(deletions)].joined()
            .contains { !$0.name.foldedDatabaseName.hasPrefix("sqlite_") }
    }
}
