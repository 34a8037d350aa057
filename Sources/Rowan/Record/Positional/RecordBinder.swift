// How generated records store their values: directly in the parameters of a statement, or in a container if names are
// needed. `@inlinable`, so that the bindings are specialized in the user's module: benchmark insert-record.

public import RowanSQLite
public import RowanPlatform

/// Receives the values of a generated record type. For generated code only: called with the index of a property and its
/// value.
public struct RecordBinder {
    /// The statement; nil if the values are collected by name, or the key is looked for.
    @usableFromInline let statement: SQLiteStatement?
    /// The parameter of each property, or 0 for a property without one; nil if the parameters are the properties in
    /// order.
    @usableFromInline var places: UnsafePointer<CInt>?
    // The caller keeps them alive.
    @usableFromInline unowned(unsafe) let buffer: BindingBuffer?
    @usableFromInline unowned(unsafe) let layout: RecordLayout
    /// The first code other than SQLITE_OK.
    @usableFromInline var code = SQLITE_OK
    /// Receives values by name.
    @usableFromInline let container: UnsafeMutablePointer<PersistenceContainer>?
    /// Receives whether a column of the key is NULL.
    private let lacksKey: UnsafeMutablePointer<Bool>?

    /// Binds the parameters of a statement.
    init(_ statement: SQLiteStatement, _ places: UnsafePointer<CInt>?, _ buffer: BindingBuffer, _ layout: RecordLayout)
    {
        self.statement = statement
        self.places = places
        self.buffer = buffer
        self.layout = layout
        container = nil
        lacksKey = nil
    }

    /// Looks for the key, without storing anything.
    ///
    /// - Parameter places: 0 for each property that is no column of the key.
    init(key places: UnsafePointer<CInt>, _ lacksKey: UnsafeMutablePointer<Bool>, _ layout: RecordLayout) {
        statement = nil
        self.places = places
        buffer = nil
        self.layout = layout
        container = nil
        self.lacksKey = lacksKey
    }

    /// Collects values by name.
    init(_ container: UnsafeMutablePointer<PersistenceContainer>, _ layout: RecordLayout) {
        statement = nil
        places = nil
        buffer = nil
        self.layout = layout
        self.container = container
        lacksKey = nil
    }

    // MARK: Values

    /// Stores a value.
    @inlinable @inline(__always)
    public mutating func callAsFunction<Value: DatabaseValueConvertible>(_ index: Int, _ value: Value) throws {
        guard let statement else { return set(index, value.databaseValue) }
        if let parameter = parameter(index) { note(value.bind(to: statement, at: parameter)) }
    }

    /// Stores text.
    @inlinable @inline(__always)
    public mutating func callAsFunction(_ index: Int, _ value: String) throws {
        guard let statement else { return set(index, value.databaseValue) }
        if let parameter = parameter(index) { bind(value, statement, parameter) }
    }

    /// Stores text.
    @inlinable @inline(__always)
    public mutating func callAsFunction(_ index: Int, _ value: String?) throws {
        guard let statement else { return set(index, value.databaseValue) }
        guard let parameter = parameter(index) else { return }
        if let value { bind(value, statement, parameter) } else { note(sqlite3_bind_null(statement, parameter)) }
    }

    /// Stores a date as text.
    @inlinable @inline(__always)
    public mutating func callAsFunction(_ index: Int, _ value: Date) throws { bind(index, value) }

    /// Stores a date as text.
    @inlinable @inline(__always)
    public mutating func callAsFunction(_ index: Int, _ value: Date?) throws { bind(index, value) }

    /// Stores data as a blob.
    @inlinable @inline(__always)
    public mutating func callAsFunction(_ index: Int, _ value: Data) throws { bind(index, value.databaseValue) }

    /// Stores data as a blob.
    @inlinable @inline(__always)
    public mutating func callAsFunction(_ index: Int, _ value: Data?) throws { bind(index, value.databaseValue) }

