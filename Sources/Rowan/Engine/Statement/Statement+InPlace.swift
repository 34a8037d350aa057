// Runs a statement once with values that are bound in place. SQLite copies no text and no blob: it reads them from
// Swift's memory, whose addresses are valid only inside `withUTF8` and `withUnsafeBytes`. Hence the recursion: the
// statement runs to completion inside the closure of its last text (benchmark insert-place).

import RowanPlatform
import RowanSQLite

extension Statement {
    /// Binds the values and runs the statement to completion, ignoring its rows.
    ///
    /// - Parameter order: the index of the value of each parameter; nil for the order of the values.
    /// - Throws: SQLite's error, with the values. The statement has no arguments afterwards.
    package func run(binding values: [DatabaseValue], order: [Int]?) throws {
        forgetArguments()
        do { try runInPlace(values, order) } catch let error as DatabaseError {
            throw error.with(arguments: StatementArguments(values: order.map { $0.map { values[$0] } } ?? values))
        }
    }

    /// Binds values in a buffer and runs the statement to completion.
    ///
    /// - Returns: the last value of the first row, as an integer; nil without rows.
    /// - Parameters:
    ///   - bind: binds all parameters and returns SQLite's code.
    ///   - arguments: the values to report in an error.
    /// - Throws: SQLite's error, with the values. The statement has no arguments afterwards.
    package func run(
        in buffer: BindingBuffer, _ bind: (SQLiteStatement) throws -> CInt, arguments: () throws -> StatementArguments
    ) throws -> Int64? {
        forgetArguments()
        let mark = buffer.mark
        defer { if buffer.end(mark) { unbind() } }
        do {
            try check(try bind(handle))
            return try runBound()
        } catch let error as DatabaseError {
            throw error.with(arguments: try arguments())
        }
    }

    private func runInPlace(_ values: [DatabaseValue], _ order: [Int]?) throws {
        try values.withUnsafeBufferPointer { values in
            guard let order else {
                return try run(InPlaceValues(values: values, order: nil, count: values.count), from: 0)
            }
            try order.withUnsafeBufferPointer { order in
                try run(InPlaceValues(values: values, order: order, count: order.count), from: 0)
            }
        }
    }

    /// - Parameter isNested: whether a text or blob is already bound; the outermost call unbinds it.
    private func run(_ values: InPlaceValues, from first: Int, isNested: Bool = false) throws {
        for position in first..<values.count {
            let index = CInt(truncatingIfNeeded: position &+ 1)
            let place = values.order.map { $0[position] } ?? position
            // Accessed through the pointer, so that the value is not copied.
            switch values.values[place].storage {
            case .null:
                try check(sqlite3_bind_null(handle, index))
            case .int64(let integer):
                try check(sqlite3_bind_int64(handle, index, integer))
            case .double(let double):
                try check(double.bindNumber(to: handle, at: index))
            case .string(let text):
                return try text.withBytes { bytes in
                    defer { if !isNested { unbind() } }
                    try check(bindInPlace(bytes, at: index))
                    try run(values, from: position &+ 1, isNested: true)
                }
            case .blob(let data):
                return try data.withUnsafeBytes { bytes in
                    defer { if !isNested { unbind() } }
                    try check(bindInPlace(bytes, at: index))
                    try run(values, from: position &+ 1, isNested: true)
                }
            }
        }
        _ = try runBound()
    }

    /// Runs the statement to completion.
    ///
    /// - Returns: the last value of the first row, as an integer; nil without rows.
    private func runBound() throws -> Int64? {
        try connection.willRun(self)
        guard try firstStep() else { return nil }
        let value = sqlite3_column_int64(handle, sqlite3_column_count(handle) - 1)
        while try step() {}
        return value
    }

    /// The statement must not keep addresses of Swift's memory. Numbers may remain, because no execution uses them.
    private func unbind() { sqlite3_clear_bindings(handle) }

    private func bindInPlace(_ bytes: UnsafeBufferPointer<UInt8>, at index: CInt) -> CInt {
        bytes.withMemoryRebound(to: CChar.self) { text in
            guard let count = CInt(exactly: text.count) else { return SQLITE_TOOBIG }
            // An empty buffer may have a null address, for which SQLite binds NULL.
            guard let start = text.baseAddress else { return rowan_bind_static_text(handle, index, "", 0) }
            return rowan_bind_static_text(handle, index, start, count)
        }
    }

    private func bindInPlace(_ bytes: UnsafeRawBufferPointer, at index: CInt) -> CInt {
        guard let count = CInt(exactly: bytes.count) else { return SQLITE_TOOBIG }
        guard count > 0 else { return sqlite3_bind_zeroblob(handle, index, 0) }
        return rowan_bind_static_blob(handle, index, bytes.baseAddress, count)
    }

    private func check(_ code: CInt) throws {
        guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
    }
}

/// Values in parameter order.
private struct InPlaceValues {
    let values: UnsafeBufferPointer<DatabaseValue>
    let order: UnsafeBufferPointer<Int>?
    let count: Int
}
