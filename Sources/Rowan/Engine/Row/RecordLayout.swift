// The columns of a record or a selection that a macro has generated: known names in a known order. Rows whose columns have the
// same names at the same positions are read by position, without any lookup.

import Synchronization

/// The columns of a generated record or selection, in the order of its properties. For generated code only.
public final class RecordLayout: Sendable {
    /// The record type.
    package let record: any Any.Type
    /// The names of the columns.
    package let names: [String]
    /// The columns that the database computes.
    package let generated: Set<Int>
    /// The columns that the type declares as its primary key.
    package let keys: [Int]
    /// The columns that store JSON, whatever their type.
    private let json: Set<Int>
    /// The property that keeps the rowid of an insertion.
    package let rowIDProperty: Int?
    /// Whether a property keeps the rowid of an insertion.
    @usableFromInline var keepsRowID: Bool { rowIDProperty != nil }
    /// Whether the generated code reads rows. Otherwise the type has an initializer of its own.
    package let readsRows: Bool
    /// Whether the generated code stores values. Otherwise the type has an `encode(to:)` of its own.
    package let writesColumns: Bool
    /// The storages that the type has chosen.
    private let storages: [ChosenStorage]
    /// The columns that the type declares as references.
    package let references: [Reference]

    /// Creates the layout of a type.
    ///
    /// - Parameters:
    ///   - record: the type.
    ///   - names: the names of the columns, distinct for SQLite.
    ///   - storages: the columns with another storage than that of their type.
    ///   - references: the columns that the type declares as references.
    ///   - generated: the indexes of the columns that the database computes.
    ///   - json: the indexes of the columns that store JSON, whatever their type.
    ///   - keys: the indexes of the columns that the type declares as its primary key.
    ///   - rowID: the property that keeps the rowid of an insertion.
    ///   - readsRows: whether the generated code reads rows.
    ///   - writesColumns: whether the generated code stores values.
    public init(
        _ record: any Any.Type, _ names: [String], storages: [ChosenStorage] = [], references: [Reference] = [],
        generated: [Int] = [], json: [Int] = [], keys: [Int] = [], rowID: Int? = nil, readsRows: Bool = true,
        writesColumns: Bool = true
    ) {
        self.record = record
        self.names = names
        self.storages = storages
        self.references = references
        self.generated = Set(generated)
        self.json = Set(json)
        self.keys = keys
        rowIDProperty = rowID
        self.readsRows = readsRows
        self.writesColumns = writesColumns
    }

    /// The columns as a selection.
    package var selection: [any SQLSelectable] { names.map { Column($0) } }

    /// Whether some columns have another storage than that of their type.
    package var hasStorages: Bool { !storages.isEmpty }

    /// Whether a column stores JSON, whatever its type.
    package func storesJSON(_ index: Int) -> Bool { json.contains(index) }

    /// The storage that the type has chosen for a column; nil for that of the property's type.
    package func storageType(ofColumn column: String) -> (any Any.Type)? { storage(of: column)?.type }

    /// A column with another storage than that of its type.
    public struct ChosenStorage: Sendable {
        let column: String
        let type: any Any.Type
        let encode: @Sendable (any Any) -> DatabaseValue?
        let convert: @Sendable (DatabaseValue) -> DatabaseValue?
    }

    /// A column that refers to another table, with the actions of its foreign key in SQL; nil for those that the type does
    /// not name.
    public struct Reference: Sendable {
        package let column: String
        package let table: @Sendable () -> String
        package let onDelete: String?
        package let onUpdate: String?

        package init(column: String, table: @escaping @Sendable () -> String, onDelete: String?, onUpdate: String?) {
            (self.column, self.table, self.onDelete, self.onUpdate) = (column, table, onDelete, onUpdate)
        }
    }

    /// The value that a column stores; nil if the type of the column stores it.
    package func storedValue(_ value: some Any, forColumn column: String) -> DatabaseValue? {
        storage(of: column)?.encode(value)
    }

    /// The value that a column stores instead of that of the value's type; nil if the column has no storage of its own.
    package func storedValue(_ value: DatabaseValue, ofColumn column: String) -> DatabaseValue? {
        storage(of: column)?.convert(value)
    }

    private func storage(of column: String) -> ChosenStorage? {
        storages.first { $0.column.isSameDatabaseName(as: column) }
    }
}

extension RecordLayout {
    /// The layouts of generic types, which have no static stored properties.
    private static let shared = Mutex<[ObjectIdentifier: RecordLayout]>([:])

    /// The layout of a generic type, created once.
    public static func shared(by type: any Any.Type, _ make: () -> RecordLayout) -> RecordLayout {
        if let known = shared.withLock({ $0[ObjectIdentifier(type)] }) { return known }
        // Two threads may make one: both are the same.
        let layout = make()
        return shared.withLock { layouts in
            if let known = layouts[ObjectIdentifier(type)] { return known }
            layouts[ObjectIdentifier(type)] = layout
            return layout
        }
    }
}

/// A column with another storage than that of its type. For generated code only.
public func _storage<Storage: ColumnStorage>(_ column: String, _ storage: Storage) -> RecordLayout.ChosenStorage {
    RecordLayout.ChosenStorage(
        column: column, type: Storage.self,
        encode: { value in (value as? Storage.Value).map(storage.databaseValue) },
        convert: { value in
            guard let type = Storage.Value.self as? any DatabaseValueConvertible.Type else { return nil }
            return (type.fromDatabaseValue(value) as? Storage.Value).map(storage.databaseValue)
        })
}

extension Row {
    /// Whether the columns of the row start with those of a record type, at the same positions. Rows of strict
    /// conversions, and adapted rows whose columns are not adjacent, are read by name.
    @inlinable @inline(__always)
    package func hasPositions(of layout: RecordLayout) -> Bool {
        if let memory, memory.comparedLayout == ObjectIdentifier(layout) { return memory.hasComparedPositions }
        return comparePositions(with: layout)
    }

    /// Compares the columns, and remembers the answer for the rows that the object moves to.
    @usableFromInline
    func comparePositions(with record: RecordLayout) -> Bool {
        let hasPositions = !storage.source.isStrict && layout.hasPositions(of: record)
        guard isMoved else { return hasPositions }
        let memory = remembering()
        (memory.comparedLayout, memory.hasComparedPositions) = (ObjectIdentifier(record), hasPositions)
        return hasPositions
    }
}

extension ColumnLayout {
    /// Whether the columns are adjacent, and start with those of a record type.
    func hasPositions(of record: RecordLayout) -> Bool {
        record.readsRows && indexes == nil && names.count >= record.names.count
            && zip(names, record.names).allSatisfy { $0 == $1 || $0.isSameDatabaseName(as: $1) }
    }
}