    /// Stores a value in another storage than that of its type.
    @inlinable
    public mutating func callAsFunction<Storage: ColumnStorage>(
        _ index: Int, _ value: Storage.Value, as storage: Storage
    ) throws {
        if isNeeded(index) { bind(index, storage.databaseValue(of: value)) }
    }

    /// Stores a value in another storage than that of its type; nil as NULL.
    @inlinable
    public mutating func callAsFunction<Storage: ColumnStorage>(
        _ index: Int, _ value: Storage.Value?, as storage: Storage
    ) throws {
        if isNeeded(index) { bind(index, value.map(storage.databaseValue) ?? .null) }
    }

    /// Stores a Codable value: its single value, or JSON.
    ///
    /// - Throws: an encoding error.
    @_disfavoredOverload
    public mutating func callAsFunction<Value: Encodable>(_ index: Int, _ value: Value) throws {
        guard isNeeded(index) else { return }
        bind(index, try coding(index).encode(value, at: PlainCodingKey(stringValue: layout.names[index])))
    }

    /// Stores a Codable value; nil as NULL.
    ///
    /// - Throws: an encoding error.
    @_disfavoredOverload
    public mutating func callAsFunction<Value: Encodable>(_ index: Int, _ value: Value?) throws {
        guard isNeeded(index) else { return }
        guard let value else { return bind(index, .null) }
        bind(index, try coding(index).encode(value, at: PlainCodingKey(stringValue: layout.names[index])))
    }

    /// Stores a value as JSON.
    ///
    /// - Throws: an encoding error.
    public mutating func callAsFunction<Value: Encodable>(_ index: Int, _ value: Value, as storage: JSONStorage) throws
    {
        guard isNeeded(index) else { return }
        bind(index, try coding(index).encodeJSON(value))
    }

    /// Stores a value as JSON; nil as NULL.
    ///
    /// - Throws: an encoding error.
    public mutating func callAsFunction<Value: Encodable>(
        _ index: Int, _ value: Value?, as storage: JSONStorage
    ) throws {
        guard isNeeded(index) else { return }
        bind(index, try value.map { try coding(index).encodeJSON($0) } ?? .null)
    }

    // The compiler reports the types that the next two functions reject where the property is read.

    /// Rejects a storage of another type than that of the property.
    ///
    /// - Throws: a ``DatabaseError`` with the code SQLITE_MISUSE.
    public mutating func callAsFunction<Value>(_ index: Int, _ value: Value, as storage: some ColumnStorage) throws {
        throw unstorable(index, Value.self, "has another type than its storage")
    }

    /// Rejects a type that has no column.
    ///
    /// - Throws: a ``DatabaseError`` with the code SQLITE_MISUSE.
    @_disfavoredOverload
    public mutating func callAsFunction<Value>(_ index: Int, _ value: Value) throws {
        throw unstorable(index, Value.self, "has no column: make its type Codable, use @Column(as:), or add @Ignored")
    }

