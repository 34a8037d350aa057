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

    /// A property that is a record: where it decodes from, and its type if it builds itself from rows.
    package struct Part {
        package let key: String
        package let type: ObjectIdentifier
        /// nil for the row that remembers this.
        package let scope: Row?
        package let record: (any RowDecodable.Type)?

        package init(key: String, type: ObjectIdentifier, scope: Row?, record: (any RowDecodable.Type)?) {
            self.key = key
            self.type = type
            self.scope = scope
            self.record = record
        }
    }

    // MARK: Parts of records

    package func part(_ key: String, _ type: ObjectIdentifier) -> Part? {
        for part in parts where part.type == type && part.key == key { return part }
        return nil
    }

    package func keep(_ part: Part) { parts.append(part) }

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
    private class KeptContainer {
        let record: ObjectIdentifier
        let key: ObjectIdentifier

        init(record: ObjectIdentifier, key: ObjectIdentifier) {
            self.record = record
            self.key = key
        }
    }

    /// Only this class has `Key` as its key: two pointers that are equal tell the type. A checked cast would look the
    /// metadata of the class up for each record, and cost more than decoding a column (benchmark fetch-codable).
    private final class TypedContainer<Key: CodingKey>: KeptContainer {
        let container: KeyedDecodingContainer<Key>

        init(_ container: KeyedDecodingContainer<Key>, record: ObjectIdentifier) {
            self.container = container
            super.init(record: record, key: ObjectIdentifier(Key.self))
        }
    }

    /// The container of a record type and of its keys, which the closure makes for the first row.
    ///
    /// It returns no optional, whose metadata would be looked up for each record (benchmark fetch-codable).
    package func container<Key: CodingKey>(
        of record: ObjectIdentifier, keyedBy type: Key.Type, make: () -> KeyedDecodingContainer<Key>
    ) -> KeyedDecodingContainer<Key> {
        let key = ObjectIdentifier(type)
        for kept in containers where kept.key == key && kept.record == record {
            return unsafeDowncast(kept, to: TypedContainer<Key>.self).container
        }
        let container = make()
        containers.append(TypedContainer(container, record: record))
        return container
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
