// SQLite errors with their context: the code, the message and the failed SQL. Arguments may be personal data, so they
// appear only if the configuration makes them public.

import RowanSQLite
public import RowanPlatform

/// An SQLite result code, primary or extended. <https://sqlite.org/rescode.html>
///
/// Article: <doc:HandlingErrors>.
@frozen
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// The code, as returned by the C API.
    public let rawValue: CInt

    /// Creates a code from its C API number.
    @inlinable
    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// The primary code of an extended code.
    public var primaryResultCode: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    /// Whether the codes are equal or the second refines the first: `SQLITE_CONSTRAINT ~= SQLITE_CONSTRAINT_UNIQUE`.
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primaryResultCode
    }

    /// Whether the error is a ``DatabaseError`` with this code. It enables `catch DatabaseError.SQLITE_CONSTRAINT`.
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

/// An SQLite error.
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
///
/// Article: <doc:HandlingErrors>.
public struct DatabaseError: Error, Sendable {
    /// The extended code. <https://sqlite.org/rescode.html#extrc>
    public let extendedResultCode: ResultCode

    /// SQLite's message, or Rowan's message for errors that SQLite does not detect.
    public private(set) var message: String?

    /// The failed SQL.
    public private(set) var sql: String?

    /// The arguments of the failed statement.
    public private(set) var arguments: StatementArguments?

    /// Whether the description can include the arguments.
    let publicStatementArguments: Bool

    /// The connection's advice on the error: see `hint`.
    var ownHint: String?
    /// The identifier of the migration that failed with this error; nil for an error outside a migration.
    public internal(set) var migration: String?

    /// Creates an error. The default message is SQLite's description of the code.
    @inline(never)  // Two hundred functions throw errors.
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

    /// The same error with the arguments of the failed execution.
    func with(arguments: StatementArguments) -> DatabaseError {
        var error = self
        error.arguments = arguments
        return error
    }

    /// The same error with another message.
    func with(message: String) -> DatabaseError {
        var error = self
        error.message = message
        return error
    }

    /// The error of a value that can't be stored; nil for codes other than those of `DatabaseValue.bindingRefusal`.
    package static func unstorable(_ code: CInt, _ value: String, sql: String? = nil) -> DatabaseError? {
        let message =
            switch code {
            case DatabaseValue.unstorableCode:
                "\(value) is an integer above \(Int64.max), the maximum of SQLite's integers: store it as text"
            case DatabaseValue.unstorableVectorCode:
                "\(value) is a vector with an element that is infinite, or not a number: check the vector before"
            case DatabaseValue.unstorableDateCode:
                "\(value) is a date that could not be read back: it is too far away for the form that it is stored in"
            case DatabaseValue.unstorableComponentsCode:
                "\(value) has date components that could not be read back: one is outside its range"
            default: nil as String?
            }
        return message.map { DatabaseError(resultCode: .SQLITE_MISMATCH, message: $0, sql: sql) }
    }

    /// The same error with the SQL of a statement.
    func with(sql: String?) -> DatabaseError {
        var error = self
        error.sql = sql
        return error
    }

    /// Whether an error is a constraint violation.
    static func isViolation(_ error: any Error) -> Bool { .SQLITE_CONSTRAINT ~= error }

    /// The primary code.
    public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

    /// Whether the error was caused by an interruption: `SQLITE_INTERRUPT`, or the `SQLITE_ABORT` that follows it.
    public var isInterruptionError: Bool {
        resultCode == .SQLITE_INTERRUPT || resultCode == .SQLITE_ABORT
    }
}

extension DatabaseError: CustomStringConvertible {
    /// The code, the message and the SQL. The arguments and the values quoted in SQLite's message are shown only if the
    /// configuration makes them public.
    public var description: String { description(withArguments: publicStatementArguments) }

    /// The description including the arguments, which may be personal data. Long values are truncated to 100 bytes.
    public var expandedDescription: String { description(withArguments: true) }

    package var publicMessage: String? { message.map { Self.withoutValues($0, sql: sql, arguments: arguments) } }

    private func description(withArguments: Bool) -> String {
        var result = "SQLite error \(resultCode.rawValue)"
        if let message = withArguments ? message : publicMessage { result += ": \(message)" }
        if let sql { result += " - while executing `\(sql)`" }
        if withArguments, let arguments, !arguments.isEmpty {
            result += " with arguments \(arguments.errorDescription)"
        }
        return result
    }
}

extension DatabaseError: LocalizedError {
    /// The `description`.
    public var errorDescription: String? { description }
    /// The message.
    public var failureReason: String? { publicStatementArguments ? message : publicMessage }
}