    private func unstorable(_ index: Int, _ type: any Any.Type, _ reason: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "the property stored in \(layout.names[index]), of type \(type), \(reason)")
    }

    private func coding(_ index: Int) -> ColumnCoding {
        ColumnCoding(record: layout.record as! any EncodableRecord.Type, column: layout.names[index])
    }

    // MARK: Parameters

    /// The parameter of a property; nil if the statement has none for it.
    @inlinable @inline(__always)
    func parameter(_ index: Int) -> CInt? {
        guard let places else { return CInt(truncatingIfNeeded: index &+ 1) }
        return places[index] == 0 ? nil : places[index]
    }

    /// Whether a property is stored. An update of some columns leaves the others unchanged.
    @inlinable @inline(__always)
    func isNeeded(_ index: Int) -> Bool { container != nil || parameter(index) != nil }

    @inlinable @inline(__always)
    mutating func note(_ code: CInt) { if code != SQLITE_OK, self.code == SQLITE_OK { self.code = code } }

    @usableFromInline
    func set(_ index: Int, _ value: @autoclosure () -> DatabaseValue) {
        if let container {
            container.pointee.set(layout.names[index], value())
        } else if parameter(index) != nil, value().isNull {
            lacksKey.unsafelyUnwrapped.pointee = true
        }
    }

    @usableFromInline
    mutating func bind(_ text: String, _ statement: SQLiteStatement, _ parameter: CInt) {
        // Without a copy: only text from another runtime is not contiguous.
        let code = text.utf8.withContiguousStorageIfAvailable { bind($0, statement, parameter) }
        if let code { return note(code) }
        note(text.withBytes { bind($0, statement, parameter) })
    }

    private func bind(_ text: UnsafeBufferPointer<UInt8>, _ statement: SQLiteStatement, _ parameter: CInt) -> CInt {
        guard let count = CInt(exactly: text.count) else { return SQLITE_TOOBIG }
        let place = buffer.unsafelyUnwrapped.append(text)
        return place.withMemoryRebound(to: CChar.self, capacity: text.count) {
            rowan_bind_static_text(statement, parameter, $0, count)
        }
    }

    @usableFromInline
    mutating func bind(_ index: Int, _ value: DatabaseValue) {
        guard let statement else { return set(index, value) }
        guard let parameter = parameter(index) else { return }
        switch value.storage {
        case .string(let text): bind(text, statement, parameter)
        case .blob(let data) where !data.isEmpty:
            guard let count = CInt(exactly: data.count) else { return note(SQLITE_TOOBIG) }
            let place = data.withUnsafeBytes { buffer.unsafelyUnwrapped.append($0.bindMemory(to: UInt8.self)) }
            note(rowan_bind_static_blob(statement, parameter, place, count))
        case .null, .int64, .double, .blob: note(value.bind(to: statement, at: parameter))
        }
    }

    @usableFromInline
    mutating func bind(_ index: Int, _ date: Date?) {
        guard let statement else { return set(index, date?.databaseValue ?? .null) }
        guard let parameter = parameter(index) else { return }
        guard let seconds = date?.timeIntervalSince1970, DateText.secondsOfWrittenYears.contains(seconds) else {
            return note((date?.databaseValue ?? .null).bind(to: statement, at: parameter))
        }
        note(DateText.withText(secondsSince1970: seconds) { bind($0, statement, parameter) })
    }
}

extension PersistenceContainer {
    /// Sets the values of a generated record. For generated code only.
    public mutating func _set<Record: PositionalRecord>(_ record: Record) throws {
        try withUnsafeMutablePointer(to: &self) { container in
            var binder = RecordBinder(container, Record._recordLayout)
            try record._bind(to: &binder)
        }
    }
}

/// Keeps the rowid of an insertion. For generated code only.
@inlinable
public func _keep<Value: FixedWidthInteger & DatabaseValueConvertible>(_ rowID: Int64, in key: inout Value?) {
    // A rowid that does not fit leaves the key unset, so the next update finds no row.
    key = Value(exactly: rowID)
}

/// Keeps the rowid of an insertion in a key of another type.
@inlinable
public func _keep<Value: DatabaseValueConvertible>(_ rowID: Int64, in key: inout Value?) {
    key = Value.fromDatabaseValue(rowID.databaseValue)
}

/// Keeps the rowid of an insertion in a key with its own storage.
@inlinable
public func _keep<Storage: ColumnStorage>(_ rowID: Int64, in key: inout Storage.Value?, as storage: Storage) {
    key = storage.value(from: .owned(rowID.databaseValue, strict: false))
}

/// Does nothing: the key can't hold a rowid, which is in another column of the table.
@inlinable
@_disfavoredOverload
public func _keep<Value>(_ rowID: Int64, in key: inout Value?) {}
