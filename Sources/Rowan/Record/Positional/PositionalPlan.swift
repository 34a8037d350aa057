// Values by position: the writes of generated records whose type implements no callback. The values go straight to the
// statement, without a container (benchmarks insert-record, update-place-record).

/// A statement whose parameters are the properties of a generated record.
@usableFromInline
final class PositionalPlan {
    private let plan: WritePlan
    private let sql: PreparedSQL
    private let layout: RecordLayout
    /// The parameter of each property, or 0 for a property without one; nil if the parameters are the properties in
    /// order.
    private let places: UnsafeMutablePointer<CInt>?
    /// The parameters in statements of several rows, row by row.
    private var placesOfRows: UnsafeMutablePointer<CInt>?
    /// For each property, 0 unless it is a column of the primary key; nil if the key has other columns.
    private let keyPlaces: UnsafeMutablePointer<CInt>?
    /// Whether the table keeps the rowid in the property that the layout names.
    private let keepsRowID: Bool
    private let buffer: BindingBuffer
    private let callbacks: KnownCallbacks

    /// - Returns: nil if the statement needs a container because it has its own values or leaves out some of the
    ///   record's.
    init?(_ plan: WritePlan, _ layout: RecordLayout, _ buffer: BindingBuffer, _ callbacks: KnownCallbacks) {
        let stored = layout.storedProperties
        guard plan.columns == stored.map({ layout.names[$0] }), plan.constants.isEmpty, !plan.isOnView,
            !plan.leavesOutColumns
        else { return nil }
        var places = [CInt](repeating: 0, count: layout.names.count)
        for (parameter, value) in (plan.order ?? Array(stored.indices)).enumerated() {
            // A key that is assigned to itself has two parameters.
            guard places[stored[value]] == 0 else { return nil }
            places[stored[value]] = CInt(parameter + 1)
        }
        self.plan = plan
        self.layout = layout
        self.buffer = buffer
        self.callbacks = callbacks
        sql = plan.sql
        keepsRowID = layout.keepsRowID(inColumn: plan.primaryKey.rowIDKey)
        self.places = places == places.indices.map { CInt($0 + 1) } ? nil : .allocate(copying: places)
        let key = plan.primaryKey.columns
        let keys = layout.names.map { name in key.contains { $0.isSameDatabaseName(as: name) } ? CInt(1) : 0 }
        keyPlaces = key.isEmpty || keys.reduce(0, +) < key.count ? nil : .allocate(copying: keys)
    }

    deinit {
        places?.deallocate()
        keyPlaces?.deallocate()
        placesOfRows?.deallocate()
    }

    private func makePlacesOfRows() -> UnsafeMutablePointer<CInt> {
        let first = layout.names.indices.map { places?[$0] ?? CInt($0 + 1) }
        let rowLength = CInt(plan.columns.count)
        return .allocate(
            copying: (0..<InsertBatch.maximumRowCount).flatMap { row in
                first.map { $0 == 0 ? 0 : $0 + CInt(row) * rowLength }
            })
    }

    /// Whether a record sets all columns of its primary key.
    @usableFromInline
    func hasKey(_ bind: (inout RecordBinder) throws -> Void) throws -> Bool {
        guard let keyPlaces else { return false }
        var lacksKey = false
        try withUnsafeMutablePointer(to: &lacksKey) { lacksKey in
            var binder = RecordBinder(key: keyPlaces, lacksKey, layout)
            try bind(&binder)
        }
        return !lacksKey
    }

    /// Whether a callback receives the result of an update.
    @usableFromInline
    var hasDidUpdate: Bool { callbacks.implemented.contains(.didUpdate) }

    /// Inserts or upserts a record.
    ///
    /// - Returns: the rowid if the record keeps it.
    @usableFromInline
    func insert(_ db: Database, _ bind: (inout RecordBinder) throws -> Void) throws -> Int64? {
        let returned = try run(db.connection, bind)
        let keepsRowID =
            plan.epoch == db.connection.schemaEpoch
            ? keepsRowID : layout.keepsRowID(inColumn: try db.insertedKey(plan).rowIDKey)
        // A row whose conflict was ignored has no rowid.
        guard keepsRowID, db.connection.changesCount > 0 else { return nil }
        // An upsert returns it, because SQLite does not report the rowid of an updated row.
        return plan.isUpsert ? returned : db.connection.lastInsertedRowID
    }

