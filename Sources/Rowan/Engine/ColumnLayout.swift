// The names of the columns of a statement, shared by all its rows.

/// The columns of a row.
public final class ColumnLayout: Sendable {
    /// The names, from left to right.
    @usableFromInline package let names: [String]

    /// Whether no two names are the same for SQLite.
    @usableFromInline package let hasUniqueNames: Bool

    package init(names: [String]) {
        self.names = names
        hasUniqueNames = Set(names.map(\.foldedDatabaseName)).count == names.count
    }

    /// The index of the leftmost column with a name, without regard to ASCII case.
    @usableFromInline
    package func index(ofColumn name: String) -> Int? {
        if hasUniqueNames, let index = names.firstIndex(of: name) { return index }
        let folded = name.foldedDatabaseName
        return names.firstIndex { $0.foldedDatabaseName == folded }
    }
}
