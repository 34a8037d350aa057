// The error of SQLite, with its context: the code, the message, the SQL that failed, and its arguments only
// when the configuration makes them public, since they may be personal data.

import CSQLite
public import Foundation

/// A result code of SQLite, primary or extended. <https://sqlite.org/rescode.html>
@frozen
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// The code, as the C API gives it.
    public let rawValue: CInt

    @inlinable
    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// The primary code that an extended code refines.
    public var primaryResultCode: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    /// Whether the code is the other one, or refines it: `SQLITE_CONSTRAINT ~= SQLITE_CONSTRAINT_UNIQUE`.
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primaryResultCode
    }

    /// Makes `catch DatabaseError.SQLITE_CONSTRAINT` work.
    public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return pattern ~= error.extendedResultCode
    }
}

extension ResultCode: CustomStringConvertible {
    /// The code and its meaning: `19 (constraint failed)`.
    public var description: String {
        "\(rawValue) (\(String(cString: sqlite3_errstr(rawValue))))"
    }
}

/// An error of SQLite.
///
/// ```swift
/// do {
///     try player.insert(db)
/// } catch DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY {
///     // The team does not exist.
/// } catch let error as DatabaseError {
///     error.resultCode          // 19: SQLITE_CONSTRAINT
///     error.extendedResultCode  // 2067: SQLITE_CONSTRAINT_UNIQUE
///     error.message             // UNIQUE constraint failed: player.email
///     error.sql                 // INSERT INTO "player" ("email") VALUES (?)
/// }
/// ```
public struct DatabaseError: Error, Sendable {
    /// The extended code. <https://sqlite.org/rescode.html#extrc>
    public let extendedResultCode: ResultCode

    /// SQLite's message, or Rowan's for the misuses that SQLite does not see.
    public let message: String?

    /// The SQL that failed.
    public let sql: String?

    /// The arguments of the statement that failed.
    public let arguments: StatementArguments?

    /// Whether the description may show the arguments.
    let publicStatementArguments: Bool

    public init(
        resultCode: ResultCode = .SQLITE_ERROR, message: String? = nil, sql: String? = nil,
        arguments: StatementArguments? = nil, publicStatementArguments: Bool = false
    ) {
        self.extendedResultCode = resultCode
        self.message = message ?? String(cString: sqlite3_errstr(resultCode.rawValue))
        self.sql = sql
        self.arguments = arguments
        self.publicStatementArguments = publicStatementArguments
    }

    /// The error with the arguments of the execution that has failed.
    func with(arguments: StatementArguments) -> DatabaseError {
        DatabaseError(
            resultCode: extendedResultCode, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: publicStatementArguments)
    }

    /// The error with another message.
    func with(message: String) -> DatabaseError {
        DatabaseError(
            resultCode: extendedResultCode, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: publicStatementArguments)
    }

    /// Whether an error is the violation of a constraint.
    static func isViolation(_ error: any Error) -> Bool { .SQLITE_CONSTRAINT ~= error }

    /// The primary code.
    public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

    /// Whether the error comes from an interruption: `SQLITE_INTERRUPT`, or `SQLITE_ABORT` that follows it.
    public var isInterruptionError: Bool {
        resultCode == .SQLITE_INTERRUPT || resultCode == .SQLITE_ABORT
    }
}

extension DatabaseError: CustomStringConvertible {
    /// The code, the message and the SQL; the arguments only if the configuration makes them public.
    public var description: String { description(withArguments: publicStatementArguments) }

    /// The description with the arguments, which may be personal data. Of long ones, it shows the first 100 bytes.
    public var expandedDescription: String { description(withArguments: true) }

    private func description(withArguments: Bool) -> String {
        var result = "SQLite error \(resultCode.rawValue)"
        if let message { result += ": \(message)" }
        if let sql { result += " - while executing `\(sql)`" }
        if withArguments, let arguments, !arguments.isEmpty {
            result += " with arguments \(arguments.errorDescription)"
        }
        return result
    }
}

extension DatabaseError: LocalizedError, CustomNSError {
    public static var errorDomain: String { "Rowan.DatabaseError" }
    public var errorCode: Int { Int(extendedResultCode.rawValue) }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
    public var errorDescription: String? { description }
}
