// Custom SQL functions and aggregates. SQLite keeps a retained box for each definition and passes it to our C
// callbacks. The state of an aggregate is stored behind a pointer in SQLite's aggregate context.
// Source: https://sqlite.org/appfunc.html

import RowanSQLite

/// A custom SQL function or aggregate.
///
/// ```swift
/// let square = DatabaseFunction("square", argumentCount: 1, pure: true) { values in
///     Int.fromDatabaseValue(values[0]).map { $0 * $0 }
/// }
/// var config = Configuration()
/// config.prepareDatabase { db in db.add(function: square) }
/// let dbQueue = try DatabaseQueue(configuration: config)
/// // 16
/// try dbQueue.read { try Int.fetchOne($0, sql: "SELECT square(4)") }
/// ```
///
/// Article: <doc:WritingSQL>.
public final class DatabaseFunction: Hashable, Identifiable, Sendable {
    /// The identity of a function: SQLite distinguishes functions by name and number of arguments.
    public struct ID: Hashable, Sendable {
        let name: String
        let argumentCount: Int

        fileprivate init(_ name: String, _ argumentCount: Int?) {
            self.name = name
            self.argumentCount = argumentCount ?? -1
        }

        /// Hashes the name and the number of arguments.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(argumentCount)
        }
    }

    /// Who may call a function, if the database or the SQL comes from a stranger: see ``Configuration/trust``.
    ///
    /// Source: <https://sqlite.org/c3ref/c_deterministic.html#sqliteinnocuous>
    public enum Safety: Hashable, Sendable {
        /// Any SQL, that of an untrusted schema and untrusted SQL, too: the function has no side effects, and reveals
        /// nothing but its arguments.
        case innocuous
        /// Statements of the program only: no view, trigger, generated column, check, default or index, even if the
        /// schema is trusted.
        case direct
        /// Statements of the program, and the schema if it is trusted.
        case `default`

        var flags: CInt {
            switch self {
            case .innocuous: SQLITE_INNOCUOUS
            case .direct: SQLITE_DIRECTONLY
            case .default: 0
            }
        }
    }

    /// The identity of the function: its name and number of arguments.
    public let id: ID
    private let isPure: Bool
    private let safety: Safety
    private let kind: Kind

    private enum Kind: Sendable {
        case scalar(@Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?)
        case aggregate(@Sendable () -> any DatabaseAggregate)
    }

    /// The name of the function.
    public var name: String { id.name }

    /// Creates a function.
    ///
    /// - Parameters:
    ///   - name: the name in SQL. It is case-insensitive, has at most 255 bytes and must not contain a NUL character.
    ///   - argumentCount: the number of arguments; nil for any number.
    ///   - pure: whether the result depends only on the arguments, which enables SQLite optimizations.
    ///   - safety: who may call the function, if the database or the SQL comes from a stranger.
    ///   - function: the implementation. If it throws an error, the statement fails.
    public init(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, safety: Safety = .default,
        function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
    ) {
        id = ID(name, argumentCount)
        isPure = pure
        self.safety = safety
        kind = .scalar(function)
    }

    /// Creates an aggregate. Each group of rows has its own instance of the given type.
    public init<Aggregate: DatabaseAggregate>(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, safety: Safety = .default,
        aggregate: Aggregate.Type
    ) {
        id = ID(name, argumentCount)
        isPure = pure
        self.safety = safety
        kind = .aggregate { Aggregate() }
    }

    /// A call to the function, as an SQL expression.
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
        let rows: SQLExpression.FunctionCall.Kind = if case .aggregate = kind { .aggregate } else { .scalar }
        return SQLExpression(.function(.init(name, arguments.map(\.sqlExpression), rows)))
    }

    /// Whether both functions have the same name and number of arguments.
    public static func == (lhs: DatabaseFunction, rhs: DatabaseFunction) -> Bool { lhs.id == rhs.id }
    /// Hashes the name and the number of arguments.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    private var flags: CInt { SQLITE_UTF8 | (isPure ? SQLITE_DETERMINISTIC : 0) | safety.flags }

    /// Adds the function to a connection.
    ///
    /// - Throws: an error if SQLite rejects the function.
    package func install(in connection: LocalConnection) throws {
        func refuse(_ reason: String) -> DatabaseError { DatabaseError(resultCode: .SQLITE_MISUSE, message: reason) }
        try LocalConnection.Definition.check(name: name)
        guard name.utf8.count <= 255 else { throw refuse("its name has \(name.utf8.count) bytes; use at most 255") }
        guard id.argumentCount >= -1 else {
            throw refuse(
                "its argumentCount is \(id.argumentCount); pass a positive number, zero, or nil for any number of "
                    + "arguments")
        }
        let code = install(in: try connection.openPointer(), calledBy: try connection.openHooks())
        // The maximum depends on SQLite's build options.
        guard code != SQLITE_MISUSE else {
            throw refuse(
                "its argumentCount is \(id.argumentCount), more than SQLite accepts; pass nil, for any number of "
                    + "arguments")
        }
        try connection.check(code)
        connection.note(function: name.lowercased(), isInnocuous: safety == .innocuous)
    }

    private func install(in connection: SQLiteConnection, calledBy hooks: ConnectionHooks) -> CInt {
        // SQLite releases the box even if the call fails.
        let box = Unmanaged.passRetained(InstalledFunction(function: self, hooks: hooks)).toOpaque()
        let destroy: @convention(c) (UnsafeMutableRawPointer?) -> Void = {
            Unmanaged<InstalledFunction>.fromOpaque($0!).release()
        }
        let count = CInt(clamping: id.argumentCount)
        switch kind {
        case .scalar:
            return sqlite3_create_function_v2(
                connection, name, count, flags, box, callScalar, nil, nil, destroy)
        case .aggregate:
            return sqlite3_create_function_v2(
                connection, name, count, flags, box, nil, stepAggregate, finalizeAggregate, destroy)
        }
    }

    package func uninstall(from connection: SQLiteConnection) -> CInt {
        sqlite3_create_function_v2(
            connection, name, CInt(clamping: id.argumentCount), SQLITE_UTF8, nil, nil, nil, nil, nil)
    }

    fileprivate func call(_ context: OpaquePointer, _ values: [DatabaseValue]) {
        guard case .scalar(let function) = kind else { return }
        report(to: context) { try function(values) }
    }

    fileprivate func makeAggregate() -> AggregateState? {
        guard case .aggregate(let make) = kind else { return nil }
        return AggregateState(make())
    }
}

