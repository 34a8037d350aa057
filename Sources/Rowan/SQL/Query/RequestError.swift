// Invalid requests, which the resolver and the renderer reject.

/// The error of a request that can't be turned into SQL, because of an association, a key, an alias or an expression.
///
/// ```swift
/// do {
///     let books = try Book.including(required: Book.author).fetchAll(db)
/// } catch RequestError.noForeignKey(let origin, let destination, _) {
///     print("no foreign key from \(origin) to \(destination)")
/// }
/// ```
///
/// The description explains how to fix the request.
///
/// Article: <doc:HandlingErrors>.
public enum RequestError: Error, CustomStringConvertible {
    /// The SQL needs a table, but has none.
    case noTable
    /// The primary key is required from a source that is not a table.
    case noPrimaryKey(String)
    /// A primary key of several columns is given a single value.
    case compositeKey(table: String, columns: [String])
    /// No foreign key links the two tables of an association.
    case noForeignKey(origin: String, destination: String, columns: [String]?)
    /// Several foreign keys link the two tables of an association.
    case ambiguousForeignKey(origin: String, destination: String, candidates: [[String]])
    /// A foreign key and the columns it refers to differ in number.
    case columnCount(table: String, columns: [String], referred: [String])
    /// Two associations of a request have the same key.
    case ambiguousKey(String)
    /// A joined association has a clause that changes its rows, such as `limit`.
    case notJoinable(key: String, clause: String)
    /// A request that includes associations is joined to another request and has a clause that the join would change.
    case notJoinableWithScopes(table: String, clause: String)
    /// A record lacks the value that its associated rows refer to.
    case notLinked(table: String, column: String)
    /// An aggregate other than the count is requested for an association with groups, distinct or limited rows.
    case aggregateOfGroups(key: String)
    /// A full-text function has a column that its table lacks.
    case unknownColumn(table: String, column: String)
    /// The request does not have the table alias.
    case unknownAlias
    /// A table alias refers to two tables.
    case aliasOfTwoTables(String)
    /// A named argument has two values.
    case ambiguousArgument(String)
    /// An expression exceeds the nesting limit of SQLite's parser.
    case tooDeep(levels: Int)
    /// An order in SQL text is reversed.
    case literalOrder
    /// The SQL depends on the schema where Rowan does not read it.
    case unresolved

    /// The problem and how to fix it.
    public var description: String {
        switch self {
        case .noTable:
            "this SQL needs the primary key or the columns of a table, but has no table"
        case .noPrimaryKey(let name):
            "\(name) is not a table: it has no primary key"
        case .compositeKey(let table, let columns):
            "the primary key of table \(table) has \(columns.count) columns (\(columns.joined(separator: ", "))): "
                + "give a value to each, as in key: [\"\(columns[0])\": ...]"
        case .noForeignKey(let origin, let destination, nil):
            "the schema has no foreign key from table \(origin) to table \(destination): specify the columns of the "
                + "association, as in using: ForeignKey([\"\(destination)Id\"])"
        case .noForeignKey(let origin, let destination, let columns?):
            "the columns of table \(destination) that \(origin)(\(columns.joined(separator: ", "))) refers to are "
                + "unknown: specify them, as in ForeignKey([...], to: [...])"
        case .ambiguousForeignKey(let origin, let destination, let candidates):
            "table \(origin) has several foreign keys to table \(destination): specify the one to use, "
                + "as in using: ForeignKey([\"\(candidates[0].joined(separator: "\", \""))\"]); candidates: "
                + candidates.map { "(\($0.joined(separator: ", ")))" }.joined(separator: " ")
        case .columnCount(let table, let columns, let referred):
            "the foreign key of table \(table) has \(columns.count) columns (\(columns.joined(separator: ", "))), but "
                + "refers to \(referred.count) (\(referred.joined(separator: ", ")))"
        case .ambiguousKey(let key):
            "two associations have the key \"\(key)\" in one request: rename one with forKey(_:)"
        case .notJoinable(let key, let clause):
            "the association \"\(key)\" uses \(clause): use it only with including(all:)"
        case .notJoinableWithScopes(let table, let clause):
            "the request of \(table) includes associations and uses \(clause): it can't be joined to another request. "
                + "Join the associated rows as well, instead of including them"
        case .notLinked(let table, let column):
            "the association needs column \(column) of table \(table), but the record has no value for it"
        case .unknownColumn(let table, let column):
            "the table \(table) has no column \(column): pass a column of the full-text table to its functions"
        case .unknownAlias:
            "the request uses a table alias that it does not have: add the alias with aliased(_:)"
        case .aliasOfTwoTables(let table):
            "a table alias refers to two tables of the request, one of them \(table): create an alias for each"
        case .ambiguousArgument(let name):
            "two parts of a request give different values to argument :\(name): give them different names"
        case .tooDeep(let levels):
            "an expression is nested too deeply, with \(levels) levels, but SQLite's parser accepts only "
                + "\(SQLExpression.maximumDepth), or \(SQLExpression.maximumSumCount) in a sum or a product: write long chains "
                + "with joined(operator:), or name parts of the expression in a common table expression"
        case .literalOrder:
            "an order in SQL can't be reversed: write the reverse order, or order by columns and expressions"
        case .unresolved:
            "this SQL depends on the schema, but Rowan does not read the schema here: use it in a request, or in "
                + "the SQL of a fetch"
        case .aggregateOfGroups(let key):
            "the association \"\(key)\" has groups, distinct or limited rows: use only its count or isEmpty"
        }
    }
}
