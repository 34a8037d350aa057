// The cost of requests over associations, in steps of SQLite's virtual machine, compared with handwritten queries:
// without ANALYZE, with and without the usual indexes. Unlike times, steps are the same in each run.

import Rowan
import Testing

private struct Label: TableRecord {
    static let links = hasMany(Link.self)
    static let issues = hasMany(Issue.self, through: links, using: Link.issue)
    enum Columns { static let name = Column("name") }
}
private struct Link: TableRecord {
    static let issue = belongsTo(Issue.self)
    static let label = belongsTo(Label.self)
}
private struct Issue: TableRecord {
    static let links = hasMany(Link.self)
    static let labels = hasMany(Label.self, through: links, using: Link.label)
    static let project = belongsTo(Project.self)
    enum Columns {
        static let projectId = Column("projectId")
        static let status = Column("status")
        static let points = Column("points")
    }
}
private struct Project: TableRecord {
    static let issues = hasMany(Issue.self)
    static let links = hasMany(Link.self, through: issues, using: Issue.links)
}

/// A request, and an expert's query for the same rows.
private struct Shape: CustomTestStringConvertible {
    let testDescription: String
    let fetch: @Sendable (Database) throws -> [String]
    let hand: [String]

    init(_ name: String, _ hand: String..., fetch: @escaping @Sendable (Database) throws -> [String]) {
        (testDescription, self.fetch, self.hand) = (name, fetch, hand)
    }
}

private func rows(_ db: Database, _ request: some FetchRequest) throws -> [String] {
    try Row.fetchAll(db, request).map(\.description)
}

private let open = Issue.filter { $0.projectId == 1 && $0.status != "closed" }
private let openIssues = Label.issues.filter { $0.projectId == 1 && $0.status != "closed" }
private let openByHand = "i.projectId = 1 AND i.status <> 'closed'"

private let shapes: [Shape] = [
    Shape(
        "count through a pivot",
        """
        SELECT label.*, IFNULL(n, 0) FROM label LEFT JOIN (
            SELECT k.labelId, COUNT(*) AS n FROM issue i JOIN link k ON k.issueId = i.id WHERE \(openByHand) GROUP BY 1
        ) ON labelId = label.id
        """
    ) { try rows($0, Label.annotated(with: openIssues.count)) },
    Shape(
        "sum through a pivot",
        """
        SELECT label.*, n FROM label LEFT JOIN (
            SELECT k.labelId, SUM(i.points) AS n FROM issue i JOIN link k ON k.issueId = i.id WHERE \(openByHand) GROUP BY 1
        ) ON labelId = label.id
        """
    ) { try rows($0, Label.annotated(with: openIssues.sum(\.points))) },
    Shape(
        "count of a label's rows through a pivot",
        """
        SELECT *, (SELECT COUNT(*) FROM link k JOIN issue i ON i.id = k.issueId
                   WHERE k.labelId = label.id AND \(openByHand)) FROM label WHERE name = 'l3'
        """
    ) { try rows($0, Label.filter { $0.name == "l3" }.annotated(with: openIssues.count)) },
    Shape(
        "labels with more rows through a pivot than a number",
        """
        SELECT label.* FROM label JOIN (
            SELECT k.labelId, COUNT(*) AS n FROM issue i JOIN link k ON k.issueId = i.id WHERE \(openByHand) GROUP BY 1
        ) ON labelId = label.id AND n > 15
        """
    ) { try rows($0, Label.having(openIssues.count > 15)) },
    Shape(
        "none through a pivot",
        """
        SELECT * FROM label WHERE NOT EXISTS (
            SELECT 1 FROM link k JOIN issue i ON i.id = k.issueId WHERE k.labelId = label.id AND \(openByHand))
        """
    ) { try rows($0, Label.having(openIssues.isEmpty)) },
    Shape(
        "count of rows behind two tables",
        """
        SELECT *, (SELECT COUNT(*) FROM issue i JOIN link k ON k.issueId = i.id WHERE i.projectId = project.id)
        FROM project
        """
    ) { try rows($0, Project.annotated(with: Project.links.count)) },
    Shape(
        "count of direct rows",
        "SELECT *, (SELECT COUNT(*) FROM issue i WHERE i.projectId = project.id AND i.status = 'open') FROM project"
    ) { try rows($0, Project.annotated(with: Project.issues.filter { $0.status == "open" }.count)) },
    Shape(
        "labels of issues",
        "SELECT * FROM issue i WHERE \(openByHand)",
        """
        SELECT label.*, k.issueId FROM label JOIN link k ON k.labelId = label.id
        WHERE k.issueId IN (SELECT id FROM issue i WHERE \(openByHand))
        """
    ) { try rows($0, open.including(all: Issue.labels)) },
    Shape(
        "issues of projects",
        "SELECT * FROM project",
        "SELECT *, i.projectId FROM issue i WHERE i.projectId IN (SELECT id FROM project)"
    ) { try rows($0, Project.including(all: Project.issues)) },
    Shape(
        "issues of a label",
        "SELECT * FROM label WHERE id = 3",
        "SELECT i.*, k.labelId FROM link k JOIN issue i ON i.id = k.issueId WHERE k.labelId = 3"
    ) { try rows($0, Label.filter(key: 3).including(all: Label.issues)) },
    Shape(
        "issues with their project",
        "SELECT i.*, p.* FROM issue i JOIN project p ON p.id = i.projectId WHERE i.status = 'open'"
    ) { try rows($0, Issue.filter { $0.status == "open" }.including(required: Issue.project)) },
    Shape(
        "labels with their issues",
        """
        SELECT l.* FROM label l JOIN link k ON k.labelId = l.id JOIN issue i ON i.id = k.issueId AND \(openByHand)
        """
    ) { try rows($0, Label.joining(required: openIssues)) },
]

