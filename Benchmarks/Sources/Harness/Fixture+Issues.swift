extension Fixture.Table {
    /// Issues of ten projects, and their labels.
    static let issueTables = """
        CREATE TABLE label (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE issue (
            id INTEGER PRIMARY KEY,
            projectId INTEGER NOT NULL,
            status TEXT NOT NULL,
            title TEXT NOT NULL);
        CREATE TABLE issueLabel (
            issueId INTEGER NOT NULL REFERENCES issue(id),
            labelId INTEGER NOT NULL REFERENCES label(id),
            PRIMARY KEY (issueId, labelId));
        CREATE INDEX issue_on_project ON issue(projectId, status);
        CREATE INDEX issueLabel_on_label ON issueLabel(labelId, issueId);
        """

    /// A hundred labels, three for each issue.
    static func issueFilling(_ rows: Int) -> String {
        """
        BEGIN;
        INSERT INTO label
        \(numbers(100))
        SELECT i, 'Label ' || i FROM n;
        INSERT INTO issue
        \(numbers(rows))
        SELECT i, 1 + i % 10, CASE i / 10 % 4 WHEN 0 THEN 'closed' WHEN 1 THEN 'in review' ELSE 'open' END,
            'What the issue with number ' || i || ' is about'
        FROM n;
        INSERT INTO issueLabel
        SELECT issue.id, 1 + (issue.id + issue.id / 10 + step.column1) % 100 FROM issue, (VALUES (0), (33), (66)) AS step;
        COMMIT;
        """
    }
}
