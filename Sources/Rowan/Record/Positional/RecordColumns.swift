// How generated records read their columns: by position if the row has the columns of the type, otherwise by name.
// `@inlinable`: benchmark fetch-record; the reads specialise in the user's module.

import CSQLite

/// The columns of a generated record type in a row. For generated code only: a call with the index of a property decodes
/// its column.
public struct RecordColumns {
    /// The statement of a live row with known positions; nil if another row is read.
    @usableFromInline let pointer: SQLiteStatement?
    /// The statement column of the first property.
    @usableFromInline let first: CInt
    /// Whether the row has the columns of the type, at the same positions.
    @usableFromInline let isPositional: Bool
    // The reader keeps them alive. One of the first two is there.
    @usableFromInline unowned(unsafe) let knownRow: Row?
    @usableFromInline unowned(unsafe) let statement: Statement?
    @usableFromInline unowned(unsafe) let layout: RecordLayout

    /// The columns of a row, by name.
    public init(_ row: Row, _ layout: RecordLayout?) {
        // Generated code passes the layout of its type.
        let layout = layout.unsafelyUnwrapped
        if row.hasPositions(of: layout) {
            self.init(positionsOf: row, layout)
        } else {
            self.init(pointer: nil, first: 0, isPositional: false, row, nil, layout)
        }
    }

    /// The columns of a row that has the columns of the type.
    @inlinable @inline(__always)
    init(positionsOf row: Row, _ layout: RecordLayout) {
        self.init(
            pointer: row.storage.pointer, first: CInt(truncatingIfNeeded: row.offset), isPositional: true, row, nil,
            layout)
    }

    /// The columns of the current row of a statement, which are those of the type.
    init(_ statement: Statement, _ layout: RecordLayout) {
        self.init(pointer: statement.handle, first: 0, isPositional: true, nil, statement, layout)
    }

    @inlinable @inline(__always)
    init(
        pointer: SQLiteStatement?, first: CInt, isPositional: Bool, _ row: Row?, _ statement: Statement?,
        _ layout: RecordLayout
    ) {
        self.pointer = pointer
        self.first = first
        self.isPositional = isPositional
        knownRow = row
        self.statement = statement
        self.layout = layout
    }

    /// The row. For a statement, it is created for each call.
    @usableFromInline
    var row: Row {
        if let knownRow { return knownRow }
        // A reader without a row has a statement.
        let storage = RowStorage(live: statement.unsafelyUnwrapped)
        return Row(layout: storage.columns, storage: storage)
    }

    /// The value of a property.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column, or a value that does not convert.
    @inlinable @inline(__always)
    public func callAsFunction<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value {
        if let pointer {
            let column = ColumnValue.statement(pointer, index: first &+ CInt(truncatingIfNeeded: index), strict: false)
            if let value = Value.fromColumn(column) { return value }
        } else if let value = owned(Value.self, index) {
            return value
        }
        return try decode(index)
    }

    /// The value of a copied row with known positions; nil if it does not convert. It is not inlined, but it specialises.
    @inlinable @inline(never)
    func owned<Value: DatabaseValueConvertible>(_ type: Value.Type, _ index: Int) -> Value? {
        isPositional ? row.value(type, at: index) : nil
    }

    @usableFromInline
    func decode<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value {
        try isPositional
            ? row.decode(Value.self, atIndex: index) : row.decode(Value.self, forColumn: layout.names[index])
    }

    /// The value of a property, in another storage than that of its type.
    ///
    /// - Throws: ``RowDecodingError`` for NULL, a missing column, or a value that does not convert.
    @inlinable
    public func callAsFunction<Storage: ColumnStorage>(_ index: Int, as storage: Storage) throws -> Storage.Value {
        if let pointer {
            let column = ColumnValue.statement(pointer, index: first &+ CInt(truncatingIfNeeded: index), strict: false)
            if !column.isNull, let value = storage.value(from: column) { return value }
            throw decodingError(Storage.Value.self, at: index)
        }
        guard let value: Storage.Value = try self(index, as: storage) else {
            throw try missingValue(Storage.Value.self, at: index)
        }
        return value
    }

    /// The same for an optional property: nil for NULL and for a missing column.
    @inlinable
    public func callAsFunction<Storage: ColumnStorage>(_ index: Int, as storage: Storage) throws -> Storage.Value? {
        if let pointer {
            let column = ColumnValue.statement(pointer, index: first &+ CInt(truncatingIfNeeded: index), strict: false)
            if column.isNull { return nil }
            if let value = storage.value(from: column) { return value }
            throw decodingError(Storage.Value.self, at: index)
        }
        return try value(index, storage)
    }

    @usableFromInline
    func value<Storage: ColumnStorage>(_ index: Int, _ storage: Storage) throws -> Storage.Value? {
        guard let column = knownIndex(index), !row.column(atUncheckedIndex: column).isNull else { return nil }
        if let value = storage.value(from: row.column(atUncheckedIndex: column)) { return value }
        throw decodingError(Storage.Value.self, at: column)
    }

    /// The error of a property without a value.
    @usableFromInline
    func missingValue(_ type: any Any.Type, at index: Int) throws -> any Error {
        decodingError(type, at: try columnIndex(index))
    }

    /// The value of a property of a Codable type: its single value, or JSON. For an optional, nil for NULL and for a
    /// missing column.
    ///
    /// - Throws: ``RowDecodingError`` for NULL, a missing column, or a value that does not decode.
    @_disfavoredOverload
    public func callAsFunction<Value: Decodable>(_ index: Int) throws -> Value {
        try CodableColumn(row, knownIndex(index), layout.names[index], recordType).decode()
    }

    /// The value of a property that is stored as JSON. For an optional, nil for NULL and for a missing column.
    ///
    /// - Throws: ``RowDecodingError`` for NULL, a missing column, or a value that does not decode.
    public func callAsFunction<Value: Decodable>(_ index: Int, as storage: JSONStorage) throws -> Value {
        try CodableColumn(row, knownIndex(index), layout.names[index], recordType).decodeJSON()
    }

    /// A storage of another type than that of the property: the compiler reports it.
    @available(*, unavailable, message: "the storage of @Column(as:) has another type than the property")
    public func callAsFunction<Value>(_ index: Int, as storage: some ColumnStorage) throws -> Value {
        fatalError("unavailable")
    }

    /// A type that has no column: the compiler reports it.
    @available(*, unavailable, message: "this type has no column: make it Codable, use @Column(as:), or add @Ignored")
    public func callAsFunction<Value>(_ index: Int) throws -> Value { fatalError("unavailable") }

    // Only a FetchableRecord has columns to read.
    private var recordType: any FetchableRecord.Type { layout.record as! any FetchableRecord.Type }

    @usableFromInline
    func decodingError(_ type: any Any.Type, at column: Int) -> any Error { row.decodingError(type, at: column) }

    /// The index of a property's column in the row.
    @usableFromInline
    func columnIndex(_ index: Int) throws -> Int {
        guard let column = knownIndex(index) else { throw row.missingColumnError(layout.names[index]) }
        return column
    }

    @inlinable
    func knownIndex(_ index: Int) -> Int? { isPositional ? index : indexByName(index) }

    @usableFromInline
    func indexByName(_ index: Int) -> Int? { row.index(ofColumn: layout.names[index]) }
}
