import Harness
import Rowan

/// Writes many rows in one transaction.
extension Assignment {
    func insertWithStatement() throws -> any Run {
        let records = samples.ints.prefix(count).map { NamedInts($0) }
        return try write { db in
            let statement = try db.makeStatement(
                sql: """
                    INSERT INTO ints (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """)
            for r in records {
                try statement.execute(arguments: [r.c0, r.c1, r.c2, r.c3, r.c4, r.c5, r.c6, r.c7, r.c8, r.c9])
            }
        }
    }

    func insertStructs() throws -> any Run {
        let records = samples.ints.prefix(count).map { NamedInts($0) }
        return try write { db in
            for record in records {
                try record.insert(db)
            }
        }
    }

    /// The peer has no method that inserts several records, so it runs a loop.
    func insertAllStructs() throws -> any Run {
        let records = samples.ints.prefix(count).map { NamedInts($0) }
        return try write { db in
            #if HAS_INSERT_ALL
            try NamedInts.insertAll(db, records)
            #else
            for record in records {
                try record.insert(db)
            }
            #endif
        }
    }

    func insertCodables() throws -> any Run {
        let records = samples.ints.prefix(count).map { CodableInts($0) }
        return try write { db in
            for record in records {
                try record.insert(db)
            }
        }
    }

    func insertPlaces() throws -> any Run {
        var places = samples.places.prefix(count).map { Place($0) }
        return try write { db in
            for index in places.indices {
                try places[index].insert(db)
            }
        } digest: { checksum in
            checksum.add(places)
        }
    }

    func insertCodablePlaces() throws -> any Run {
        var places = samples.places.prefix(count).map { CodablePlace($0) }
        return try write { db in
            for index in places.indices {
                try places[index].insert(db)
            }
        } digest: { checksum in
            checksum.add(places)
        }
    }

    /// Changes the values of two columns.
    func updatePlaces() throws -> any Run {
        let queue = try makeQueue(path: path)
        var places = try queue.read { try Place.fetchAll($0) }
        try queue.close()
        for index in places.indices {
            places[index].isFavorite.toggle()
            places[index].latitude += 1
        }
        let updated = places
        return try write { db in
            for place in updated {
                try place.update(db)
            }
        } digest: { checksum in
            checksum.add(updated)
        }
    }

    func runScript() throws -> any Run {
        let sql = samples.script(count)
        return try write { db in try db.execute(sql: sql) }
    }

    func write(
        _ body: @escaping (Database) throws -> Void,
        digest: @escaping (inout Checksum) -> Void = { _ in }
    ) throws -> any Run {
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try queue.write(body)
        } digest: { _, checksum in
            digest(&checksum)
        } close: {
            try queue.close()
        }
    }
}
