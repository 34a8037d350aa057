// Runs a statement once with the values of several rows. SQLite copies texts and blobs, because hundreds of them can't
// be bound in place as in Statement+InPlace.

import RowanSQLite

extension Statement {
    /// Binds the values of rows, row by row, and runs the statement to completion, ignoring its rows.
    ///
    /// - Parameter constants: the values of the parameters that follow the rows' parameters.
    /// - Throws: SQLite's error, with the values. The statement has no arguments afterwards.
    package func run(binding rows: ArraySlice<[DatabaseValue]>, then constants: [DatabaseValue]) throws {
        forgetArguments()
        do {
            var position: CInt = 0
            for row in rows { try bind(row, after: &position) }
            try bind(constants, after: &position)
            try startUnchecked()
            if try firstStep() {
                while try step() {}
            }
        } catch let error as DatabaseError {
            throw error.with(arguments: StatementArguments(values: rows.flatMap(\.self) + constants))
        }
    }

    private func bind(_ values: [DatabaseValue], after position: inout CInt) throws {
        let start = position
        let code = values.withUnsafeBufferPointer { values in
            for index in values.indices {
                let parameter = start &+ CInt(truncatingIfNeeded: index) &+ 1
                // Accessed through the pointer, so that numbers are not copied.
                let code =
                    switch values[index].storage {
                    case .null: sqlite3_bind_null(handle, parameter)
                    case .int64(let integer): sqlite3_bind_int64(handle, parameter, integer)
                    case .double(let double): double.bindNumber(to: handle, at: parameter)
                    case .string, .blob: values[index].bind(to: handle, at: parameter)
                    }
                guard code == SQLITE_OK else { return code }
            }
            return SQLITE_OK
        }
        guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
        position = start &+ CInt(truncatingIfNeeded: values.count)
    }
}
