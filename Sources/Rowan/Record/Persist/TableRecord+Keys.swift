// Checking the existence of rows by key, and deleting them. No record is decoded.

extension TableRecord {
    /// Whether a record with this primary key exists.
    public static func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        guard let key = key.presentKey else { return false }
        return try !filter(key: key).isEmpty(db)
    }

    /// Whether a record with this primary or unique key exists.
    public static func exists(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try !filter(key: key).isEmpty(db)
    }

    /// Deletes the record with a primary key.
    ///
    /// - Returns: whether the record existed.
    @discardableResult
    public static func deleteOne(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        guard let key = key.presentKey else { return false }
        return try deleteRow(db, key)
    }

    /// Deletes the record with a primary or unique key.
    ///
    /// - Returns: whether the record existed.
    @discardableResult
    public static func deleteOne(_ db: Database, key: [String: (any DatabaseValueConvertible)?]) throws -> Bool {
        try filter(key: key).deleteOne(db)
    }

    /// Deletes the records with some primary keys.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public static func deleteAll<Keys: Collection>(_ db: Database, keys: Keys) throws -> Int
    where Keys.Element: DatabaseValueConvertible {
        let keys = keys.compactMap(\.presentKey)
        return try keys.isEmpty ? 0 : filter(keys: keys).deleteAll(db)
    }

    /// Deletes the records with some primary or unique keys.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public static func deleteAll(_ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]) throws -> Int {
        try keys.isEmpty ? 0 : filter(keys: keys).deleteAll(db)
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Whether a record with this id exists.
    public static func exists(_ db: Database, id: ID) throws -> Bool { try exists(db, key: id) }

    /// Deletes the record with an id.
    ///
    /// - Returns: whether the record existed.
    @discardableResult
    public static func deleteOne(_ db: Database, id: ID) throws -> Bool { try deleteOne(db, key: id) }

    /// Deletes the records with some ids.
    ///
    /// - Returns: the number of deleted rows.
    @discardableResult
    public static func deleteAll<IDS: Collection>(_ db: Database, ids: IDS) throws -> Int where IDS.Element == ID {
        try deleteAll(db, keys: ids)
    }
}
