// Records in rows: those of scopes, and of prefetched rows.

extension Row {
    /// The record of a scope.
    ///
    /// - Precondition: the row has this scope, and the record decodes. ``decode(_:forKey:)`` throws instead.
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
        do {
            return try decode(Record.self, forKey: scope)
        } catch {
            fatalError("\(error)")
        }
    }

    /// The record of a scope, nil if the scope is missing, or has but NULLs.
    ///
    /// - Precondition: the record decodes. ``decodeIfPresent(_:forKey:)`` throws instead.
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
        do {
            return try decodeIfPresent(Record.self, forKey: scope)
        } catch {
            fatalError("\(error)")
        }
    }

    /// Decodes the record of a scope.
    ///
    /// - Throws: ``RowDecodingError`` if there is no such scope, or if it has but NULLs.
    public func decode<Record: FetchableRecord>(
        _ type: Record.Type = Record.self, forKey scope: String
    ) throws -> Record {
        if let record = try decodeIfPresent(type, forKey: scope) { return record }
        let names = scopesTree.names.sorted().joined(separator: ", ")
        throw RowDecodingError(
            reason: "scope not found, or all NULL: \"\(scope)\" (the row has: \(names))", column: nil,
            sql: statement?.sql)
    }

    /// Decodes the record of a scope; nil if the scope is missing, or has but NULLs.
    public func decodeIfPresent<Record: FetchableRecord>(
        _ type: Record.Type = Record.self, forKey scope: String
    ) throws -> Record? {
        guard let row = scopesTree[scope], row.containsNonNullValue else { return nil }
        return try Record(row: row)
    }

    /// Decodes the records of prefetched rows.
    ///
    /// - Throws: ``RowDecodingError`` if there are no such rows.
    public func decode<Records: RangeReplaceableCollection>(
        _ type: Records.Type = Records.self, forKey key: String
    ) throws -> Records where Records.Element: FetchableRecord {
        guard let rows = prefetchedTree?[key] else {
            throw RowDecodingError(reason: "prefetched rows not found: \"\(key)\"", sql: statement?.sql)
        }
        let walk = PrefetchedGroup.Walk(rows, of: self)
        var records = Records()
        records.reserveCapacity(rows.count)
        for index in 0..<rows.count { records.append(try Records.Element(row: walk.row(at: index))) }
        return records
    }
}
