import Harness
import Rowan

extension Assignment {
    /// Fetches records in one access.
    func fetch<Record: Digestible>(_ body: @escaping (Database) throws -> [Record]) throws -> any Run {
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try queue.read(body)
        } digest: { records, checksum in
            checksum.add(records)
        } close: {
            try queue.close()
        }
    }

    func fetchInt() throws -> any Run {
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try queue.read { db in
                try Int.fetchAll(db, sql: "SELECT c3 FROM ints")
            }
        } digest: { integers, checksum in
            checksum.add(Int64(integers.count))
            for integer in integers {
                checksum.add(Int64(integer))
            }
        } close: {
            try queue.close()
        }
    }

    /// Iterates rows without storing them.
    func iterateCursor() throws -> any Run {
        let queue = try makeQueue(path: path)
        let count = count
        return ClosureRun {
            try queue.read { db in
                let sql = """
                    WITH RECURSIVE counter(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM counter LIMIT ?)
                    SELECT value FROM counter
                    """
                var sum = 0
                let rows = try Row.fetchCursor(db, sql: sql, arguments: [count])
                while let row = try rows.next() {
                    let value: Int = row["value"]
                    sum += value
                }
                return sum
            }
        } digest: { sum, checksum in
            checksum.add(Int64(sum))
        } close: {
            try queue.close()
        }
    }
}
