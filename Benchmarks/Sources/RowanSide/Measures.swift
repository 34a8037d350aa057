import Foundation
import Harness
import Rowan

extension Assignment {
    /// Rows that are not decoded as records.
    func fetchRows() throws -> any Run {
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try queue.read { db in
                try Row.fetchAll(db, sql: "SELECT id, station, value, unit, note, raw FROM measure")
            }
        } digest: { rows, checksum in
            checksum.add(Int64(rows.count))
            for row in rows {
                checksum.add(row[0] as Int64)
                checksum.add(row["station"] as Int64)
                checksum.add(row["value"] as Double)
                checksum.add(row["unit"] as String)
                checksum.add(row["note"] as String?)
                checksum.add(utf8: row["raw"] as Data)
            }
        } close: {
            try queue.close()
        }
    }
}
