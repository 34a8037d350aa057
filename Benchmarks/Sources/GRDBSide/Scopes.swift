import GRDB
import Harness

// The peer has no scopes: each statement has the condition.
extension Assignment {
    /// The issues of a project in each access, with a condition in the statement.
    func readFiltered() throws -> any Run {
        try readIssues { queue in
            try queue.read { db in
                let sql = "SELECT id, title AS name, 0 AS issueCount FROM issue WHERE projectId = ? ORDER BY id"
                return try LabelCount.fetchAll(db, sql: sql, arguments: [1])
            }
        }
    }

    func readScoped() throws -> any Run { try readFiltered() }

    func writeScoped() throws -> any Run { try writePoints() }

    private func readIssues(_ read: @escaping (DatabaseQueue) throws -> [LabelCount]) throws -> any Run {
        let queue = try makeQueue(path: path)
        let count = count
        return ClosureRun {
            var issues: [LabelCount] = []
            for _ in 0..<count { issues = try read(queue) }
            return issues
        } digest: { issues, checksum in
            checksum.add(issues)
        } close: {
            try queue.close()
        }
    }
}
