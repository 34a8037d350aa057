import Harness
import Rowan

/// Reads and writes the records of RecordTypes, as the other files do with handwritten records.
extension Assignment {
    func insertRecords() throws -> any Run {
        let records = samples.ints.prefix(count).map { RecordInts($0) }
        return try write { db in
            for record in records {
                try record.insert(db)
            }
        }
    }

    /// The peer has no verb for many records: it runs a loop.
    func insertAllRecords() throws -> any Run {
        let records = samples.ints.prefix(count).map { RecordInts($0) }
        return try write { db in
            #if HAS_INSERT_ALL
            try RecordInts.insertAll(db, records)
            #else
            for record in records {
                try record.insert(db)
            }
            #endif
        }
    }

    func insertRecordPlaces() throws -> any Run {
        var places = samples.places.prefix(count).map { RecordPlace($0) }
        return try write { db in
            for index in places.indices {
                try places[index].insert(db)
            }
        } digest: { checksum in
            checksum.add(places)
        }
    }

    func updateRecordPlaces() throws -> any Run {
        let queue = try makeQueue(path: path)
        var places = try queue.read { try RecordPlace.fetchAll($0) }
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

    func updateChangesOfRecords() throws -> any Run {
        let queue = try makeQueue(path: path)
        var items = try queue.read { try RecordItem.fetchAll($0) }
        return ClosureRun {
            try queue.write { db in
                for index in items.indices {
                    try items[index].updateChanges(db) { $0.stock += 1 }
                }
            }
        } digest: { _, _ in
        } close: {
            try queue.close()
        }
    }

    func readRecordPoints() throws -> any Run {
        let queue = try makeQueue(path: path)
        let keys = samples.keys.prefix(count)
        return ClosureRun {
            try queue.read { db in
                var sum: Int64 = 0
                for key in keys {
                    if let place = try RecordPlace.fetchOne(db, key: key) {
                        sum += place.digest
                    }
                }
                return sum
            }
        } digest: { sum, checksum in
            checksum.add(sum)
        } close: {
            try queue.close()
        }
    }

    func fetchRecordBooksWithAuthors() throws -> any Run {
        try fetch { db in
            try RecordBook.including(required: RecordBook.author).asRequest(of: RecordBookWithAuthor.self).fetchAll(db)
        }
    }

    func fetchRecordAuthorsWithBooks() throws -> any Run {
        try fetch { db in
            try RecordAuthor
                .including(all: RecordAuthor.books.including(all: RecordBook.reviews))
                .asRequest(of: RecordAuthorWithBooks.self)
                .fetchAll(db)
        }
    }
}
