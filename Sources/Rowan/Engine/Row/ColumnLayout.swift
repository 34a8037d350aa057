// The columns that a row shows: their names, their positions in the statement, and the scopes. A layout is immutable
// data: it is computed once per execution, and all rows of a cursor share it. An adapted row is an ordinary row with
// another layout.

/// The columns of a row.
public final class ColumnLayout: Sendable {
    /// The names, from left to right.
    @usableFromInline package let names: [String]

    /// Whether SQLite considers all names distinct.
    @usableFromInline package let hasUniqueNames: Bool

    /// The number of leading columns that may be expected by position: if two columns have the same name, an expected
    /// column may not be the leftmost one with its name.
    @inlinable var predictableCount: Int { hasUniqueNames ? names.count : 1 }

    /// The folded names. Joins look up keys that are not columns in every row, so folding must not be repeated.
    private let foldedNames: [String]

    /// The statement column of the row's first column; 0 if the columns are not adjacent.
    let start: Int

    /// The statement columns that the row shows, or nil if they are adjacent.
    @usableFromInline let indexes: [Int]?

    /// The layouts of the scopes.
    package let scopes: [String: ColumnLayout]

    /// The columns of a statement.
    package init(names: [String]) {
        self.names = names
        foldedNames = names.map(\.foldedDatabaseName)
        hasUniqueNames = Set(foldedNames).count == names.count
        start = 0
        indexes = nil
        scopes = [:]
    }

    /// Statement columns at any positions.
    package init(_ columns: [(index: Int, name: String)], scopes: [String: ColumnLayout] = [:]) {
        names = columns.map(\.name)
        foldedNames = names.map(\.foldedDatabaseName)
        hasUniqueNames = Set(foldedNames).count == names.count
        start = 0
        indexes = columns.map(\.index)
        self.scopes = scopes
    }

    /// Adjacent columns of another layout.
    package init(_ range: Range<Int>, of layout: ColumnLayout, scopes: [String: ColumnLayout] = [:]) {
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
    init(_ layout: ColumnLayout, scopes: [String: ColumnLayout]) {
        names = layout.names
        foldedNames = layout.foldedNames
        hasUniqueNames = layout.hasUniqueNames
        start = layout.start
        indexes = layout.indexes
        self.scopes = scopes
    }

    /// A row without columns.
    static let empty = ColumnLayout([])

    /// The positions of the columns in the statement, from left to right.
    package var statementIndexes: [Int] { indexes ?? Array(start..<(start + names.count)) }

    /// The number of columns that are also the first columns of the statement: all or none.
    var leadingCount: Int { start == 0 && indexes == nil ? names.count : 0 }

    /// The index of the leftmost column with this name, ignoring ASCII case.
    @usableFromInline
    package func index(ofColumn name: String) -> Int? {
        if hasUniqueNames, let index = names.firstIndex(of: name) { return index }
        let folded = name.foldedDatabaseName
        return foldedNames.firstIndex(of: folded)
    }
}
