// Custom SQL functions and aggregates. SQLite keeps a retained box per definition, and gives it back to our C
// callbacks; an aggregate's state sits behind a pointer in SQLite's own aggregate context.
// Source: https://sqlite.org/appfunc.html

import CSQLite
import Foundation

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
public final class DatabaseFunction: Hashable, Identifiable, Sendable {
    /// SQLite knows functions by name and number of arguments.
    public struct ID: Hashable, Sendable {
        let name: String
        let argumentCount: Int

        /// What SQLite accepts, or could not tell from something else. How many arguments it accepts depends on how it
        /// was built: the connection tells.
        fileprivate init(checking name: String, _ argumentCount: Int?) {
            stopUnless(
                name.utf8.count <= 255,
                "function \(name.prefix(20))… has a name of \(name.utf8.count) bytes: SQLite accepts 255")
            stopUnless(
                !name.utf8.contains(0),
                "function \(name.prefix { $0 != "\0" }) has a NUL character in its name: remove it")
            stopUnless(
                argumentCount ?? 0 >= 0,
                "function \(name) can't be defined: its argumentCount is \(argumentCount ?? 0), which should be positive, "
                    + "zero, or nil for any number of arguments")
            self.name = name
            self.argumentCount = argumentCount ?? -1
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(argumentCount)
        }
    }

    public let id: ID
    private let isPure: Bool
    private let kind: Kind

    private enum Kind: Sendable {
        case scalar(@Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?)
        case aggregate(@Sendable () -> any DatabaseAggregate)
    }

    /// The name of the function.
    public var name: String { id.name }

    /// A function.
    ///
    /// - Precondition: the name has 255 bytes at most, and no NUL character.
    /// - Parameters:
    ///   - argumentCount: the number of arguments; nil for any number.
    ///   - pure: whether the result depends on the arguments alone, which lets SQLite optimise.
    ///   - function: the implementation. The error it throws ends the statement.
    public init(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false,
        function: @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
    ) {
        id = ID(checking: name, argumentCount)
        isPure = pure
        kind = .scalar(function)
    }

    /// An aggregate: one value of the given type is made for each group of rows.
    ///
    /// - Precondition: the name has 255 bytes at most, and no NUL character.
    public init<Aggregate: DatabaseAggregate>(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, aggregate: Aggregate.Type
    ) {
        id = ID(checking: name, argumentCount)
        isPure = pure
        kind = .aggregate { Aggregate() }
    }

    /// A call of the function, as an expression.
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
        let rows: SQLExpression.FunctionCall.Kind = if case .aggregate = kind { .aggregate } else { .scalar }
        return SQLExpression(.function(.init(name, arguments.map(\.sqlExpression), rows)))
    }

    public static func == (lhs: DatabaseFunction, rhs: DatabaseFunction) -> Bool { lhs.id == rhs.id }
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }

    private var flags: CInt { SQLITE_UTF8 | (isPure ? SQLITE_DETERMINISTIC : 0) }

    package func install(in connection: SQLiteConnection, calledBy hooks: ConnectionHooks) -> CInt {
        // Released by SQLite, even when the call fails.
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
public protocol DatabaseAggregate: SendableMetatype {
    /// The state before the first row.
    init()

    /// Adds a row.
    mutating func step(_ dbValues: [DatabaseValue]) throws

    /// The result.
    func finalize() throws -> (any DatabaseValueConvertible)?
}

private final class AggregateState {
    var aggregate: any DatabaseAggregate
    var hasFailed = false
    init(_ aggregate: any DatabaseAggregate) { self.aggregate = aggregate }
}

/// A function of one connection.
private final class InstalledFunction {
    let function: DatabaseFunction
    // A connection keeps its hooks as long as it is open, and calls no function afterwards.
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
    // A group without rows has had no step: its state is made here.
    let state = aggregateState(context, makesNew: false) ?? installed(context).function.makeAggregate()
    defer { releaseAggregateState(context) }
    guard let state, !state.hasFailed else { return }
    installed(context).hooks.calling { report(to: context) { try state.aggregate.finalize() } }
}

/// The state behind the pointer in SQLite's aggregate context, which is zeroed before the first row.
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
        switch try value()?.databaseValue.storage ?? .null {
        case .null: sqlite3_result_null(context)
        case .int64(let integer): sqlite3_result_int64(context, integer)
        case .double(let double): sqlite3_result_double(context, double)
        case .string(var string):
            string.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    rowan_result_text(context, $0.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64($0.count))
                }
            }
        case .blob(let data):
            data.withUnsafeBytes {
                rowan_result_blob(context, $0.baseAddress ?? UnsafeRawPointer(bitPattern: 1), UInt64($0.count))
            }
        }
    } catch {
        fail(context, error)
    }
}

private func fail(_ context: OpaquePointer, _ error: any Error) {
    if let error = error as? DatabaseError {
        sqlite3_result_error(context, error.message ?? "", -1)
        // SQLite would take the codes of success for what they say: the statement would end, or have a row.
        switch error.resultCode {
        case .SQLITE_OK, .SQLITE_ROW, .SQLITE_DONE: break
        default: sqlite3_result_error_code(context, error.extendedResultCode.rawValue)
        }
    } else {
        sqlite3_result_error(context, "\(error)", -1)
    }
}
