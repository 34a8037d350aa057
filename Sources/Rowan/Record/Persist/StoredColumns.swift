// The state of `updateChanges` for a record type: the columns that its records store, and the sets of changed columns.
// The second change of a column creates no set or text and reuses the storage of the
// previously compared containers (benchmark update-changes).

/// The columns that a record changes. Their hash is computed once: they are a part of the key of their plans.
@usableFromInline
final class ChangedColumns: Hashable {
    let names: Set<String>
    private let hash: Int

    init(_ names: Set<String>) {
        self.names = names
        hash = names.hashValue
    }

    @usableFromInline
    static func == (columns: ChangedColumns, other: ChangedColumns) -> Bool {
        columns === other || columns.hash == other.hash && columns.names == other.names
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// The columns that the records of a type store.
@usableFromInline
final class StoredColumns {
    /// The columns of the last record: the next one most likely has the same columns.
    @exclusivity(unchecked) private var columns: [String] = []
    /// The values of unused containers, whose storage is reused.
    @exclusivity(unchecked) private var spareValues: [[DatabaseValue]] = []
    /// The sets of changed columns, by their bits among `columns`.
    private var changes: [UInt64: ChangedColumns] = [:]
    @exclusivity(unchecked) private var lastChange: (mask: UInt64, columns: ChangedColumns)?

    private static let capacity = 64

    @usableFromInline
    func makeContainer() -> PersistenceContainer {
        let values = spareValues.popLast() ?? Array(repeating: .null, count: columns.count)
        return PersistenceContainer(expecting: columns, reusing: values)
    }

    /// Finishes the encoding of a record and expects its columns for the next one.
    @usableFromInline
    func finish(_ container: inout PersistenceContainer) {
        container.finish()
        if container.columns.isIdentical(to: columns) { return }
        columns = container.columns
        spareValues = []
        changes = [:]
        lastChange = nil
    }

    /// The columns whose values differ from the previous ones; nil if all values are equal.
    @usableFromInline
    func changes(_ container: PersistenceContainer, from previous: PersistenceContainer) -> ChangedColumns? {
        // Different columns, and more columns than an integer has bits, are compared by name.
        guard container.setCount <= UInt64.bitWidth, container.columns.isIdentical(to: columns),
            previous.columns.isIdentical(to: columns)
        else {
            let names = container.changes(from: previous).keys
            return names.isEmpty ? nil : ChangedColumns(Set(names))
        }
        var mask: UInt64 = 0
        container.values.withUnsafeBufferPointer { values in
            previous.values.withUnsafeBufferPointer { previous in
                for index in values.indices where !values[index].isStored(as: previous[index]) {
                    mask |= 1 &<< UInt64(truncatingIfNeeded: index)
                }
            }
        }
        return mask == 0 ? nil : changes(mask)
    }

    private func changes(_ mask: UInt64) -> ChangedColumns {
        if let lastChange, lastChange.mask == mask { return lastChange.columns }
        let known = changes[mask]
        let changed = known ?? ChangedColumns(Set(columns.indices.filter { mask >> $0 & 1 == 1 }.map { columns[$0] }))
        if known == nil {
            if changes.count >= Self.capacity { changes.removeAll() }
            changes[mask] = changed
        }
        lastChange = (mask, changed)
        return changed
    }

    /// Recycles the values of an unused container.
    @usableFromInline
    func recycle(_ container: inout PersistenceContainer) {
        guard spareValues.count < 2, container.values.count == columns.count else { return }
        spareValues.append(container.values)
        container.values = []
    }
}

extension Database {
    /// The values that a record stores. Each column that the last record also had costs a comparison and a store.
    @inlinable
    func stored<Stored: EncodableRecord>(_ record: Stored, _ columns: StoredColumns) throws -> PersistenceContainer {
        var container = columns.makeContainer()
        try record.encode(to: &container)
        columns.finish(&container)
        return container
    }
}
