// Row adapters select the columns that a row shows and group columns into scopes. An adapter maps the columns of a
// statement once for all rows.

/// A description of the columns that an adapted row shows.
///
/// Article: <doc:WritingSQL>.
public protocol RowAdapter: Sendable {
    /// The columns of a statement that an adapted row shows.
    ///
    /// - Throws: an error if the adapter needs a column that is missing from the statement.
    func layout(of columns: ColumnLayout) throws -> ColumnLayout
}

extension RowAdapter {
    /// The adapter with scopes added: `row.scopes["team"]`.
    public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
        scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
    }
}

/// An adapter that hides all columns.
public struct EmptyRowAdapter: RowAdapter {
    /// Creates an adapter that hides all columns.
    public init() {}
    /// No columns.
    public func layout(of columns: ColumnLayout) -> ColumnLayout { .empty }
}

/// An adapter that renames some columns and hides all others.
///
/// ```swift
/// // [foo:1]
/// let row = try Row.fetchOne(db, sql: "SELECT 1 AS a, 2 AS b", adapter: ColumnMapping(["foo": "a"]))
/// ```
public struct ColumnMapping: RowAdapter {
    private let baseNames: [String: String]

    /// Creates an adapter from a dictionary of new names to statement column names.
    public init(_ mapping: [String: String]) { baseNames = mapping }

    /// Maps the renamed columns.
    ///
    /// - Throws: a ``DatabaseError`` if the statement lacks a column.
    public func layout(of columns: ColumnLayout) throws -> ColumnLayout {
        let renamed = try baseNames.map { name, baseName in
            guard let index = columns.index(ofColumn: baseName) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "mapped column \"\(baseName)\" is missing (the row has: "
                        + "\(columns.names.joined(separator: ", ")))")
            }
            return (index: index, name: name)
        }
        return ColumnLayout(renamed.sorted(on: \.index))
    }
}

/// An adapter that hides the first columns.
public struct SuffixRowAdapter: RowAdapter {
    private let index: Int

    /// Creates an adapter that shows the columns from an index.
    ///
    /// - Precondition: the index is not negative.
    public init(fromIndex index: Int) {
        precondition(index >= 0, "column index \(index) is negative")
        self.index = index
    }

    /// Maps the columns from the index; none if the statement has fewer columns.
    public func layout(of columns: ColumnLayout) throws -> ColumnLayout {
        try RangeRowAdapter(index..<max(index, columns.names.count)).layout(of: columns)
    }
}

/// An adapter that shows a range of columns.
public struct RangeRowAdapter: RowAdapter {
    private let range: Range<Int>

    /// Creates an adapter that shows the columns of a range.
    ///
    /// - Precondition: the range contains no negative index.
    public init(_ range: CountableRange<Int>) {
        precondition(range.lowerBound >= 0, "column range \(range) has a negative index")
        self.range = range
    }

    /// Creates an adapter that shows the columns of a closed range.
    public init(_ range: CountableClosedRange<Int>) { self.init(range.lowerBound..<(range.upperBound + 1)) }

    /// Maps the columns of the range.
    ///
    /// - Throws: a ``DatabaseError`` if the statement has fewer columns.
    public func layout(of columns: ColumnLayout) throws -> ColumnLayout {
        guard range.upperBound <= columns.names.count || range.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "column range \(range) is out of bounds: the row has \(columns.names.count) columns")
        }
        return range.isEmpty ? .empty : ColumnLayout(range, of: columns)
    }
}

/// An adapter that renames all columns.
public struct RenameColumnAdapter: RowAdapter {
    private let transform: @Sendable (String) -> String

    /// Creates an adapter that renames each column with a function.
    public init(_ transform: @escaping @Sendable (String) -> String) { self.transform = transform }

    /// Maps all columns, under their new names.
    public func layout(of columns: ColumnLayout) -> ColumnLayout {
        ColumnLayout(columns.names.enumerated().map { (index: $0.offset, name: transform($0.element)) })
    }
}

/// An adapter that adds scopes: named rows inside the row.
///
/// ```swift
/// let adapter = ScopeAdapter(["left": RangeRowAdapter(0..<1), "right": RangeRowAdapter(1..<2)])
/// let row = try Row.fetchOne(db, sql: "SELECT 1 AS a, 2 AS b", adapter: adapter)!
/// row                    // [a:1 b:2]
/// row.scopes["left"]     // [a:1]
/// ```
public struct ScopeAdapter: RowAdapter {
    private let base: (any RowAdapter)?
    private let scopes: [String: any RowAdapter]

    /// Creates an adapter that shows all columns, with scopes.
    public init(_ scopes: [String: any RowAdapter]) {
        base = nil
        self.scopes = scopes
    }

    /// Creates an adapter that shows the columns of a base adapter, with scopes.
    public init(base: some RowAdapter, scopes: [String: any RowAdapter]) {
        self.base = base
        self.scopes = scopes
    }

    /// Maps the columns of the base adapter and those of the scopes.
    ///
    /// - Throws: the errors thrown by the adapters.
    public func layout(of columns: ColumnLayout) throws -> ColumnLayout {
        let scopes = try scopes.mapValues { try $0.layout(of: columns) }
        guard let base else { return ColumnLayout(columns, scopes: scopes) }
        let layout = try base.layout(of: columns)
        return ColumnLayout(layout, scopes: layout.scopes.merging(scopes) { _, added in added })
    }
}

/// Adapters that split a row into consecutive parts: `columnCounts[0]` columns, then `columnCounts[1]` columns, and so
/// on. The last adapter shows the remaining columns.
///
/// ```swift
/// // 4 columns split in [0..<1], [1..<3], [3...]
/// splittingRowAdapters(columnCounts: [1, 2])
/// ```
public func splittingRowAdapters(columnCounts: [Int]) -> [any RowAdapter] {
    guard !columnCounts.isEmpty else { return [SuffixRowAdapter(fromIndex: 0)] }
    var start = 0
    var adapters: [any RowAdapter] = []
    for count in columnCounts {
        adapters.append(RangeRowAdapter(start..<(start + count)))
        start += count
    }
    adapters.append(SuffixRowAdapter(fromIndex: start))
    return adapters
}
