import Harness
import Rowan

// Formats that only Rowan supports: the peer's side is written by hand.

extension Assignment {
    func dumpCSV() throws -> any Run {
        let (queue, path) = (try makeQueue(path: path), dumpPath)
        return ClosureRun {
            try queue.dumpTables(["player"], format: .csv(header: false), to: OutputFile(path: path))
        } digest: { _, checksum in
            try checksum.add(csv: path)
        } close: {
            try queue.close()
        }
    }

    func dumpSQL() throws -> any Run {
        let (queue, path) = (try makeQueue(path: path), dumpPath)
        return ClosureRun {
            try queue.dumpScript(to: OutputFile(path: path))
        } digest: { _, checksum in
            try checksum.add(literals: path)
        } close: {
            try queue.close()
        }
    }
}
