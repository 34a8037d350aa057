// Collections of the program as tables that SQLite can join, filter and sort.

extension Database {
    /// Serves a collection of records as a table that statements can read.
    ///
    /// ```swift
    /// struct Candidate: Encodable, EncodableRecord {
    ///     var name: String
    ///     var score: Int
    /// }
    /// try db.register(candidates, as: "candidate")
    /// // The candidates that are not players yet.
    /// let names = try String.fetchAll(db, sql: "SELECT name FROM candidate EXCEPT SELECT name FROM player")
    /// ```
    ///
    /// The columns are those that the first record stores; the rowid is the index of the record, from 0. Records are
    /// encoded one at a time when SQLite reads them; SQLite has no copy of the collection. The table belongs to this
    /// connection until ``unregister(collection:)`` is called or the connection closes. It is not part of the schema,
    /// and nothing is written. Replacing the collection of a name does not affect running statements. A collection that
    /// becomes shorter has fewer rows, including in running statements.
    ///
    /// A pool has several connections. To serve a collection on each of them, register it in
    /// ``Configuration/prepareDatabase(_:)``.
    ///
    /// Source: <https://sqlite.org/vtab.html#epovtab>
    ///
    /// - Parameters:
    ///   - collection: the records.
    ///   - name: the name of the table.
    ///   - columns: the columns; nil for those that the first record stores.
    ///   - safety: who may read the table, if the database or the SQL comes from a stranger.
    /// - Throws: a ``DatabaseError``; its code is SQLITE_MISUSE if a table or a view has this name, or if the columns
    ///   of an empty collection are not given. Also throws the encoding error of the first record; for other records,
    ///   the statement that reads them fails.
    public func register<Records: RandomAccessCollection & Sendable>(
        _ collection: Records, as name: String, columns: [String]? = nil,
        safety: DatabaseFunction.Safety = .default
    ) throws where Records.Element: EncodableRecord {
        let columns = try columns ?? collection.first.map { try PersistenceContainer($0).columns } ?? []
        try register(name, columns, collection, safety) { record in
            var container = PersistenceContainer(
                expecting: columns, reusing: Array(repeating: .null, count: columns.count))
            try record.encode(to: &container)
            container.finish()
            // The record most likely stores the columns of the first one.
            if container.columns == columns { return container.values }
            return columns.map { container.value(forColumn: $0) ?? .null }
        }
    }

    /// Serves a collection of values as a table with one column.
    ///
    /// ```swift
    /// try db.register([1, 3, 5], as: "wanted")
    /// let players = try Player.fetchAll(db, sql: "SELECT * FROM player WHERE id IN (SELECT value FROM wanted)")
    /// ```
    ///
    /// See ``register(_:as:columns:safety:)``.
    ///
    /// - Throws: a ``DatabaseError``; its code is SQLITE_MISUSE if a table or a view has this name.
    public func register<Values: RandomAccessCollection & Sendable>(
        _ collection: Values, as name: String, column: String = "value",
        safety: DatabaseFunction.Safety = .default
    ) throws where Values.Element: DatabaseValueConvertible {
        try register(name, [column], collection, safety) { [$0.databaseValue] }
    }

    /// Removes the table that serves a collection. Running statements keep it. Does nothing if there is no such table.
    ///
    /// - Throws: a ``DatabaseError``.
    public func unregister(collection name: String) throws {
        guard collections.names.remove(name.foldedDatabaseName) != nil else { return }
        try connection.removeCollection(named: name)
    }

    private func register<Elements: RandomAccessCollection & Sendable>(
        _ name: String, _ columns: [String], _ collection: Elements,
        _ safety: DatabaseFunction.Safety,
        _ row: @escaping @Sendable (Elements.Element) throws -> [DatabaseValue]
    ) throws {
        try check(name, columns)
        let source = CollectionSource(columns: columns, safety: safety) {
            collection.count
        } row: { index in
            try row(collection[collection.index(collection.startIndex, offsetBy: index)])
        }
        try connection.addCollection(source, named: name)
        collections.names.insert(name.foldedDatabaseName)
    }

    private func check(_ name: String, _ columns: [String]) throws {
        func refuse(_ message: String) throws -> Never {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "can't register \(name): \(message)")
        }
        if name.isEmpty || name.utf8.contains(0) || columns.contains(where: { $0.isEmpty || $0.utf8.contains(0) }) {
            try refuse("names must not be empty, or contain a NUL character")
        }
        if columns.isEmpty { try refuse("an empty collection has no columns: pass columns") }
        if Set(columns.map(\.foldedDatabaseName)).count < columns.count { try refuse("two columns have the same name") }
        // A table of the database, not the collection that this one replaces.
        let isTaken = try schemaIDs(nil).contains {
            try tableExists(name, in: $0.name) || viewExists(name, in: $0.name)
        }
        if isTaken {
            try refuse("a table or a view has this name: use another name")
        }
        guard !collections.names.contains(name.foldedDatabaseName) else { return }
        // SQLite lists some of its modules only after their first use. Usually, there is no such table.
        _ = try? makeStatement(sql: "SELECT 1 FROM \(name.quotedDatabaseIdentifier)")
        // Replacing a module of SQLite, such as fts5, would break its tables.
        if try String.fetchAll(self, sql: "PRAGMA module_list").contains(where: name.isSameDatabaseName) {
            try refuse("a module of virtual tables has this name: use another name")
        }
    }
}