    /// Updates the row of a record.
    ///
    /// - Returns: whether the row exists, even if a trigger ignored the update.
    @usableFromInline
    func update(_ db: Database, _ bind: (inout RecordBinder) throws -> Void) throws -> Bool {
        try changesRow(db, bind) || plan.wasIgnored(db, container(bind))
    }

    /// Updates or deletes the row of a record.
    ///
    /// - Returns: whether the row was changed.
    func changesRow(_ db: Database, _ bind: (inout RecordBinder) throws -> Void) throws -> Bool {
        _ = try run(db.connection, bind)
        return db.connection.changesCount > 0
    }

    /// Runs a query of a single row.
    ///
    /// - Returns: the last value of the row, as an integer.
    func integer(_ db: Database, _ bind: (inout RecordBinder) throws -> Void) throws -> Int64? {
        try run(db.connection, bind)
    }

    /// Inserts several records with one statement.
    ///
    /// - Throws: a ``BatchOverflow`` before anything is inserted if the values need too much memory.
    func insert(
        _ db: Database, _ rows: WritePlan, _ records: Range<Int>, _ bind: (Int, inout RecordBinder) throws -> Void
    ) throws {
        let rowLength = layout.names.count
        let placesOfRows = placesOfRows ?? makePlacesOfRows()
        self.placesOfRows = placesOfRows
        func values() throws -> [[DatabaseValue]] {
            try records.map { record in try container { try bind(record, &$0) }.values }
        }
        try DatabaseError.namingColumns(plan.columns, try values()[...].firstUnstorable) {
            _ = try db.connection.borrow(rows.sql) { statement in
                try statement.run(in: buffer) { handle throws -> CInt in
                    let start = buffer.byteCount
                    var binder = RecordBinder(handle, placesOfRows, buffer, layout)
                    for record in records {
                        try bind(record, &binder)
                        binder.places? += rowLength
                        let count = record &- records.lowerBound &+ 1
                        if buffer.byteCount &- start > InsertBatch.maximumByteCount, count < records.count {
                            throw BatchOverflow(count: count)
                        }
                    }
                    return binder.code
                } arguments: {
                    StatementArguments(values: try values().flatMap(\.self))
                }
            }
        }
    }

    @inline(__always)
    private func run(_ connection: LocalConnection, _ bind: (inout RecordBinder) throws -> Void) throws -> Int64? {
        // A function that the statement calls may also write records of this type. These use another statement.
        try DatabaseError.namingColumns(plan.columns, try container(bind).values) {
            try connection.borrow(sql) { statement in
                try statement.run(in: buffer) { handle throws -> CInt in
                    var binder = RecordBinder(handle, places, buffer, layout)
                    try bind(&binder)
                    return binder.code
                } arguments: {
                    let values = try container(bind).values
                    return StatementArguments(values: plan.order.map { $0.map { values[$0] } } ?? values)
                }
            }
        }
    }

    /// The values of the columns, where a container is needed: for a failure, and for callbacks.
    @usableFromInline
    func container(_ bind: (inout RecordBinder) throws -> Void) throws -> PersistenceContainer {
        var container = PersistenceContainer()
        try withUnsafeMutablePointer(to: &container) { container in
            var binder = RecordBinder(container, layout)
            try bind(&binder)
        }
        return container
    }
}

/// The values of a batch need too much memory.
struct BatchOverflow: Error {
    /// The number of records that were bound.
    let count: Int
}

extension UnsafeMutablePointer<CInt> {
    fileprivate static func allocate(copying values: [CInt]) -> Self {
        let pointer = allocate(capacity: values.count)
        pointer.initialize(from: values, count: values.count)
        return pointer
    }
}

extension RecordLayout {
    /// The properties that are written.
    fileprivate var storedProperties: [Int] { names.indices.filter { !generated.contains($0) } }

    /// The columns that are written.
    var storedColumns: [String] { storedProperties.map { names[$0] } }

    /// Whether a record keeps the rowid that is stored in a column.
    func keepsRowID(inColumn column: String?) -> Bool {
        guard let column, let rowIDProperty else { return false }
        return column.isSameDatabaseName(as: names[rowIDProperty])
    }
}
