// The errors of records.

/// An error of a record.
///
/// Article: <doc:HandlingErrors>.
public enum RecordError: Error, Sendable, CustomStringConvertible {
    /// A record was not found: by `find`, by an update, or by an insertion with an ignored conflict.
    ///
    /// ```swift
    /// do {
    ///     try player.update(db)
    /// } catch RecordError.recordNotFound(databaseTableName: let table, key: let key) {
    ///     print("\(key) is not in table \(table)")
    /// }
    /// ```
    case recordNotFound(databaseTableName: String, key: [String: DatabaseValue])

    /// The table and the columns of the key. Values may be personal data: see ``expandedDescription``.
    public var description: String {
        switch self {
        case .recordNotFound(let table, let key):
            "Key not found in table \(table): [\(key.keys.sorted().joined(separator: " "))]"
        }
    }

    /// The description with the values of the key, which may be personal data. Long values are truncated.
    ///
    /// ```swift
    /// // Key not found in table player: [id:12]
    /// print(error.expandedDescription)
    /// ```
    public var expandedDescription: String {
        switch self {
        case .recordNotFound(let table, let key):
            let columns = key.sorted(on: \.key).map { "\($0.key):\($0.value.errorDescription)" }
            return "Key not found in table \(table): [\(columns.joined(separator: " "))]"
        }
    }
}

extension TableRecord {
    /// The error of a record that does not exist, by its key.
    public static func recordNotFound(key: [String: (any DatabaseValueConvertible)?]) -> RecordError {
        .recordNotFound(
            databaseTableName: databaseTableName, key: key.mapValues { $0?.databaseValue ?? .null })
    }

    /// The error of a record that does not exist, by its primary key.
    public static func recordNotFound(_ db: Database, key: some DatabaseValueConvertible) -> any Error {
        do {
            let columns = try db.primaryKeyColumns(ofTable: databaseTable)
            guard columns.count == 1 else {
                throw RequestError.compositeKey(table: databaseTableName, columns: columns)
            }
            return recordNotFound(key: [columns[0]: storedKey(key, forColumn: columns[0])])
        } catch {
            return error
        }
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// The error of a record that does not exist, by its id.
    public static func recordNotFound(_ db: Database, id: ID) -> any Error { recordNotFound(db, key: id) }
}

extension TableRecord where Self: EncodableRecord {
    /// The error of this record if it does not exist.
    public func recordNotFound(_ db: Database) -> any Error {
        do {
            let table = type(of: self).databaseTable
            let columns = try db.primaryKeyColumns(ofTable: table)
            let container = try PersistenceContainer(self)
            return type(of: self).recordNotFound(
                key: Dictionary(
                    columns.map { ($0, container.value(forColumn: $0) ?? .null) }, uniquingKeysWith: { a, _ in a }))
        } catch {
            return error
        }
    }
}

extension DatabaseError {
    /// Runs the closure, which writes values into columns. If a value can't be stored, the error names its column.
    @inline(__always)
    static func namingColumns<T>(
        _ columns: [String], _ values: @autoclosure () throws -> [DatabaseValue], _ write: () throws -> T
    ) throws -> T {
        do {
            return try write()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISMATCH {
            throw error.naming(columns, try values())
        }
    }

    private func naming(_ columns: [String], _ values: [DatabaseValue]) -> DatabaseError {
        for (column, value) in zip(columns, values) {
            guard let code = value.bindingRefusal else { continue }
            let named = DatabaseError.unstorable(code, "the value of column \(column)")
            return named?.message.map { with(message: $0) } ?? self
        }
        return self
    }
}
