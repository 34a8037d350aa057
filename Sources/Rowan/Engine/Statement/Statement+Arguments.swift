// The arguments of statements. Positional arguments fill parameters in order, named arguments by name. Missing
// arguments and extra positional arguments are errors.

import RowanSQLite

extension Statement {
    /// The arguments of the statement. Setting them replaces the previous arguments.
    ///
    /// - Precondition: the arguments match the parameters. ``setArguments(_:)`` throws an error instead.
    public var arguments: StatementArguments {
        get { storedArguments }
        set {
            do {
                try setArguments(newValue)
            } catch {
                preconditionFailure("\(error)")
            }
        }
    }

    /// Checks that arguments match the parameters of the statement.
    ///
    /// - Throws: a ``DatabaseError`` with code `SQLITE_MISUSE` if arguments are missing, or if there are too many
    ///   positional ones. See ``Configuration/strictArguments`` for named ones.
    public func validateArguments(_ arguments: StatementArguments) throws {
        _ = try bindings(for: arguments)
    }

    /// Sets the arguments of the statement.
    ///
    /// - Throws: a ``DatabaseError`` with code `SQLITE_MISUSE` if arguments are missing, or if there are too many
    ///   positional ones. See ``Configuration/strictArguments`` for named ones.
    public func setArguments(_ arguments: StatementArguments) throws {
        if arguments.namedValues.isEmpty, arguments.values.count == parameterCount, !parameters.isAnyNamed {
            try bind(arguments.values)
        } else if try !arguments.values.isEmpty || !bindByName(arguments.namedValues) {
            try bind(try bindings(for: arguments))
        }
        storedArguments = arguments
        hasArguments = true
    }

    /// Sets the arguments unless some are missing: all of them must then be set together later.
    ///
    /// - Throws: a ``DatabaseError`` with code `SQLITE_MISUSE` if there are too many arguments.
    package func setArgumentsUnlessOpen(_ arguments: StatementArguments) throws {
        let names = parameters.names
        let given =
            arguments.values.count + names.count { name in name.map { arguments.namedValues[$0] != nil } ?? false }
        let isOpen = given < names.count && (!connection.isStrictAboutArguments || isKnown(arguments.namedValues))
        if !isOpen { try setArguments(arguments) }
    }

    /// Sets the arguments from the first positional values and from the named values that have a parameter.
    ///
    /// - Returns: the number of positional values and the names that were used.
    package func setFirstArguments(
        of positional: ArraySlice<DatabaseValue>, _ named: [String: DatabaseValue]
    ) throws -> (positionalCount: Int, names: Set<String>) {
        guard parameterCount > 0 else { return (0, []) }
        let names = parameters.names
        let known = Set(names.compactMap { $0 }.filter { named[$0] != nil })
        let positionalCount = Swift.min(positional.count, names.count { $0 == nil || !known.contains($0!) })
        try setArguments(
            StatementArguments(
                values: Array(positional.prefix(positionalCount)), namedValues: named.filter { known.contains($0.key) })
        )
        return (positionalCount, known)
    }

    /// Sets the argument of a statement with a single parameter.
    package func setSingleArgument(_ value: DatabaseValue) throws {
        try willSetArguments()
        let code = value.bind(to: handle, at: 1)
        guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
        // In place, so that a fetch by key allocates nothing for its argument.
        if storedArguments.values.count == 1 {
            storedArguments.values[0] = value
        } else {
            storedArguments = StatementArguments(values: [value])
        }
        hasArguments = true
    }

    /// Sets arguments without checking them: missing arguments are NULL, and extra ones are ignored. If SQLite rejects
    /// a value, the next execution throws the error.
    ///
    /// - Precondition: the statement is not running, and the current thread has access to the database.
    public func setUncheckedArguments(_ arguments: StatementArguments) {
        let names = parameters.names
        var values = arguments.values[...]
        do { try willSetArguments() } catch { preconditionFailure("\(error)") }
        sqlite3_clear_bindings(handle)
        (hasArguments, argumentsFailure, storedArguments) = (true, nil, arguments)
        for index in 0..<parameterCount {
            let value = names[index].flatMap { arguments.namedValues[$0] } ?? values.popFirst() ?? .null
            let code = value.bind(to: handle, at: CInt(index + 1))
            guard code != SQLITE_OK, hasArguments else { continue }
            (hasArguments, argumentsFailure) = (false, connection.error(code, sql: sql, arguments: arguments))
        }
    }

    /// The names of the parameters, without prefix; nil for `?`.
    package struct ParameterNames {
        let names: [String?]
        /// Whether any parameter has a name.
        let isAnyNamed: Bool
        /// Whether each parameter has a distinct name: `:a` and `@a` have the same name.
        let areDistinct: Bool
        /// The indexes of the parameters, in the order of their names in the last dictionary.
        fileprivate var lastOrder: [Int] = []

        fileprivate init(_ handle: SQLiteStatement, count: Int) {
            names = (0..<CInt(count)).map { index in
                guard let name = sqlite3_bind_parameter_name(handle, index + 1) else { return nil }
                // `?3` also has a name, but it counts as positional.
                let text = String(cString: name)
                return text.hasPrefix("?") ? nil : String(text.dropFirst())
            }
            isAnyNamed = names.contains { $0 != nil }
            areDistinct = !names.contains(nil) && Set(names).count == count
        }

        /// The index of the parameter of each value, for distinct names, in the order of the dictionary; nil unless each has one
        /// value. Dictionaries with the same names usually have the same order, so names are compared rather than
        /// hashed (benchmark named-arguments).
        fileprivate mutating func order(of values: [String: DatabaseValue]) -> [Int]? {
            guard values.count == names.count else { return nil }
            var place = 0
            for name in values.keys {
                if place == lastOrder.count { lastOrder.append(place) }
                if names[lastOrder[place]] != name {
                    guard let index = names.firstIndex(of: name) else { return nil }
                    lastOrder[place] = index
                }
                place += 1
            }
            return lastOrder
        }
    }

