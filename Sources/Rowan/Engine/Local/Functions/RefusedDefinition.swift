// Functions, collations and tokenizers that SQLite refuses. The methods that define them can't throw: the statements
// that use them do.

import RowanSQLite

/// A definition that could not be changed.
struct RefusedDefinition {
    let definition: LocalConnection.Definition
    let error: DatabaseError
    let change: (LocalConnection) throws -> Void

    /// Whether SQLite may accept the change later. Until then, it may have a previous definition.
    var isTemporary: Bool { error.resultCode == .SQLITE_BUSY || error.resultCode == .SQLITE_NOMEM }
}

extension LocalConnection {
    /// What a program defines for the SQL of a connection.
    package struct Definition: Equatable {
        package enum Kind: String, Sendable { case function, collation, tokenizer }

        let kind: Kind
        /// The name, which ends before a NUL character as it does for SQLite.
        let name: String
        /// The number of arguments of a function: SQLite distinguishes functions by it.
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

        /// - Throws: SQLITE_MISUSE for a name that SQLite would read up to its NUL character.
        package static func check(name: String) throws {
            guard !name.utf8.contains(0) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "its name contains a NUL character; remove it")
            }
        }
    }

    /// Changes a definition. If this fails, the statements that use it throw the error. If a running statement prevents
    /// the change, the change is made once SQLite accepts it.
    ///
    /// - Parameter change: the change, which throws the reason of a refusal.
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
            // Statements that use the previous definition are compiled again, which fails.
            schemaDidMove()
        }
    }

    /// Tries again to make the changes that a running statement prevented.
    func retryDefinitions() {
        refusedDefinitions = refusedDefinitions.filter { refused in
            guard refused.isTemporary else { return true }
            do { try refused.change(self) } catch { return true }
            return false
        }
    }

    /// Checks that a statement uses no previous definition.
    ///
    /// - Throws: the error of the change.
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

    /// The error of a definition that is missing because it was refused.
    ///
    /// - Parameter message: the message of SQLite.
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
    /// The refusal of what only this program can call.
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
