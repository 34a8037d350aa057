// SQL identifiers: quoting and the case folding that SQLite applies to names (ASCII letters only).

extension String {
    /// The identifier, quoted for SQL: `player` gives `"player"`, and a double quote is doubled.
    ///
    /// ```swift
    /// let table = "my \"table\""
    /// "DROP TABLE \(table.quotedDatabaseIdentifier)"   // DROP TABLE "my ""table"""
    /// ```
    ///
    /// Source: <https://sqlite.org/lang_keywords.html>
    public var quotedDatabaseIdentifier: String {
        guard utf8.contains(UInt8(ascii: "\"")) else { return "\"\(self)\"" }
        var result = "\""
        for scalar in unicodeScalars {
            if scalar == "\"" { result.unicodeScalars.append(scalar) }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }

    /// The name of a collation, quoted for SQL. SQLite's built-in collations need no quotes.
    ///
    /// Source: <https://sqlite.org/datatype3.html#collation>
    package var quotedCollationName: String {
        switch foldedDatabaseName {
        case "binary", "nocase", "rtrim": self
        default: quotedDatabaseIdentifier
        }
    }

    /// The text as an SQL string literal: `O'Brien` gives `'O''Brien'`.
    package var quotedDatabaseString: String {
        guard utf8.contains(UInt8(ascii: "'")) else { return "'\(self)'" }
        var result = "'"
        for scalar in unicodeScalars {
            if scalar == "'" { result.unicodeScalars.append(scalar) }
            result.unicodeScalars.append(scalar)
        }
        return result + "'"
    }

    /// The name as SQLite compares names: ASCII letters in lower case, all other characters unchanged.
    // Inlined into its 585 uses, it was 5 % of the library's code.
    @inline(never)
    package var foldedDatabaseName: String {
        guard utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return self }
        return String(decoding: utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The text in upper case, as SQLite converts it: ASCII letters only.
    package var inDatabaseUpperCase: String {
        guard utf8.contains(where: { $0 >= 0x61 && $0 <= 0x7A }) else { return self }
        return String(decoding: utf8.map { $0 >= 0x61 && $0 <= 0x7A ? $0 & 0xDF : $0 }, as: UTF8.self)
    }

    /// Whether SQLite considers both names the same.
    package func isSameDatabaseName(as other: String) -> Bool {
        self == other || foldedDatabaseName == other.foldedDatabaseName
    }
}
