// Records of scopes and of prefetched rows.

extension Row {
    /// The record of a scope.
    ///
    /// - Precondition: the row has this scope, and the record decodes. `decode(_:forKey:)` throws an error instead.
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
        do {
            return try decode(Record.self, forKey: scope)
        } catch {
            fatalError("\(error)")
        }
    }

    /// The record of a scope; nil if the scope is missing or contains only NULL values.
    ///
    /// - Precondition: the record decodes. ``decodeIfPresent(_:forKey:)`` throws an error instead.
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
        do {
            return try decodeIfPresent(Record.self, forKey: scope)
        } catch {
            fatalError("\(error)")
        }
    }

    /// Decodes the record of a scope.
    ///
    /// - Throws: a ``RowDecodingError`` if the scope is missing or contains only NULL values.
    public func decode<Record: FetchableRecord>(
        _ type: Record.Type = Record.self, forKey scope: String
    ) throws -> Record {
        if let record = try decodeIfPresent(type, forKey: scope) { return record }
        let names = scopesTree.names.sorted().joined(separator: ", ")
        throw RowDecodingError(
            reason: "scope \"\(scope)\" is missing, or contains only NULL values (the row has: \(names))", column: nil,
            row: self)
    }

    /// Whether the row of a scope has values of a type. An association that is only joined as a path to another one
    /// contains the row of the other one, but no columns for its own record.
    func holds(_ type: any Any.Type) -> Bool {
        containsNonNullValue && (count > 0 || !(type is any TableRecord.Type))
    }

    /// Decodes the record of a scope; nil if the scope is missing or contains only NULL values.
    public func decodeIfPresent<Record: FetchableRecord>(
        _ type: Record.Type = Record.self, forKey scope: String
    ) throws -> Record? {
        guard let row = scopesTree[scope], row.holds(type) else { return nil }
        return try RecordElements.element(of: row)
    }

    /// The records of prefetched rows: `let books: [Book] = row["books"]`.
    ///
    /// - Precondition: the row has these prefetched rows, and the records decode. `decode(_:forKey:)` throws an error
    ///   instead.
    public subscript<Records: RangeReplaceableCollection>(_ key: String) -> Records
    where Records.Element: FetchableRecord {
        do {
            return try decode(Records.self, forKey: key)
        } catch {
            fatalError("\(error)")
        }
    }

    /// The set of the records of prefetched rows.
    ///
    /// - Precondition: the row has these prefetched rows, and the records decode. `decode(_:forKey:)` throws an error
    ///   instead.
    public subscript<Record: FetchableRecord & Hashable>(_ key: String) -> Set<Record> {
        do {
            return try decode(Set<Record>.self, forKey: key)
        } catch {
            fatalError("\(error)")
        }
    }

    /// Decodes the records of prefetched rows.
    ///
    /// ```swift
    /// let books: [Book] = try row.decode(forKey: "books")
    /// ```
    ///
    /// - Throws: a ``RowDecodingError`` if the prefetched rows are missing.
    public func decode<Records: RangeReplaceableCollection>(
        _ type: Records.Type = Records.self, forKey key: String
    ) throws -> Records where Records.Element: FetchableRecord {
        var records = Records()
        try forEachPrefetchedRow(forKey: key) { records.append(try RecordElements.element(of: $0)) }
        return records
    }

    /// Decodes the set of the records of prefetched rows.
    ///
    /// - Throws: a ``RowDecodingError`` if the prefetched rows are missing.
    public func decode<Record: FetchableRecord & Hashable>(
        _ type: Set<Record>.Type = Set<Record>.self, forKey key: String
    ) throws -> Set<Record> {
        var records: Set<Record> = []
        try forEachPrefetchedRow(forKey: key) { records.insert(try RecordElements.element(of: $0)) }
        return records
    }

    func forEachPrefetchedRow(forKey key: String, _ body: (Row) throws -> Void) throws {
        guard let rows = prefetchedTree?[key] else {
            let keys = prefetchedRows.keys.sorted().joined(separator: ", ")
            throw RowDecodingError(
                reason: "prefetched rows \"\(key)\" are missing (the row has: \(keys)): include the association",
                row: self)
        }
        let walk = PrefetchedGroup.Walk(rows, of: self)
        for index in 0..<rows.count { try body(walk.row(at: index)) }
    }
}
