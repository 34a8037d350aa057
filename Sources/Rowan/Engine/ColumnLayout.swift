// The names of the columns of a statement, shared by all its rows.

/// The columns of a row.
public final class ColumnLayout: Sendable {
    /// The names, from left to right.
    @usableFromInline package let names: [String]

    /// Whether no two names are the same for SQLite.
    @usableFromInline package let hasUniqueNames: Bool

    /// The names without regard to case: a key that is no column is looked for in each row of a join.
    private let foldedNames: [String]

    package init(names: [String]) {
        self.names = names
        foldedNames = names.map(\.foldedDatabaseName)
        hasUniqueNames = Set(foldedNames).count == names.count
    }

    /// The index of the leftmost column with a name, without regard to ASCII case.
    @usableFromInline
    package func index(ofColumn name: String) -> Int? {
        if hasUniqueNames, let index = names.firstIndex(of: name) { return index }
        let folded = name.foldedDatabaseName
        return foldedNames.firstIndex(of: folded)
    }
}
