// Mistakes in requests, which the resolver and the renderer refuse.

/// A request that has no SQL: a mistake in an association, a key, an alias or an expression.
///
/// ```swift
/// do {
///     let books = try Book.including(required: Book.author).fetchAll(db)
/// } catch RequestError.noForeignKey(let origin, let destination, _) {
///     print("no foreign key from \(origin) to \(destination)")
/// }
/// ```
///
/// Its description says what to do.
public enum RequestError: Error, CustomStringConvertible {
    /// SQL that needs a table, where there is none.
    case noTable
    /// The primary key of what is no table.
    case noPrimaryKey(String)
    /// One value for a primary key of several columns.
    case compositeKey(table: String, columns: [String])
    /// An association between two tables that no foreign key links.
    case noForeignKey(origin: String, destination: String, columns: [String]?)
    /// An association between two tables that several foreign keys link.
    case ambiguousForeignKey(origin: String, destination: String, candidates: [[String]])
    /// A foreign key with more or fewer columns than those that it refers to.
    case columnCount(table: String, columns: [String], referred: [String])
    /// Two associations of one key in one request.
    case ambiguousKey(String)
    /// A joined association whose rows are not those of its table.
    case notJoinable(key: String, clause: String)
    /// A request for the rows that are associated with a record without the value that they refer to.
    case notLinked(table: String, column: String)
    /// The sum, the average... of an association that has groups, distinct or limited rows.
    case aggregateOfGroups(key: String)
    /// A table alias that the request does not have.
    case unknownAlias
    /// A table alias that stands for two tables.
    case aliasOfTwoTables(String)
    /// Two values for one named argument.
    case ambiguousArgument(String)
    /// An expression that SQLite's parser would refuse.
    case tooDeep(levels: Int)
    /// SQL that needs the schema, where nobody asks for it.
    case unresolved

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .noTable:
            "this SQL needs a table to know its primary key or its columns"
        case .noPrimaryKey(let name):
            "\(name) is not a table: it has no primary key"
        case .compositeKey(let table, let columns):
            "table \(table) has a primary key of \(columns.count) columns (\(columns.joined(separator: ", "))): "
                + "give a value to each, as in key: [\"\(columns[0])\": ...]"
        case .noForeignKey(let origin, let destination, nil):
            "the schema has no foreign key from table \(origin) to table \(destination): tell the columns of the "
                + "association, as in using: ForeignKey([\"\(destination)Id\"])"
        case .noForeignKey(let origin, let destination, let columns?):
            "the columns that \(origin)(\(columns.joined(separator: ", "))) refers to in table \(destination) are not "
                + "known: tell them, as in ForeignKey([...], to: [...])"
        case .ambiguousForeignKey(let origin, let destination, let candidates):
            "table \(origin) has several foreign keys to table \(destination): tell which one the association uses, "
                + "as in using: ForeignKey([\"\(candidates[0].joined(separator: "\", \""))\"]); candidates: "
                + candidates.map { "(\($0.joined(separator: ", ")))" }.joined(separator: " ")
        case .columnCount(let table, let columns, let referred):
            "the foreign key of table \(table) has \(columns.count) columns (\(columns.joined(separator: ", "))), and "
                + "refers to \(referred.count) (\(referred.joined(separator: ", ")))"
        case .ambiguousKey(let key):
            "two associations have the key \"\(key)\" in one request: rename one with forKey(_:)"
        case .notJoinable(let key, let clause):
            "association \"\(key)\" has a \(clause): it can only be used with including(all:)"
        case .notLinked(let table, let column):
            "the record has no value for column \(column) of table \(table), which the association needs"
        case .unknownAlias:
            "a table alias is used in a request that has no such alias: give it to a request with aliased(_:)"
        case .aliasOfTwoTables(let table):
            "a table alias stands for two tables in one request, one of them \(table): make an alias for each"
        case .ambiguousArgument(let name):
            "two parts of a request give different values to argument :\(name): give them different names"
        case .tooDeep(let levels):
            "an expression is nested too deeply: it has \(levels) levels, and \(SQLExpression.maximumDepth) is all that "
                + "the parser of SQLite takes. Write long chains with joined(operator:), and give parts of the expression "
                + "a name in a common table expression."
        case .unresolved:
            "this SQL depends on the schema, and stands where Rowan does not ask for the schema: use it in a request, or in "
                + "the SQL of a fetch"
        case .aggregateOfGroups(let key):
            "association \"\(key)\" has groups, distinct or limited rows: only their count and isEmpty are known"
        }
    }
}
