import Foundation
import Harness
import GRDB

extension Assignment {
    /// Places as a JSON array.
    func requestJSON() throws -> any Run {
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try JSONEncoder().encode(queue.read { try CodablePlace.fetchAll($0) })
        } digest: { json, checksum in
            try PlacesJSON.digest(json, into: &checksum)
        } close: {
            try queue.close()
        }
    }
}
