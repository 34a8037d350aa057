// The cost of statements, in steps of SQLite's virtual machine.

import RowanSQLite
import Rowan

extension Database {
    /// The number of steps that SQLite's virtual machine takes in a closure.
    func steps(_ body: () throws -> Void) throws -> Int {
        let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        count.initialize(to: 0)
        defer { count.deallocate() }
        sqlite3_progress_handler(
            sqliteConnection, 1,
            { count in
                count!.assumingMemoryBound(to: Int.self).pointee += 1
                return 0
            }, count)
        defer { sqlite3_progress_handler(sqliteConnection, 0, nil, nil) }
        try body()
        return count.pointee
    }
}
