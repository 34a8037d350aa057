import Harness
import Rowan

extension Assignment {
    /// Places as a JSON array.
    func requestJSON() throws -> any Run {
        let queue = try makeQueue(path: path)
        return ClosureRun {
            try queue.read { try CodablePlace.all().json($0) }
        } digest: { json, checksum in
            try PlacesJSON.digest(json, into: &checksum)
        } close: {
            try queue.close()
        }
    }
}
