import Harness
import Rowan

// Accesses that only see some rows, and the same with conditions in each statement.

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

    /// The same issues: those that the access may see.
    func readScoped() throws -> any Run {
        try readIssues { queue in
            let scope = DatabaseScope().reading(Table("issue").filter(Issue.Columns.projectId == 1))
            return try queue.read(in: scope) { db in
                let sql = "SELECT id, title AS name, 0 AS issueCount FROM issue ORDER BY id"
                return try LabelCount.fetchAll(db, sql: sql)
            }
        }
    }

    /// A transaction for each insertion, which may only write some places.
    func writeScoped() throws -> any Run {
        let queue = try makeWriteAheadQueue(path: path)
        var places = samples.places.prefix(count).map { Place($0) }
        return ClosureRun {
            for index in places.indices {
                try queue.write(in: DatabaseScope().writing(Place.filter { $0.title != "" })) { db in
                    try places[index].insert(db)
                }
            }
        } digest: { _, checksum in
            checksum.add(places)
        } close: {
            try queue.close()
        }
    }

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
