// The properties of tables.
// Sources: https://sqlite.org/pragma.html#pragma_table_xinfo, #pragma_index_list, #pragma_foreign_key_list

import RowanSQLText

/// A column of a table.
public struct ColumnInfo: Sendable {
    /// The name of the column.
    public let name: String
    /// The declared type, in upper case; empty if there is none.
    public let type: String
    /// Whether the column is declared NOT NULL.
    public let isNotNull: Bool
    /// The SQL of the default value, or nil.
    public let defaultValueSQL: String?
    /// The 1-based position in the primary key, or 0 for other columns.
    public let primaryKeyIndex: Int
    /// Whether the column is generated and can't be written.
    package let isGenerated: Bool
    /// Whether the column is computed on reading rather than stored.
    package let isComputed: Bool
    /// Whether `SELECT *` omits the column.
    package let isHidden: Bool

    /// Creates a column from a row of `PRAGMA table_info` or `table_xinfo`.
    public init(row: Row) {
        name = row["name"]
        type = (row["type"] as String).inDatabaseUpperCase
        isNotNull = row["notnull"]
        defaultValueSQL = row["dflt_value"]
        primaryKeyIndex = row["pk"]
        let hidden = row["hidden"] as Int? ?? 0
        isGenerated = hidden == 2 || hidden == 3
        isComputed = hidden == 2
        isHidden = hidden == 1
    }
}

/// The primary key of a table.
public struct PrimaryKeyInfo: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// No primary key: the hidden rowid.
        case hiddenRowID
        /// `INTEGER PRIMARY KEY`: the column is the rowid.
        case rowID(String)
        /// One or several columns, in key order.
        case columns([String], tableHasRowID: Bool)
    }

    package let kind: Kind

    /// The first of the names `rowid`, `_rowid_` and `oid` that refers to the rowid because no column has it; nil if
    /// there is none, and for a table without rowid. <https://sqlite.org/rowidtable.html>
    package let hiddenRowIDName: String?

    package init(kind: Kind, columnNames: [String]) {
        self.kind = kind
        var hasRowID = true
        if case .columns(_, let tableHasRowID) = kind { hasRowID = tableHasRowID }
        hiddenRowIDName = BuiltInNames.rowIDs.first { name in
            hasRowID && !columnNames.contains(where: name.isSameDatabaseName)
        }
    }

    /// The columns of the key, in order.
    ///
    /// For a table without a primary key, this is the name of the rowid: `rowid`, or `_rowid_` or `oid` if a column is
    /// called `rowid`. If all three are columns, the result is empty.
    public var columns: [String] {
        switch kind {
        case .hiddenRowID: [hiddenRowIDName].compactMap(\.self)
        case .rowID(let column): [column]
        case .columns(let columns, _): columns
        }
    }

    /// The column that is an alias of the rowid, or nil.
    public var rowIDColumn: String? {
        if case .rowID(let column) = kind { column } else { nil }
    }

    /// A name of the rowid: the column that is its alias, or a hidden name.
    package var rowIDName: String? { rowIDColumn ?? hiddenRowIDName }

    /// The name of the primary key if it is the rowid: the column's name or a hidden name.
    package var rowIDKey: String? {
        switch kind {
        case .rowID(let column): column
        case .hiddenRowID: hiddenRowIDName
        case .columns: nil
        }
    }

    /// Whether the primary key is the rowid, hidden or not.
    public var isRowID: Bool {
        if case .columns = kind { false } else { true }
    }

    /// Whether the table has a rowid.
    package var tableHasRowID: Bool {
        if case .columns(_, let tableHasRowID) = kind { tableHasRowID } else { true }
    }
}

/// An index of a table.
public struct IndexInfo: Sendable {
    /// The origin of an index. <https://sqlite.org/pragma.html#pragma_index_list>
    public struct Origin: RawRepresentable, Hashable, Sendable {
        /// The code reported by SQLite.
        public var rawValue: String
        /// Creates an origin from its code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A `CREATE INDEX` statement.
        public static let createIndex = Origin(rawValue: "c")
        /// A `UNIQUE` constraint.
        public static let uniqueConstraint = Origin(rawValue: "u")
        /// A `PRIMARY KEY` constraint.
        public static let primaryKeyConstraint = Origin(rawValue: "pk")
    }

    /// The name of the index.
    public let name: String
    /// The columns of the index, without expressions.
    public let columns: [String]
    /// Whether the index is unique.
    public let isUnique: Bool
    /// The origin of the index.
    public let origin: Origin
    /// Whether the index has neither a WHERE clause nor expressions. A unique index is then a key.
    package let coversWholeTable: Bool
    /// Whether the index uses the collations of its columns, so that values equal in a query are equal in the index.
    package let comparesLikeColumns: Bool
}

/// A foreign key of a table.
public struct ForeignKeyInfo: Sendable {
    /// The identifier of the foreign key within its table.
    public var id: Int
    /// The table referenced by the foreign key.
    public let destinationTable: String
    /// The columns of the foreign key, with the columns they refer to.
    public let mapping: [(origin: String, destination: String)]

    /// The columns of the foreign key.
    public var originColumns: [String] { mapping.map(\.origin) }
    /// The columns referenced by the foreign key.
    public var destinationColumns: [String] { mapping.map(\.destination) }
}
