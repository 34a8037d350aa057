// The state that decoders keep between rows: containers, parts of records, rows of scopes, columns of coding keys,
// decoders of JSON columns. It belongs to the owner that moves the row object: a cursor or a walk over prefetched rows.
// The owner must clear it, because the memory may hold the row: `Row.stopMoving` breaks that cycle.

/// The state kept with a row object.
@usableFromInline
package final class RowMemory {
    /// The last record layout compared with the columns, and whether the columns have its positions.
    @exclusivity(unchecked) @usableFromInline var comparedLayout: ObjectIdentifier?
    @exclusivity(unchecked) @usableFromInline var hasComparedPositions = false

    /// The positions of the last selection's members.
    @exclusivity(unchecked) package var memberPlaces: AnyObject?

    /// The requested scope rows. They move with the row.
    @exclusivity(unchecked) var scopes: [(name: String, row: Row)] = []

    /// The parts of records that are decoded from this row or a scope.
    @exclusivity(unchecked) private var parts: [Part] = []

    /// The columns of the coding keys, for record types whose keys are not column names.
    @exclusivity(unchecked) private var columns: [(record: ObjectIdentifier, columns: [String: String])] = []

    /// The decoders of JSON columns.
    @exclusivity(unchecked) private var jsonDecoders:
        [(record: ObjectIdentifier, column: Int, decoder: JSONColumnDecoder)] = []

    /// The containers of record types and of their coding keys.
    @exclusivity(unchecked) private var containers: [KeptContainer] = []

    /// For each record type, the key of the property that was decoded from the row itself rather than from a scope: two
    /// properties of a record can't both use the row.
    @exclusivity(unchecked) private var claims: [Claim] = []

    /// One coding key type of a record type, which may have several.
    package struct Owner: Equatable {
        let record: ObjectIdentifier
        let key: ObjectIdentifier

        package init(record: any Any.Type, key: any Any.Type) {
            self.record = ObjectIdentifier(record)
            self.key = ObjectIdentifier(key)
        }
    }

    private struct Claim {
        let owner: Owner
        var key: String
        /// Whether the claim applies to the current row.
        var isCurrent = true
    }

    /// A property that is a record, and the row it is decoded from. It is a class because each record retrieves it.
    package class Part {
        package let key: String
        package let type: ObjectIdentifier
        package let owner: Owner
        /// The scope that the part is decoded from; nil for the row that owns this memory.
        package let scope: Row?
        /// The path of the property, for types that are only Decodable.
        package let path: CodingPath

        package init(_ key: some CodingKey, _ type: any Any.Type, of owner: Owner, scope: Row?, path: CodingPath?) {
            self.key = key.stringValue
            self.type = ObjectIdentifier(type)
            self.owner = owner
            self.scope = scope
            self.path = CodingPath(path, key)
        }
    }

    // MARK: Parts of records

    package func part(_ key: String, _ type: ObjectIdentifier, of owner: Owner) -> Part? {
        for part in parts where part.type == type && part.key == key && part.owner == owner { return part }
        return nil
    }

    package func keep(_ part: Part) { parts.append(part) }

    // MARK: Keys that decode the row itself

    /// Records that a key is decoded from the row itself.
    ///
    /// - Returns: the key already decoded from the row, or nil.
    package func claim(_ key: String, of owner: Owner) -> String? {
        for index in claims.indices where claims[index].owner == owner {
            if claims[index].key != key {
                if claims[index].isCurrent { return claims[index].key }
                claims[index].key = key
            }
            claims[index].isCurrent = true
            return nil
        }
        claims.append(Claim(owner: owner, key: key))
        return nil
    }

    /// Resets the claims before another row, or the same row again, is decoded.
    @inline(__always)
    package func endClaim(of owner: Owner) {
        if !claims.isEmpty { end(owner) }
    }

    private func end(_ owner: Owner) {
        for index in claims.indices where claims[index].owner == owner { claims[index].isCurrent = false }
    }

    // MARK: Columns of coding keys

    package func columns(of record: ObjectIdentifier) -> [String: String]? {
        for kept in columns where kept.record == record { return kept.columns }
        return nil
    }

    package func keep(_ columns: [String: String], of record: ObjectIdentifier) {
        self.columns.append((record, columns))
    }

    // MARK: JSON columns

    package func jsonDecoder(of record: ObjectIdentifier, at column: Int) -> JSONColumnDecoder? {
        for kept in jsonDecoders where kept.column == column && kept.record == record { return kept.decoder }
        return nil
    }

    package func keep(_ decoder: JSONColumnDecoder, of record: ObjectIdentifier, at column: Int) {
        jsonDecoders.append((record, column, decoder))
    }

    // MARK: Containers

    /// A container reused for all rows of a cursor: creating one costs as much as decoding two columns (benchmark
    /// fetch-place-codable).
    package class KeptContainer {
        fileprivate let owner: Owner
        /// The path of the container; nil for the container of a record.
        fileprivate let path: CodingPath?

        fileprivate init(_ owner: Owner, _ path: CodingPath?) {
            self.owner = owner
            self.path = path
        }

        /// The container for its key type.
        ///
        /// Only `keep` creates an owner from its keys, so equal identifiers imply the type. A checked cast would look
        /// up metadata for each record, which costs more than decoding a column (benchmark fetch-codable).
        @inline(__always)
        package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
            precondition(owner.key == ObjectIdentifier(type), "this container has another type of coding keys")
            return unsafeDowncast(self, to: TypedContainer<KeyedDecodingContainer<Key>>.self).copy()
        }
    }

    /// Generic over the container itself, so that the object carries the metadata needed for copying. With only the key
    /// type, each copy would look them up.
    private final class TypedContainer<Container>: KeptContainer {
        private let container: Container

        init(_ container: Container, _ owner: Owner, _ path: CodingPath?) {
            self.container = container
            super.init(owner, path)
        }

        // If inlined, it would look up the metadata again.
        @inline(never)
        func copy() -> Container { container }
    }

    @inline(__always)
    package func container(of owner: Owner, at path: CodingPath?) -> KeptContainer? {
        for kept in containers where kept.owner == owner && kept.path === path { return kept }
        return nil
    }

    package func keep<Key: CodingKey>(
        _ container: KeyedDecodingContainer<Key>, of record: any Any.Type, at path: CodingPath?
    ) {
        containers.append(TypedContainer(container, Owner(record: record, key: Key.self), path))
    }
}

extension Row {
    /// The memory of this row, created if necessary.
    package func remembering() -> RowMemory {
        if let memory { return memory }
        let memory = RowMemory()
        self.memory = memory
        return memory
    }

    /// Moves the object and its scope rows to another row of a batch.
    func move(to base: Int) {
        offset = base &+ layout.start
        guard let memory else { return }
        for scope in memory.scopes { scope.row.move(to: base) }
    }

    /// Clears the memory. The object remains on its current row.
    package func stopMoving() {
        isMoved = false
        storage.prefetched?.forget()
        guard let memory else { return }
        self.memory = nil
        for scope in memory.scopes { scope.row.stopMoving() }
    }
}
