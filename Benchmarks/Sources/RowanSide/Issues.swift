import Harness
import Rowan

// Issues, and their labels through a pivot table.

struct Issue {}

extension Issue: TableRecord {
    enum Columns {
        static let projectId = Column("projectId")
        static let status = Column("status")
    }
}

struct IssueLabel {}

extension IssueLabel: TableRecord {
    static let issue = belongsTo(Issue.self)
}

struct Label {}

extension Label: TableRecord {
    enum Columns {
        static let id = Column("id")
    }

    static let issueLabels = hasMany(IssueLabel.self)
    static let issues = hasMany(Issue.self, through: issueLabels, using: IssueLabel.issue)
}

struct LabelCount: FetchableRecord {
    var id: Int64
    var name: String
    var issueCount: Int

    init(row: Row) {
        id = row["id"]
        name = row["name"]
        issueCount = row["issueCount"]
    }
}

extension LabelCount: Digestible {
    func digest(into checksum: inout Checksum) {
        checksum.add(id)
        checksum.add(name)
        checksum.add(Int64(issueCount))
        // The floor has the same digest for counts with and without sums.
        checksum.add(Int64(0))
    }
}

extension Assignment {
    /// Repeatedly counts the open issues of a project for each label.
    func countIssues() throws -> any Run {
        let count = count
        return try fetch { db in
            var labels: [LabelCount] = []
            for _ in 0..<count {
                let issues = Label.issues.filter { $0.projectId == 1 && $0.status != "closed" }
                labels = try Label.annotated(with: issues.count)
                    .order(\.id)
                    .asRequest(of: LabelCount.self)
                    .fetchAll(db)
            }
            return labels
        }
    }
}
