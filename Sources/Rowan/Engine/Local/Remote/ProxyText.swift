// The SQL of a remote statement for traces. SQLite only has the query that runs it and the literals of its arguments.

import RowanSQLText
import RowanSQLite

/// The texts of a remote statement.
struct ProxyText {
    private let statement: RemoteStatement
    private let handle: SQLiteStatement
    /// The length of the query before its arguments, in bytes.
    private let prefixLength: Int

    /// - Returns: nil for a statement that does not run a remote one.
    init?(_ handle: SQLiteStatement, _ statements: RemoteStatements?) {
        guard let statements, let text = sqlite3_sql(handle).map({ String(cString: $0) }), text.hasPrefix("SELECT "),
            let start = text.lastRange(of: " FROM \(RemoteModule.name)(")
        else { return nil }
        let digits = text[start.upperBound...].prefix(while: \.isNumber)
        guard let number = Int(digits), let statement = statements.find(number) else { return nil }
        self.statement = statement
        self.handle = handle
        prefixLength = text[..<digits.endIndex].utf8.count
    }

    var sql: String { statement.sql }
    var isReadonly: Bool { statement.isReadonly }

    /// The SQL with the arguments as literals.
    var expanded: String {
        guard let text = sqlite3_expanded_sql(handle) else { return sql }
        defer { sqlite3_free(text) }
        let bytes = String(cString: text).utf8.dropFirst(prefixLength)
        let literals = Self.literals(String(decoding: bytes, as: UTF8.self))
        return sql.replacingParameters(of: handle, with: literals)
    }

    /// Splits `, 'a', 1)` or `, rowan_values('a', 1))` into its literals.
    private static func literals(_ text: String) -> [String] {
        let scanner = SQLScanner(text)
        var literals: [String] = []
        // A literal may consist of several tokens, as in `-1.0e+20`.
        var literal: Range<Int>?
        for token in scanner {
            switch scanner[token] {
            // After the name of the function.
            case "(": literal = nil
            case ",", ")":
                if let literal { literals.append(scanner[literal]) }
                literal = nil
            default: literal = (literal?.lowerBound ?? token.range.lowerBound)..<token.range.upperBound
            }
        }
        return literals
    }
}

extension String {
    fileprivate func lastRange(of text: String) -> Range<Index>? { ranges(of: text).last }
}

extension String {
    /// The text of a statement with literals in place of its parameters.
    func replacingParameters(of handle: SQLiteStatement, with literals: [String]) -> String {
        let names = (0..<sqlite3_bind_parameter_count(handle)).map { index in
            sqlite3_bind_parameter_name(handle, index + 1).map { String(cString: $0) }
        }
        var position = 0
        return SQLScanner.replacing(self) { token, scanner in
            guard token.kind == .variable else { return nil }
            let name = scanner[token]
            // A parameter without a number follows the previous one. A numbered one may be at the position of a named
            // one.
            let number = name.hasPrefix("?") ? Int(name.dropFirst()) : nil
            let index = name == "?" ? position : number.map { $0 - 1 } ?? names.firstIndex(of: name)
            guard let index, literals.indices.contains(index) else { return nil }
            position = max(position, index + 1)
            return literals[index]
        }
    }
}

extension Statement {
    /// The literals of the arguments, if SQLite would truncate one of them at a NUL character.
    var literalsWithNUL: [String]? {
        guard
            storedArguments.values.contains(where: \.hasNUL)
                || storedArguments.namedValues.values.contains(where: \.hasNUL)
        else { return nil }
        // The arguments are bound, so each parameter has a value.
        return (try? bindings(for: storedArguments))?.map(\.sqlLiteral)
    }
}