/// An aggregate: the state of one group of rows.
///
/// ```swift
/// struct MaxLength: DatabaseAggregate {
///     var maxLength: Int?
///     mutating func step(_ dbValues: [DatabaseValue]) {
///         guard let string = String.fromDatabaseValue(dbValues[0]) else { return }
///         maxLength = Swift.max(maxLength ?? 0, string.count)
///     }
///     func finalize() -> (any DatabaseValueConvertible)? { maxLength }
/// }
/// ```
///
/// Article: <doc:WritingSQL>.
public protocol DatabaseAggregate: SendableMetatype {
    /// Creates the state before the first row.
    init()

    /// Adds a row to the state.
    mutating func step(_ dbValues: [DatabaseValue]) throws

    /// The result of the group.
    func finalize() throws -> (any DatabaseValueConvertible)?
}

private final class AggregateState {
    var aggregate: any DatabaseAggregate
    var hasFailed = false
    init(_ aggregate: any DatabaseAggregate) { self.aggregate = aggregate }
}

/// A function installed in a connection.
private final class InstalledFunction {
    let function: DatabaseFunction
    // The connection keeps its hooks while it is open and calls no function afterwards.
    unowned let hooks: ConnectionHooks

    init(function: DatabaseFunction, hooks: ConnectionHooks) {
        self.function = function
        self.hooks = hooks
    }
}

private func installed(_ context: OpaquePointer) -> InstalledFunction {
    Unmanaged<InstalledFunction>.fromOpaque(sqlite3_user_data(context)!).takeUnretainedValue()
}

private func arguments(_ count: CInt, _ values: UnsafeMutablePointer<OpaquePointer?>?) -> [DatabaseValue] {
    (0..<Int(count)).map { DatabaseValue(sqliteValue: values![$0]!) }
}

private func callScalar(
    _ context: OpaquePointer?, _ count: CInt, _ values: UnsafeMutablePointer<OpaquePointer?>?
) {
    guard let context else { return }
    let installed = installed(context)
    installed.hooks.calling { installed.function.call(context, arguments(count, values)) }
}

private func stepAggregate(
    _ context: OpaquePointer?, _ count: CInt, _ values: UnsafeMutablePointer<OpaquePointer?>?
) {
    guard let context, let state = aggregateState(context, makesNew: true), !state.hasFailed else { return }
    installed(context).hooks.calling {
        do {
            try state.aggregate.step(arguments(count, values))
        } catch {
            state.hasFailed = true
            fail(context, error)
        }
    }
}

private func finalizeAggregate(_ context: OpaquePointer?) {
    guard let context else { return }
    // An empty group has no steps: its state is created here.
    let state = aggregateState(context, makesNew: false) ?? installed(context).function.makeAggregate()
    defer { releaseAggregateState(context) }
    guard let state, !state.hasFailed else { return }
    installed(context).hooks.calling { report(to: context) { try state.aggregate.finalize() } }
}

/// The state behind the pointer in SQLite's aggregate context, which is null before the first row.
private func aggregateState(_ context: OpaquePointer, makesNew: Bool) -> AggregateState? {
    let size = makesNew ? CInt(MemoryLayout<UnsafeMutableRawPointer?>.size) : 0
    guard
        let slot = sqlite3_aggregate_context(context, size)?
            .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    else { return nil }
    if let pointer = slot.pointee { return Unmanaged<AggregateState>.fromOpaque(pointer).takeUnretainedValue() }
    guard makesNew, let state = installed(context).function.makeAggregate() else { return nil }
    slot.pointee = Unmanaged.passRetained(state).toOpaque()
    return state
}

private func releaseAggregateState(_ context: OpaquePointer) {
    guard
        let slot = sqlite3_aggregate_context(context, 0)?
            .assumingMemoryBound(to: UnsafeMutableRawPointer?.self), let pointer = slot.pointee
    else { return }
    slot.pointee = nil
    Unmanaged<AggregateState>.fromOpaque(pointer).release()
}

private func report(to context: OpaquePointer, _ value: () throws -> (any DatabaseValueConvertible)?) {
    do {
        (try value()?.databaseValue ?? .null).setResult(of: context)
    } catch {
        fail(context, error)
    }
}

/// Sets an error as the result of a call.
func fail(_ context: OpaquePointer, _ error: any Error) {
    if let error = error as? DatabaseError {
        sqlite3_result_error(context, error.message ?? "", -1)
        // SQLite would interpret a success code literally: the statement would finish, or return a row.
        switch error.resultCode {
        case .SQLITE_OK, .SQLITE_ROW, .SQLITE_DONE: break
        default: sqlite3_result_error_code(context, error.extendedResultCode.rawValue)
        }
    } else {
        sqlite3_result_error(context, "\(error)", -1)
    }
}
