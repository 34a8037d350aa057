import Harness
import Rowan

/// Reads and writes one row at a time.
extension Assignment {
    /// All reads in one access.
    func readPoints() throws -> any Run {
        let queue = try makeQueue(path: path)
        let keys = samples.keys.prefix(count)
        return ClosureRun {
            try queue.read { db in
                var sum: Int64 = 0
                for key in keys {
                    if let place = try Place.fetchOne(db, key: key) {
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

    /// An access for each read.
    func readPoints(of reader: some DatabaseReader) throws -> any Run {
        let keys = samples.keys.prefix(count)
        return ClosureRun {
            var sum: Int64 = 0
            for key in keys {
                if let place = try reader.read({ db in try Place.fetchOne(db, key: key) }) {
                    sum += place.digest
                }
            }
            return sum
        } digest: { sum, checksum in
            checksum.add(sum)
        } close: {
            try reader.close()
        }
    }

    /// A transaction for each insertion.
    func writePoints() throws -> any Run {
        let queue = try makeWriteAheadQueue(path: path)
        var places = samples.places.prefix(count).map { Place($0) }
        return ClosureRun {
            for index in places.indices {
                try queue.write { db in
                    try places[index].insert(db)
                }
            }
        } digest: { _, checksum in
            checksum.add(places)
        } close: {
            try queue.close()
        }
    }

    /// A queue for each read.
    func openAndClose() -> any Run {
        ClosureRun {
            var sum = 0
            for _ in 0..<count {
                let queue = try makeQueue(path: path)
                sum &+= try queue.read { db in
                    try Int.fetchOne(db, sql: "SELECT c3 FROM ints WHERE rowid = 1") ?? 0
                }
                try queue.close()
            }
            return sum
        } digest: { sum, checksum in
            checksum.add(Int64(sum))
        } close: {
        }
    }
}

extension Place {
    /// A digest that proves that a place was read.
    var digest: Int64 {
        (id ?? 0) + Int64(title.utf8.count)
    }
}
