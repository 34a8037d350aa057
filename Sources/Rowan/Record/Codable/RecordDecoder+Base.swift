// A key without a column, a scope or prefetched rows may decode the row itself: `{ author, books }` from the rows of
// authors. At most one key may do so, and only if other keys don't account for all of its columns. Otherwise, a
// misspelled or missing association would decode a record from the columns of another record.

extension RecordKeyedDecodingContainer {
    /// Decodes the row itself, as a part of the record: a record, or another type with keys if one of them is a column.
    ///
    /// - Throws: a ``RowDecodingError`` if the key can't decode the row itself, or an error of the part.
    func decodeBase<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T {
        let part = type as? any FetchableRecord.Type
        let strategy = (part ?? record).databaseColumnDecodingStrategy
        let columns = KeyProbe(names: row.layout.names, strategy: strategy).columns(of: type)
        guard part != nil || !columns.isEmpty else { throw missing(key, type, because: "") }
        try claimBase(key, type)
        return try releasingBase {
            let shared = sharedColumns(with: columns)
            guard shared.isEmpty else {
                throw missing(
                    key, type, because: ", and the row itself decodes other keys: \(shared.joined(separator: ", "))")
            }
            return try decode(type, keptPart(key, type, scope: nil))
        }
    }

    /// Runs the closure, which decodes the row itself. If it fails, another key may decode the row.
    func releasingBase<T>(_ decode: () throws -> T) throws -> T {
        do { return try decode() } catch {
            row.remembering().endClaim(of: owner)
            throw error
        }
    }

    /// Ensures that no other key decodes the row itself.
    func claimBase<T>(_ key: Key, _ type: T.Type) throws {
        if let other = row.remembering().claim(key.stringValue, of: owner) {
            throw missing(key, type, because: ", and the row itself decodes the key \"\(other)\"")
        }
    }

    /// The columns that are keys of both this record and its part, if the part has no other columns or the row has a
    /// scope without a key.
    private func sharedColumns(with columns: [String]) -> [String] {
        // If the type accepts any key, all columns are keys.
        guard Key(stringValue: "\u{0}") == nil else { return [] }
        let strategy = record.databaseColumnDecodingStrategy
        let shared = columns.filter { strategy.hasKey($0, of: Key.self) }
        // A scope without a key belongs to an association with another key, possibly this one.
        let hasUnknownScope = row.scopesTree.names.contains { Key(stringValue: $0) == nil }
        return shared.count == columns.count || hasUnknownScope ? shared : []
    }

    func missing<T>(_ key: Key, _ type: T.Type, because reason: String) -> RowDecodingError {
        var known = ["columns: \(row.layout.names.joined(separator: ", "))"]
        let (scopes, prefetched) = (row.scopesTree.names.sorted(), row.prefetchedRows.keys.sorted())
        if !scopes.isEmpty { known.append("scopes: \(scopes.joined(separator: ", "))") }
        if !prefetched.isEmpty { known.append("prefetched rows: \(prefetched.joined(separator: ", "))") }
        return RowDecodingError(
            reason:
                "could not decode \(T.self) for the key \"\(key.stringValue)\": the row has no such column, scope or "
                + "prefetched rows\(reason) (\(known.joined(separator: "; "))): include the association with this key",
            column: key.stringValue, row: row)
    }
}

/// A decoder that finds the columns that are keys of a record without decoding values.
private struct KeyProbe: Decoder {
    let names: [String]
    let strategy: DatabaseColumnDecodingStrategy
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private struct Answer: Error { let columns: [String] }

    /// The columns that are keys of a type. Empty if the type has no keys or accepts any key.
    func columns<T: Decodable>(of type: T.Type) -> [String] {
        do {
            _ = try T(from: self)
        } catch let answer as Answer {
            return answer.columns
        } catch {}
        // The keys of the type are unknown.
        return []
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard Key(stringValue: "\u{0}") == nil else { throw Answer(columns: []) }
        throw Answer(columns: names.filter { strategy.hasKey($0, of: Key.self) })
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Answer(columns: []) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Answer(columns: []) }
}
