// Many arguments of a remote statement, passed to the virtual table as a few:
// `"rowan remote"(17, rowan_values(?1, ?2, ...))`.

import RowanSQLite

/// Copies of the arguments to one call of the function `rowan_values`.
final class RemoteArgumentPack {
    private static let name = "rowan_values"
    /// The type of the pointer. SQLite compares the text, which must have a stable address.
    private static let type: StaticString = "rowan_values"
    /// SQLite allows 127 function arguments, and a program may lower the limit.
    private static let maximumCount = 64

    private let values: [OpaquePointer?]

    private init(_ values: [OpaquePointer?]) { self.values = values }

    deinit { for value in values { sqlite3_value_free(value) } }

    /// The calls of the function that have these arguments.
    static func packed(_ arguments: [String]) -> [String] {
        stride(from: 0, to: arguments.count, by: maximumCount).map { start in
            let end = min(start + maximumCount, arguments.count)
            return "\(name)(\(arguments[start..<end].joined(separator: ", ")))"
        }
    }

    static func install(in connection: SQLiteConnection) -> CInt {
        sqlite3_create_function_v2(
            connection, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil,
            { context, count, arguments in
                let values = (0..<Int(count)).map { sqlite3_value_dup(arguments![$0]) }
                // A copy of NULL is a value, too.
                guard values.allSatisfy({ $0 != nil }) else { return sqlite3_result_error_nomem(context) }
                let pack = Unmanaged.passRetained(RemoteArgumentPack(values))
                sqlite3_result_pointer(
                    context, pack.toOpaque(),
                    UnsafeRawPointer(RemoteArgumentPack.type.utf8Start).assumingMemoryBound(to: CChar.self),
                    { Unmanaged<RemoteArgumentPack>.fromOpaque($0!).release() })
            }, nil, nil, nil)
    }

    /// Calls the closure with the statement's arguments, which are values or packs of values.
    static func withArguments<T>(
        _ values: UnsafeMutablePointer<OpaquePointer?>, _ count: Int, _ body: (RemoteArguments) throws -> T
    ) throws -> T {
        let type = UnsafeRawPointer(type.utf8Start).assumingMemoryBound(to: CChar.self)
        guard count > 0, sqlite3_value_pointer(values[0], type) != nil else {
            return try body(RemoteArguments(values: values, count: count))
        }
        let packs = (0..<count).compactMap { index in
            sqlite3_value_pointer(values[index], type).map {
                Unmanaged<RemoteArgumentPack>.fromOpaque($0).takeUnretainedValue()
            }
        }
        var all = packs.flatMap(\.values)
        return try withExtendedLifetime(packs) {
            try all.withUnsafeMutableBufferPointer { buffer in
                // A statement with a pack has at least one argument.
                try body(RemoteArguments(values: buffer.baseAddress!, count: buffer.count))
            }
        }
    }
}
