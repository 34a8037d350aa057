// How `@Selection` types read their members: columns, records of scopes or of the row itself, and prefetched records. The
// place of each member is found once per execution (benchmarks join-belongs-to-record, include-all-record).

/// The places of the members of a selection in a row.
@usableFromInline
final class MemberPlaces {
    enum Place {
        case unknown
        /// A column of the row; nil if there is none.
        case column(Int?)
        case scope(Row)
        /// No scope has the name.
        case noScope
        /// The row itself. The place must not retain it.
        case base
    }

    let layout: RecordLayout
    @exclusivity(unchecked) var places: [Place]
    /// The member that is the row itself. There is at most one.
    @exclusivity(unchecked) var base: Int?

    init(_ layout: RecordLayout) {
        self.layout = layout
        places = Array(repeating: .unknown, count: layout.names.count)
    }
}

/// The members of a `@Selection` type in a row. For generated code only: a call with the index of a member decodes it.
public struct RecordMembers {
    @usableFromInline let row: Row
    private let places: MemberPlaces

    /// The members of a row.
    public init(_ row: Row, _ layout: RecordLayout) {
        self.row = row
        // Only this initializer sets it.
        let known = row.memory?.memberPlaces.map { unsafeDowncast($0, to: MemberPlaces.self) }
        if let known, known.layout === layout {
            places = known
        } else {
            places = MemberPlaces(layout)
            if row.isMoved { row.remembering().memberPlaces = places }
        }
    }

    // MARK: Values

    /// The value of a column.
    ///
    /// - Throws: ``RowDecodingError`` for a missing column or a value that can't be converted.
    @inlinable
    public func callAsFunction<Value: DatabaseValueConvertible>(_ index: Int) throws -> Value {
        if let column = column(index), let value = row.value(Value.self, at: column) { return value }
        return try property(index).decode()
    }

    /// The value of a column with its own storage; nil for NULL and for a missing column.
    ///
    /// - Throws: ``RowDecodingError`` for a value that can't be converted.
    public func callAsFunction<Storage: ColumnStorage>(_ index: Int, as storage: Storage) throws -> Storage.Value? {
        try property(index).decodeIfPresent(as: storage)
    }

    /// The value of a column with its own storage, for a member that is not optional.
    ///
    /// - Throws: ``RowDecodingError`` for NULL, a missing column, or a value that can't be converted.
    public func callAsFunction<Storage: ColumnStorage>(_ index: Int, as storage: Storage) throws -> Storage.Value {
        try property(index).decodeIfPresent(as: storage).orThrow(property(index).error(Storage.Value.self))
    }

    /// The value of a column of a Codable type: its single value, or JSON. An optional is nil for NULL and for a
    /// missing column.
    ///
    /// - Throws: ``RowDecodingError`` for NULL, a missing column, or a value that can't be decoded.
    @_disfavoredOverload
    public func callAsFunction<Value: Decodable>(_ index: Int) throws -> Value {
        try property(index).decode(codable: Value.self)
    }

    /// The value of a column that stores JSON. An optional is nil for NULL and for a missing column.
    ///
    /// - Throws: ``RowDecodingError`` for NULL, a missing column, or a value that can't be decoded.
    public func callAsFunction<Value: Decodable>(_ index: Int, as storage: JSONStorage) throws -> Value {
        try property(index).decodeJSON()
    }

    // MARK: Records

    /// A record of the scope with the name of the member or, without such a scope, of the row itself.
    ///
    /// - Throws: ``RowDecodingError`` if the scope contains only NULL values, or if another member is the row itself.
    @inlinable
    public func callAsFunction<Record: FetchableRecord>(_ index: Int) throws -> Record {
        try RecordElements<Record>.element(of: part(index, Record.self))
    }

    /// The record of a scope; nil if the scope is missing or contains only NULL values.
    @inlinable
    public func callAsFunction<Record: FetchableRecord>(_ index: Int) throws -> Record? {
        guard let part = try partIfPresent(index, Record.self) else { return nil }
        return try RecordElements<Record>.element(of: part)
    }

    /// Prefetched records.
    ///
    /// - Throws: ``RowDecodingError`` if the row has no prefetched rows with this name.
    @inlinable
    public func callAsFunction<Records: RangeReplaceableCollection>(_ index: Int) throws -> Records
    where Records.Element: FetchableRecord {
        var records = Records()
        try forEachRow(index) { records.append(try RecordElements<Records.Element>.element(of: $0)) }
        return records
    }

    /// The set of prefetched records.
    ///
    /// - Throws: ``RowDecodingError`` if the row has no prefetched rows with this name.
    @inlinable
    public func callAsFunction<Record: FetchableRecord & Hashable>(_ index: Int) throws -> Set<Record> {
        var records: Set<Record> = []
        try forEachRow(index) { records.insert(try RecordElements<Record>.element(of: $0)) }
        return records
    }

    /// A type that is neither a value nor a record, which the compiler reports.
    @available(*, unavailable, message: "neither a value nor a record: conform the type to FetchableRecord or Codable")
    public func callAsFunction<Value>(_ index: Int) throws -> Value { throw property(index).error(Value.self) }

    // MARK: Places

    @usableFromInline
    func property(_ index: Int) -> PropertyColumn {
        PropertyColumn(row, column(index), places.layout.names[index], of: places.layout.record)
    }

    /// The column of a member; nil if the row has none.
    @usableFromInline
    func column(_ index: Int) -> Int? {
        if case .column(let column) = places.places[index] { return column }
        let column = row.index(ofColumn: places.layout.names[index])
        places.places[index] = .column(column)
        return column
    }

    /// The row of a record.
    @usableFromInline
    func part(_ index: Int, _ type: any Any.Type) throws -> Row {
        switch place(index) {
        case .scope(let scope):
            guard scope.holds(type) else { throw onlyNull(index) }
            return scope
        case .base: return row
        case .noScope, .unknown, .column:
            if let base = places.base { throw twoBases(index, base) }
            places.base = index
            places.places[index] = .base
            return row
        }
    }

    /// The row of a scope; nil if it is missing or contains only NULL values.
    @usableFromInline
    func partIfPresent(_ index: Int, _ type: any Any.Type) throws -> Row? {
        guard case .scope(let scope) = place(index), scope.holds(type) else { return nil }
        return scope
    }

    private func place(_ index: Int) -> MemberPlaces.Place {
        let known = places.places[index]
        guard case .unknown = known else { return known }
        let place: MemberPlaces.Place = row.scopesTree[places.layout.names[index]].map { .scope($0) } ?? .noScope
        places.places[index] = place
        return place
    }

    @usableFromInline
    func forEachRow(_ index: Int, _ body: (Row) throws -> Void) throws {
        try row.forEachPrefetchedRow(forKey: places.layout.names[index], body)
    }

    // MARK: Errors

    private func onlyNull(_ index: Int) -> any Error {
        RowDecodingError(
            reason: "scope \"\(places.layout.names[index])\" contains only NULL values: declare the member of "
                + "\(places.layout.record) as an optional", row: row)
    }

    private func twoBases(_ index: Int, _ base: Int) -> any Error {
        let names = places.layout.names
        let scopes = row.scopesTree.names.sorted().joined(separator: ", ")
        return RowDecodingError(
            reason:
                "\(places.layout.record): the row has no scope \"\(names[index])\" and no scope \"\(names[base])\", and only "
                + "one of them can be the row itself (the row has: \(scopes)): include the association with this key",
            column: names[index], row: row)
    }
}
