// What decoders remember from one row to the next: containers, where the parts of a record are, the rows of scopes, the
// columns of coding keys. It belongs to whoever moves the row object, a cursor or a walk over prefetched rows, which
// ends it: what is remembered may hold the row, and `Row.stopMoving` breaks that cycle.

/// What is remembered with a row object.
package final class RowMemory {
    /// The rows of scopes that were asked for. They move with the row.
    @exclusivity(unchecked) var scopes: [(name: String, row: Row)] = []

    /// The parts of records that decode from this row or from a scope, once they were looked for.
    @exclusivity(unchecked) private var parts: [Part] = []

    /// The columns of the coding keys of record types whose keys do not have the names of columns.
    @exclusivity(unchecked) private var columns: [(record: ObjectIdentifier, columns: [String: String])] = []

    /// The containers of record types and of their coding keys.
    @exclusivity(unchecked) private var containers: [KeptContainer] = []

    /// Which key of a record has decoded the row itself: only one may.
    @exclusivity(unchecked) private var claims: [Claim] = []

    /// The keys of a record type: a record may have several types of them.
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
        /// Whether the current row is the key's.
        var isCurrent = true
    }

    /// A property that is a record: where it decodes from. A class: it is handed out for each record.
    package class Part {
        package let key: String
        package let type: ObjectIdentifier
        package let owner: Owner
        /// nil for the row that remembers this.
        package let scope: Row?
        /// Where the property stands, for types that only decode.
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

    /// Notes that a key decodes the row itself.
    ///
    /// - Returns: the other key that already does; nil if the row is the key's.
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

    /// Another row, or the same one again, is about to be decoded.
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

    // MARK: Containers

    /// A container that serves all the rows of a cursor: making one costs as much as decoding two columns (benchmark
    /// fetch-place-codable).
    package class KeptContainer {
        fileprivate let owner: Owner
        /// The path that the container has; nil for that of a record.
        fileprivate let path: CodingPath?

        fileprivate init(_ owner: Owner, _ path: CodingPath?) {
            self.owner = owner
            self.path = path
        }

        /// The container, of the type of its keys.
        ///
        /// Only `TypedContainer` makes an owner with its keys: two pointers that are equal tell the type. A checked cast
        /// would look metadata up for each record, and cost more than decoding a column (benchmark fetch-codable).
        @inline(__always)
        package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
            precondition(owner.key == ObjectIdentifier(type), "a container of other keys")
            return unsafeDowncast(self, to: TypedContainer<Key>.self).container
        }
    }

    private final class TypedContainer<Key: CodingKey>: KeptContainer {
        let container: KeyedDecodingContainer<Key>

        init(_ container: KeyedDecodingContainer<Key>, of record: any Any.Type, _ path: CodingPath?) {
            self.container = container
            super.init(Owner(record: record, key: Key.self), path)
        }
    }

    @inline(__always)
    package func container(of owner: Owner, at path: CodingPath?) -> KeptContainer? {
        for kept in containers where kept.owner == owner && kept.path === path { return kept }
        return nil
    }

    package func keep<Key: CodingKey>(
        _ container: KeyedDecodingContainer<Key>, of record: any Any.Type, at path: CodingPath?
    ) {
        containers.append(TypedContainer(container, of: record, path))
    }
}

extension Row {
    /// What is remembered with this row, from now on.
    package func remembering() -> RowMemory {
        if let memory { return memory }
        let memory = RowMemory()
        self.memory = memory
        return memory
    }

    /// Makes the same object, and the rows of its scopes, another row of a batch.
    func move(to base: Int) {
        offset = base &+ layout.start
        guard let memory else { return }
        for scope in memory.scopes { scope.row.move(to: base) }
    }

    /// Forgets all: the object stays on its row from now on.
    package func stopMoving() {
        isMoved = false
        storage.prefetched?.forget()
        guard let memory else { return }
        self.memory = nil
        for scope in memory.scopes { scope.row.stopMoving() }
    }
}
