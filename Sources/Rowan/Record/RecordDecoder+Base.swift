// A key without column, scope or prefetched rows may decode the row itself: `{ author, books }` from the rows of authors.
// One key at most, and none whose columns are all explained by other keys: with a misspelt or a forgotten association, a
// record would be made from the columns of another one.

extension RecordKeyedDecodingContainer {
    /// Decodes the row itself, as a part of the record.
    ///
    /// - Throws: ``RowDecodingError`` if the key can't mean the row, or the error of the part.
    func decodeBase<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T {
        guard let part = type as? any (FetchableRecord & Decodable).Type else {
            throw missing(key, type, because: "")
        }
        try claimBase(key, type)
        return try releasingBase {
            let shared = sharedColumns(with: part)
            guard shared.isEmpty else {
                throw missing(
                    key, type, because: ", and the row itself decodes other keys: \(shared.joined(separator: ", "))")
            }
            return try decode(type, keptPart(key, type, scope: nil))
        }
    }

    /// Runs the closure, which decodes the row itself. If it fails, another key may try.
    func releasingBase<T>(_ decode: () throws -> T) throws -> T {
        do { return try decode() } catch {
            row.remembering().endClaim(of: owner)
            throw error
        }
    }

    /// Makes sure that no other key decodes the row itself.
    func claimBase<T>(_ key: Key, _ type: T.Type) throws {
        if let other = row.remembering().claim(key.stringValue, of: owner) {
            throw missing(key, type, because: ", and the row itself decodes the key \"\(other)\"")
        }
    }

    /// The columns that are keys of this record and of its part, if the part has no others, or if the row has a scope that
    /// no key names.
    private func sharedColumns(with part: any (FetchableRecord & Decodable).Type) -> [String] {
        // Keys of any name tell nothing.
        guard Key(stringValue: "\u{0}") == nil else { return [] }
        let strategy = record.databaseColumnDecodingStrategy
        let names = row.layout.names.filter { strategy.hasKey($0, of: Key.self) }
        guard !names.isEmpty else { return [] }
        let columns = KeyProbe.columns(row.layout.names, of: part)
        let shared = names.filter(columns.contains)
        // A scope that no key names is an association with another key: perhaps this one.
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
                + "prefetched rows\(reason) (\(known.joined(separator: "; "))). Include the association, with this key",
            column: key.stringValue, sql: row.statement?.sql)
    }
}

/// A decoder that tells which columns are keys of a record, and decodes nothing.
private struct KeyProbe: Decoder {
    let names: [String]
    let strategy: DatabaseColumnDecodingStrategy
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private struct Answer: Error { let columns: [String] }

    static func columns(_ names: [String], of record: any (FetchableRecord & Decodable).Type) -> [String] {
        do {
            _ = try record.init(
                from: KeyProbe(names: names, strategy: record.databaseColumnDecodingStrategy))
        } catch let answer as Answer {
            return answer.columns
        } catch {}
        // The record does not say which keys it has.
        return []
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard Key(stringValue: "\u{0}") == nil else { throw Answer(columns: []) }
        throw Answer(columns: names.filter { strategy.hasKey($0, of: Key.self) })
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Answer(columns: []) }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Answer(columns: []) }
}