private let schema = """
    CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE label (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE issue (
        id INTEGER PRIMARY KEY, projectId INTEGER REFERENCES project, status TEXT, points INTEGER);
    CREATE TABLE link (
        issueId INTEGER REFERENCES issue, labelId INTEGER REFERENCES label, PRIMARY KEY (issueId, labelId));
    WITH n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20) INSERT INTO project SELECT n, 'p' || n FROM n;
    WITH n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 30) INSERT INTO label SELECT n, 'l' || n FROM n;
    WITH n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20000)
    INSERT INTO issue SELECT n, n * 7 % 20 + 1, iif(n % 3 = 0, 'open', 'closed'), n % 10 FROM n;
    INSERT INTO link SELECT id, id * 11 % 30 + 1 FROM issue;
    INSERT OR IGNORE INTO link SELECT id, id * 17 % 30 + 1 FROM issue;
    """

/// The indexes in addition to those of the keys.
private let indexes = [
    [], ["link(labelId)"], ["issue(projectId)"], ["issue(projectId, status)", "link(labelId)"],
    ["issue(projectId)", "link(labelId, issueId)", "issue(status)"],
]

@Suite struct PlanStepsTests {
    @Test(arguments: shapes.indices) func requestsCostWhatQueriesByHandCost(_ index: Int) throws {
        let shape = shapes[index]
        try withDatabase { db in
            try db.execute(sql: schema)
            for columns in indexes {
                for (number, index) in columns.enumerated() {
                    try db.execute(sql: "CREATE INDEX i\(number) ON \(index)")
                }
                // The first run lets the library read the schema.
                _ = try shape.fetch(db)
                let request = try db.steps { _ = try shape.fetch(db) }
                let hand = try db.steps { for sql in shape.hand { _ = try Row.fetchAll(db, sql: sql) } }
                #expect(request <= 3 * hand + 1000, "\(shape.testDescription) with \(columns): \(request) for \(hand)")
                for number in columns.indices { try db.execute(sql: "DROP INDEX i\(number)") }
            }
        }
    }

    /// The rows are correct whether or not the schema guarantees unique pivots.
    @Test(arguments: ["PRIMARY KEY (issueId, labelId)", "CHECK (true)"])
    func pivotsThatRepeat(_ constraint: String) throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE label (id INTEGER PRIMARY KEY);
                    CREATE TABLE issue (id INTEGER PRIMARY KEY, projectId, status, points INTEGER);
                    CREATE TABLE link (
                        issueId INTEGER REFERENCES issue, labelId INTEGER REFERENCES label, \(constraint));
                    CREATE INDEX link_label ON link(labelId);
                    INSERT INTO label VALUES (1), (2), (3);
                    INSERT INTO issue VALUES (1, 1, 'open', 5), (2, 1, 'open', 5), (3, 1, 'closed', 5), (4, 1, 'open', 2);
                    INSERT OR IGNORE INTO link VALUES (1, 1), (1, 1), (2, 1), (3, 1), (4, 2), (4, 2)
                    """)
            let request = Label.annotated(
                with: openIssues.count, openIssues.sum(\.points), openIssues.average(\.points),
                openIssues.isEmpty.forKey("none"))
            let found = try Row.fetchAll(db, request).map { row in
                Array(row.databaseValues.map { Double.fromDatabaseValue($0) })
            }
            let expected: [[Double?]] = [[1, 2, 10, 5, 0], [2, 1, 2, 2, 0], [3, 0, nil, nil, 1]]
            #expect(found == expected)
        }
    }

    /// Keys that the pivot distinguishes but the join doesn't; SQL text with a column name that both tables have.
    @Test func pivotsThatAreNotJoined() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE label (id INTEGER PRIMARY KEY);
                    CREATE TABLE issue (id INTEGER PRIMARY KEY, projectId, status, points INTEGER);
                    CREATE TABLE link (
                        issueId REFERENCES issue, labelId INTEGER REFERENCES label, id, UNIQUE (issueId, labelId));
                    CREATE INDEX link_label ON link(labelId);
                    INSERT INTO label VALUES (1);
                    INSERT INTO issue VALUES (1, 1, 'open', 5), (2, 1, 'open', 7);
                    INSERT INTO link VALUES (1, 1, 1), ('1', 1, 2)
                    """)
            let request = Label.annotated(with: openIssues.count, openIssues.sum(\.points))
            let row = try #require(try Row.fetchOne(db, request))
            #expect(Array(row.databaseValues) == [1, 1, 5].map(\.databaseValue))
            let byText = Label.issues.filter(sql: "id > 0")
            let text = try #require(try Row.fetchOne(db, Label.annotated(with: byText.count.forKey("n"))))
            #expect(text["n"] == 1)
        }
    }
}
