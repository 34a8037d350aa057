// What SQLite makes of the declared type of a column.

/// The affinity of a column: the class that its values are converted to.
/// <https://sqlite.org/datatype3.html#determination_of_column_affinity>
enum Affinity: String {
    case integer = "INTEGER"
    case text = "TEXT"
    case blob = "BLOB"
    case real = "REAL"
    case numeric = "NUMERIC"

    init(declaredType: String) {
        let type = declaredType.foldedDatabaseName
        func contains(_ words: String...) -> Bool { words.contains { type.contains($0) } }
        self =
            if contains("int") {
                .integer
            } else if contains("char", "clob", "text") {
                .text
            } else if type.isEmpty || contains("blob") {
                .blob
            } else if contains("real", "floa", "doub") {
                .real
            } else {
                .numeric
            }
    }
}