    /// They are read once (benchmark named-arguments).
    private var parameters: ParameterNames {
        if let knownParameterNames { return knownParameterNames }
        let names = ParameterNames(handle, count: parameterCount)
        knownParameterNames = names
        return names
    }

    /// Checks that the arguments can change.
    ///
    /// - Throws: SQLITE_MISUSE outside an access, or while the statement is in use. A cursor uses its statement even
    ///   before its first step.
    private func willSetArguments() throws {
        guard !isRunning else {
            _ = try connection.openPointer()
            throw isRunningError()
        }
        try willBind()
    }

    /// Checks that the arguments of the C statement can change.
    ///
    /// - Throws: SQLITE_MISUSE outside an access.
    func willBind() throws {
        guard sqlite3_stmt_busy(handle) != 0 || !connection.isAccessible else { return }
        _ = try connection.openPointer()
        // The program may have stepped the C statement itself.
        sqlite3_reset(handle)
    }

    /// The value of each parameter.
    package func bindings(for arguments: StatementArguments) throws -> [DatabaseValue] {
        let names = parameters.names
        var positional = arguments.values[...]
        var missing: [String] = []
        var isMissing = false
        let values = names.map { name -> DatabaseValue in
            if let name, let value = arguments.namedValues[name] { return value }
            if let value = positional.popFirst() { return value }
            isMissing = true
            if let name { missing.append(name) }
            return .null
        }
        guard missing.isEmpty else {
            throw argumentsError("missing statement argument\(Self.list(missing))", arguments)
        }
        guard !connection.isStrictAboutArguments || isKnown(arguments.namedValues) else {
            let unknown = arguments.namedValues.keys.filter { !names.contains($0) }.sorted()
            throw argumentsError("unknown statement argument\(Self.list(unknown))", arguments)
        }
        guard !isMissing, positional.isEmpty else {
            throw argumentsError("wrong number of statement arguments: \(arguments.values.count)", arguments)
        }
        return values
    }

    /// Whether each of the names has a parameter.
    private func isKnown(_ values: [String: DatabaseValue]) -> Bool {
        values.keys.allSatisfy(parameters.names.contains)
    }

    private static func list(_ names: [String]) -> String {
        "\(names.count == 1 ? "" : "s"): \(names.joined(separator: ", "))"
    }

    /// Binds one value. Reading numbers through the pointer does not copy the value (benchmark insert-statement).
    @inline(__always)
    private func bind(_ values: UnsafeBufferPointer<DatabaseValue>, _ index: Int) -> CInt {
        let position = CInt(truncatingIfNeeded: index &+ 1)
        return switch values[index].storage {
        case .null: sqlite3_bind_null(handle, position)
        case .int64(let integer): sqlite3_bind_int64(handle, position, integer)
        case .double(let double): double.bindNumber(to: handle, at: position)
        case .string, .blob: values[index].bind(to: handle, at: position)
        }
    }

    /// Binds the values to the parameters in order. SQLite copies texts and blobs.
    private func bind(_ values: [DatabaseValue]) throws {
        try willSetArguments()
        let code = values.withUnsafeBufferPointer { values in
            for index in values.indices {
                let code = bind(values, index)
                guard code == SQLITE_OK else { return code }
            }
            return SQLITE_OK
        }
        guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
    }

    /// Binds a value to each parameter by name.
    ///
    /// - Returns: false, without binding anything, unless each parameter has exactly one value.
    private func bindByName(_ values: [String: DatabaseValue]) throws -> Bool {
        guard parameters.areDistinct, let order = knownParameterNames?.order(of: values) else { return false }
        try willSetArguments()
        var place = 0
        for value in values.values {
            let code = value.bind(to: handle, at: CInt(truncatingIfNeeded: order[place] &+ 1))
            guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
            place += 1
        }
        return true
    }

    /// Clears the arguments of an execution, so that later executions don't use them and errors don't reveal them.
    func forgetArguments() {
        hasArguments = parameterCount == 0
        if !storedArguments.isEmpty { storedArguments = StatementArguments() }
    }

    func missingArgumentsError() -> DatabaseError {
        argumentsError("wrong number of statement arguments: 0", StatementArguments())
    }

    private func argumentsError(_ message: String, _ arguments: StatementArguments) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE, message: message, sql: sql, arguments: arguments,
            publicStatementArguments: connection.publicStatementArguments
        ).with(
            hint: "the statement has \(Self.counted(parameterCount, "parameter")), but "
                + "\(Self.counted(arguments.count, "argument")) \(arguments.count == 1 ? "was" : "were") given")
    }

    private static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

extension StatementArguments {
    var count: Int { values.count + namedValues.count }
}
