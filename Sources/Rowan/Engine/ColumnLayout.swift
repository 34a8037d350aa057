// Which columns a row shows: their names, where they stand among the columns of the statement, and the scopes. A layout
// is data: it is computed once for an execution, never changes, and all the rows of a cursor share it. An adapted row
// is the same row class with another layout.

/// The columns of a row.
public final class ColumnLayout: Sendable {
    /// The names, from left to right.
    @usableFromInline package let names: [String]

    /// Whether no two names are the same for SQLite.
    @usableFromInline package let hasUniqueNames: Bool

    /// The names without regard to case: a key that is no column is looked for in each row of a join.
    private let foldedNames: [String]

    /// The column of the statement that is the first column of the row; 0 if the columns don't stand side by side.
    let start: Int

    /// The columns of the statement that the row shows, if they don't stand side by side.
    @usableFromInline let indexes: [Int]?

    /// The layouts of the scopes.
    let scopes: [String: RowMapping]

    /// The columns of a statement.
    package init(names: [String]) {
        self.names = names
        foldedNames = names.map(\.foldedDatabaseName)
        hasUniqueNames = Set(foldedNames).count == names.count
        start = 0
        indexes = nil
        scopes = [:]
    }

    /// Columns of a statement, which may stand anywhere.
    init(names: [String], indexes: [Int], scopes: [String: RowMapping]) {
        self.names = names
        foldedNames = names.map(\.foldedDatabaseName)
        hasUniqueNames = Set(foldedNames).count == names.count
        start = 0
        self.indexes = indexes
        self.scopes = scopes
    }

    /// Columns of a statement that stand side by side.
    init(_ range: Range<Int>, of layout: ColumnLayout, scopes: [String: RowMapping]) {
        if range == layout.names.indices {
            names = layout.names
            foldedNames = layout.foldedNames
            hasUniqueNames = layout.hasUniqueNames
        } else {
            names = Array(layout.names[range])
            foldedNames = Array(layout.foldedNames[range])
            hasUniqueNames = layout.hasUniqueNames || Set(foldedNames).count == names.count
        }
        start = range.lowerBound
        indexes = nil
        self.scopes = scopes
    }

    /// The same columns with other scopes.
    init(_ layout: ColumnLayout, scopes: [String: RowMapping]) {
        names = layout.names
        foldedNames = layout.foldedNames
        hasUniqueNames = layout.hasUniqueNames
        start = layout.start
        indexes = layout.indexes
        self.scopes = scopes
    }

    /// How many columns are the first ones of the statement: all of them, or none.
    var leadingCount: Int { start == 0 && indexes == nil ? names.count : 0 }

    /// The index of the leftmost column with a name, without regard to ASCII case.
    @usableFromInline
    package func index(ofColumn name: String) -> Int? {
        if hasUniqueNames, let index = names.firstIndex(of: name) { return index }
        let folded = name.foldedDatabaseName
        return foldedNames.firstIndex(of: folded)
    }
}
