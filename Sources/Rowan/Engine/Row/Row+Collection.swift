// A row as a collection of (name, value) pairs, its equality and its descriptions.

extension Row: RandomAccessCollection {
    /// A position in a row.
    public struct Index: Hashable, Comparable, Strideable, Sendable {
        let position: Int

        /// Whether the first position is to the left of the second.
        public static func < (lhs: Index, rhs: Index) -> Bool { lhs.position < rhs.position }
        /// The number of columns between two positions.
        public func distance(to other: Index) -> Int { other.position - position }
        /// The position a number of columns to the right.
        public func advanced(by n: Int) -> Index { Index(position: position + n) }
    }

    /// The position of the leftmost column.
    public var startIndex: Index { Index(position: 0) }
    /// The position after the rightmost column.
    public var endIndex: Index { Index(position: count) }

    /// The name and the value of a column.
    public subscript(position: Index) -> (String, DatabaseValue) {
        checkIndex(position.position)
        return (layout.names[position.position], column(atUncheckedIndex: position.position).databaseValue)
    }

    /// The names of the columns, from left to right.
    public var columnNames: LazyMapCollection<Row, String> { lazy.map(\.0) }

    /// The values of the columns, from left to right.
    public var databaseValues: LazyMapCollection<Row, DatabaseValue> { lazy.map(\.1) }
}

extension Row {
    /// Creates a row with these columns, in no particular order.
    public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(
            layout: ColumnLayout(names: Array(dictionary.keys)),
            values: dictionary.values.map { $0?.databaseValue ?? .null })
    }

    /// Creates a row with these columns, or returns nil if a key is not a string or a value can't be converted.
    public convenience init?(_ dictionary: [AnyHashable: Any]) {
        var values: [String: DatabaseValue] = [:]
        for (key, value) in dictionary {
            guard let name = key as? String, let dbValue = DatabaseValue(value: value) else { return nil }
            values[name] = dbValue
        }
        self.init(layout: ColumnLayout(names: Array(values.keys)), values: Array(values.values))
    }
}

extension Row: ExpressibleByDictionaryLiteral {
    /// Creates a row with these columns, in order: `let row: Row = ["id": 1, "name": "Arthur"]`.
    public convenience init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(
            layout: ColumnLayout(names: elements.map(\.0)), values: elements.map { $0.1?.databaseValue ?? .null })
    }
}

extension Row: Hashable {
    /// Whether both rows have the same columns in the same order, with the same values, scopes and prefetched rows.
    public static func == (lhs: Row, rhs: Row) -> Bool {
        if lhs === rhs { return true }
        guard lhs.count == rhs.count, lhs.elementsEqual(rhs, by: ==) else { return false }
        guard lhs.scopes.names.sorted() == rhs.scopes.names.sorted() else { return false }
        guard lhs.scopes.names.allSatisfy({ lhs.scopes[$0] == rhs.scopes[$0] }) else { return false }
        let noRows: [String: [Row]] = [:]
        return (lhs.prefetchedTree?.rows ?? noRows) == (rhs.prefetchedTree?.rows ?? noRows)
    }

    /// Hashes the names and values of the columns.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for (name, value) in self {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension Row: CustomStringConvertible, CustomDebugStringConvertible {
    /// The names and values of the columns: `[id:1 name:"Arthur" score:NULL]`.
    public var description: String {
        "[" + map { "\($0):\($1)" }.joined(separator: " ") + "]"
    }

    /// The columns, the unadapted row, the scopes, and the numbers of prefetched rows, one item per line.
    public var debugDescription: String {
        var lines = ["▿ \(description)"]
        if isAdapted { lines.append("  unadapted: \(unadapted.description)") }
        lines += parts(indentation: "  ")
        return lines.count == 1 ? description : lines.joined(separator: "\n")
    }

    private func parts(indentation: String) -> [String] {
        var lines: [String] = []
        for (name, row) in scopes.sorted(on: \.name) {
            lines.append("\(indentation)- \(name): \(row.description)")
            lines += row.parts(indentation: indentation + "  ")
        }
        for (key, rows) in (prefetchedTree?.rows ?? [:]).sorted(on: \.key) {
            lines.append("\(indentation)+ \(key): \(rows.count) row\(rows.count == 1 ? "" : "s")")
        }
        return lines
    }
}
