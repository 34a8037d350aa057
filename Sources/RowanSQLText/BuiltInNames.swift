// Names that SQLite and Rowan define.

/// Names and words of SQLite, in lower case.
package enum BuiltInNames {
    /// The names of a rowid that no column has taken. <https://sqlite.org/rowidtable.html>
    package static let rowIDs = ["rowid", "_rowid_", "oid"]

    /// The tables that store schemas. <https://sqlite.org/schematab.html>
    package static let schemaTables = ["sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"]

    /// The words that end the type of a column. <https://sqlite.org/syntax/column-constraint.html>
    package static let columnConstraints: Set = [
        "constraint", "primary", "not", "null", "unique", "check", "default", "collate", "references", "generated",
        "as",
    ]
}

/// The text functions of all Rowan connections.
package enum BuiltInFunction: String, CaseIterable {
    case capitalize = "swiftCapitalizedString"
    case lowercase = "swiftLowercaseString"
    case uppercase = "swiftUppercaseString"
    case localizedCapitalize = "swiftLocalizedCapitalizedString"
    case localizedLowercase = "swiftLocalizedLowercaseString"
    case localizedUppercase = "swiftLocalizedUppercaseString"
}

/// The collations of all Rowan connections.
package enum BuiltInCollation: String, CaseIterable {
    case unicodeCompare = "swiftCompare"
    case caseInsensitiveCompare = "swiftCaseInsensitiveCompare"
    case localizedCaseInsensitiveCompare = "swiftLocalizedCaseInsensitiveCompare"
    case localizedCompare = "swiftLocalizedCompare"
    case localizedStandardCompare = "swiftLocalizedStandardCompare"
}
