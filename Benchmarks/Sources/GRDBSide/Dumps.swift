import GRDB
import Harness

// Written by hand, as a user of the peer would: it has no CSV and no scripts.

extension Assignment {
    func dumpCSV() throws -> any Run {
        let (queue, path) = (try makeQueue(path: path), dumpPath)
        return ClosureRun {
            try queue.dumpTables(["player"], format: .list(separator: ","), to: OutputFile(path: path))
        } digest: { _, checksum in
            try checksum.add(csv: path)
        } close: {
            try queue.close()
        }
    }

    func dumpSQL() throws -> any Run {
        let (queue, path) = (try makeQueue(path: path), dumpPath)
        return ClosureRun {
            try queue.dumpContent(format: .quote(), to: OutputFile(path: path))
        } digest: { _, checksum in
            try checksum.add(literals: path)
        } close: {
            try queue.close()
        }
    }
}
