// How generated records read their columns: by position if the row has the columns of the type; otherwise, by name.
// `@inlinable`, so that the reads are specialized in the user's module: benchmark fetch-record.

import RowanSQLite

/// The columns of a generated record type in a row. For generated code only: a call with the index of a property decodes
/// its column.
public struct RecordColumns {
    /// The statement of a live row with known positions; nil if another row is read.
    @usableFromInline let pointer: SQLiteStatement?
    /// The statement column of the first property.
    @usableFromInline let first: CInt
    /// Whether the row has the columns of the type, at the same positions.
    @usableFromInline let isPositional: Bool
    // The reader keeps them alive. At least one of the first two is set.
    @usableFromInline unowned(unsafe) let knownRow: Row?
    @usableFromInline unowned(unsafe) let statement: Statement?
    @usableFromInline unowned(unsafe) let layout: RecordLayout

    /// The columns of a row, by position if possible; otherwise, by name.
    public init(_ row: Row, _ layout: RecordLayout) {
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
    /// - Throws: ``RowDecodingError`` for a missing column or a value that can't be converted.
    @inlinable @inline(__always)
    public func callAsFunction<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value {
        if let pointer {
            if let value = Value.fromColumn(column(pointer, index)) { return value }
        } else if let value = copied(Value.self, index) {
            return value
        }
        return try property(index).decode()
    }

    /// The value of a property with its own storage; nil for NULL and for a missing column.
    ///
    /// - Throws: ``RowDecodingError`` for a value that can't be converted.
    @inlinable
    public func callAsFunction<Storage: ColumnStorage>(_ index: Int, as storage: Storage) throws -> Storage.Value? {
        guard let pointer else { return try property(index).decodeIfPresent(as: storage) }
        let column = column(pointer, index)
        if column.isNull { return nil }
        if let value = storage.value(from: column) { return value }
        throw property(index).error(Storage.Value.self)
    }

    /// The value of a non-optional property with its own storage.
    ///
    /// - Throws: ``RowDecodingError`` for NULL, a missing column, or a value that can't be converted.
    @inlinable
    public func callAsFunction<Storage: ColumnStorage>(_ index: Int, as storage: Storage) throws -> Storage.Value {
        let value: Storage.Value? = try self(index, as: storage)
        if let value { return value }
        throw property(index).error(Storage.Value.self)
    }

    // Not only Decodable: the compiler reports here what can't be written.
    /// The value of a property of a Codable type: its single value, or JSON. An optional is nil for NULL and for a
    /// missing column.
    ///
    /// - Throws: ``RowDecodingError`` for NULL, a missing column, or a value that can't be decoded.
    @_disfavoredOverload
    public func callAsFunction<Value: Codable>(_ index: Int) throws -> Value {
        try property(index).decode(codable: Value.self)
    }

    /// The value of a property that is stored as JSON. An optional is nil for NULL and for a missing column.
    ///
    /// - Throws: ``RowDecodingError`` for NULL, a missing column, or a value that can't be decoded.
    public func callAsFunction<Value: Decodable>(_ index: Int, as storage: JSONStorage) throws -> Value {
        try property(index).decodeJSON()
    }

    /// A storage of another type than that of the property, which the compiler reports.
    @available(*, unavailable, message: "the storage of @Column(as:) has another type than the property")
    public func callAsFunction<Value>(_ index: Int, as storage: some ColumnStorage) throws -> Value {
        throw property(index).error(Value.self)
    }

    /// An enum that has no column, which the compiler reports.
    @available(
        *, unavailable,
        message:
            "this type has no column: conform it to DatabaseValueConvertible, as in `enum Kind: String, DatabaseValueConvertible`"
    )
    public func callAsFunction<Value: RawRepresentable>(_ index: Int) throws -> Value {
        throw property(index).error(Value.self)
    }

    /// An optional enum that has no column, which the compiler reports.
    @available(
        *, unavailable,
        message:
            "this type has no column: conform it to DatabaseValueConvertible, as in `enum Kind: String, DatabaseValueConvertible`"
    )
    public func callAsFunction<Value: RawRepresentable>(_ index: Int) throws -> Value? {
        throw property(index).error(Value.self)
    }

    /// A type that has no column, which the compiler reports.
    @available(
        *, unavailable,
        message:
            "this type has no column: make it Codable, give an enum a raw value and DatabaseValueConvertible, use @Column(as:), or add @Ignored"
    )
    public func callAsFunction<Value>(_ index: Int) throws -> Value { throw property(index).error(Value.self) }

    // MARK: Columns

    @inlinable @inline(__always)
    func column(_ pointer: SQLiteStatement, _ index: Int) -> ColumnValue {
        .statement(pointer, index: first &+ CInt(truncatingIfNeeded: index), strict: false)
    }

    /// The value of a copied row with known positions; nil if it can't be converted. Not inlined, but specialized.
    @inlinable @inline(never)
    func copied<Value: DatabaseValueConvertible>(_ type: Value.Type, _ index: Int) -> Value? {
        isPositional ? row.value(type, at: index) : nil
    }

    /// The column of a property, for all reads that are slower than these.
    @usableFromInline
    func property(_ index: Int) -> PropertyColumn {
        let (row, name) = (row, layout.names[index])
        return PropertyColumn(row, isPositional ? index : row.index(ofColumn: name), name, of: layout.record)
    }
}
