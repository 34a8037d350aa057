// Filters by primary and unique keys. Their values are expressions, which the resolver encodes in the form that the
// record stores.

extension DatabaseValueConvertible {
    /// The key, or nil if it is NULL: no row has a NULL key.
    var presentKey: Self? {
        switch sqlExpression.node {
        case .value(let value): value.isNull ? nil : self
        case .storable(let value): value.databaseValue.isNull ? nil : self
        default: self  // The request handles other expressions.
        }
    }
}

extension StorableValue {
    var value: any DatabaseValueConvertible {
        switch content {
        case .date(let date): date
        case .data(let data): data
        case .uuid(let uuid): uuid
        }
    }
}

extension QueryInterfaceRequest {
    /// Deletes the row with a key.
    ///
    /// - Returns: whether the row existed.
    func deleteOne(_ db: Database) throws -> Bool {
        try deleteAll(db) > 0
    }
}

/// The condition that columns have the values of one of several keys.
struct KeyPredicate {
    let table: TableName
    let storage: RecordStorage?
    let keys: [[String: SQLExpression]]

    func expression(_ db: Database) throws -> SQLExpression {
        guard let first = keys.first else { return .value(.int64(0)) }
        let columns = try columns(db, first)
        if columns.count > 1, keys.count >= db.largeListCount, let rows = try rows(db, columns) {
            let key = SQLExpression(.tuple(columns.map { Column($0).sqlExpression }))
            return SQLExpression(.isIn(key, .values(rows), isNegated: false))
        }
        if columns.count == 1, keys.count > 1, keys.allSatisfy({ $0.count == 1 && $0.keys.first == columns[0] }) {
            let values = keys.compactMap(\.values.first)
            if !values.contains(.null) {
                return SQLExpression(
                    .isIn(column(columns[0]), .expressions(values), isNegated: false))
            }
        }
        return try .joined(keys.map { try condition(db, $0) }, by: .or)
    }

    /// A column. It converts the values compared with it if the record type stores them in another form.
    private func column(_ name: String) -> SQLExpression {
        storage?.convertsValues == true ? SQLExpression(convertingColumn: name) : Column(name).sqlExpression
    }

    private func condition(_ db: Database, _ key: [String: SQLExpression]) throws -> SQLExpression {
        let columns = try columns(db, key)
        return .joined(
            columns.map { column in
                SQLExpression(.equal(self.column(column), value(key, column), isNegated: false))
            }, by: .and)
    }

    private func value(_ key: [String: SQLExpression], _ column: String) -> SQLExpression {
        // Not `??`, which means IFNULL for expressions.
        if let value = key[column] { return value }
        guard let entry = key.first(where: { $0.key.isSameDatabaseName(as: column) }) else { return .null }
        return entry.value
    }

    /// The columns in the order of the key: equal keys give equal SQL.
    private func columns(_ db: Database, _ key: [String: SQLExpression]) throws -> [String] {
        guard !key.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "a key of table \(table.name) is empty: pass its columns")
        }
        guard let columns = try db.uniqueKey(table.name, of: key.keys, in: table.schema) else {
            let names = key.keys.sorted().joined(separator: ", ")
            let primaryKey = try db.keyInfo(of: table.name, in: table.schema).columns.joined(separator: ", ")
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "table \(table.name) has no unique key on column(s) \(names): name all the columns of its "
                    + "primary key (\(primaryKey)) or of a unique index, or use filter(_:)")
        }
        // The other columns must match their values as well.
        let others = key.keys.filter { name in !columns.contains(where: name.isSameDatabaseName) }
        return others.isEmpty ? columns : columns + others.sorted()
    }

    /// The stored values of all keys; nil if their columns differ, or if a value is NULL, which equals nothing.
    private func rows(_ db: Database, _ columns: [String]) throws -> [[DatabaseValue]]? {
        var rows: [[DatabaseValue]] = []
        for key in keys {
            guard key.count == columns.count else { return nil }
            var row: [DatabaseValue] = []
            for column in columns {
                switch value(key, column).node {
                case .value(let value) where !value.isNull:
                    row.append(storage?.convert(value, forColumn: column) ?? value)
                case .storable(let value): row.append(storage?.encode(value, forColumn: column) ?? value.databaseValue)
                default: return nil  // An expression without a known value.
                }
            }
            rows.append(row)
        }
        return rows
    }
}
