// Aggregates of all rows of a request, grouped in one join: the choice of plan affects no result.

import Rowan
import Testing

private struct Label: TableRecord {
    static let links = hasMany(Link.self)
    static let issues = hasMany(Issue.self, through: links, using: Link.issue)
    enum Columns {
        static let id = Column("id")
        static let name = Column("name")
    }
}
private struct Link: TableRecord {
    static let issue = belongsTo(Issue.self)
    static let label = belongsTo(Label.self)
}
private struct Issue: TableRecord {
    static let links = hasMany(Link.self)
}
private struct Tag: TableRecord {
    static let links = hasMany(TagLink.self, using: ForeignKey(["tag"]))
    static let issues = hasMany(Issue.self, through: links, using: TagLink.issue)
}
private struct TagLink: TableRecord {
    static let issue = belongsTo(Issue.self)
}

private let open = Label.issues.filter { _ in Column("status") == "open" }

@Suite struct WholeAggregateTests {
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE label (name TEXT, id INTEGER PRIMARY KEY);
                    CREATE TABLE issue (id INTEGER PRIMARY KEY, status TEXT, title TEXT);
                    CREATE TABLE link (
                        issueId INTEGER REFERENCES issue, labelId INTEGER REFERENCES label,
                        PRIMARY KEY (issueId, labelId));
                    CREATE INDEX link_label ON link(labelId);
                    INSERT INTO label VALUES ('bug', 1), ('feature', 2), ('none', 3);
                    INSERT INTO issue VALUES (1, 'open', 'Foo'), (2, 'open', 'bar'), (3, 'closed', 'zoo');
                    INSERT INTO link VALUES (1, 1), (2, 1), (3, 1), (2, 2), (3, 2)
                    """)
            try body(db)
        }
    }

    private func sql(_ db: Database, _ request: some FetchRequest) throws -> String {
        try request.makePreparedRequest(db, forSingleResult: false).statement.sql
    }

    @Test func oneJoin() throws {
        try inDatabase { db in
            let request = Label.annotated(with: open.count)
            try #expect(
                sql(db, request) == """
                    SELECT "label".*, IFNULL("issues"."value0", ?) AS "issueCount" FROM "label" \
                    LEFT JOIN (SELECT "link"."labelId" AS "key0", COUNT(*) AS "value0" FROM "issue" \
                    JOIN "link" ON "link"."issueId" = "issue"."id" WHERE "issue"."status" = ? \
                    GROUP BY "link"."labelId") AS "issues" ON "issues"."key0" = "label"."id"
                    """)
            let rows = try Row.fetchAll(db, request).map { "\($0)" }
            #expect(
                rows == [
                    #"[name:"bug" id:1 issueCount:2]"#, #"[name:"feature" id:2 issueCount:1]"#,
                    #"[name:"none" id:3 issueCount:0]"#,
                ])
        }
    }

    /// `*` and `rowid` have the same meaning as in the table alone.
    @Test func textOfTheProgram() throws {
        try inDatabase { db in
            let having = Label.having(open.count > 0)
            let rows = try Row.fetchAll(db, having.select(sql: "*, length(name) AS n"))
            #expect(rows.map { Array($0.columnNames) } == [["name", "id", "n"], ["name", "id", "n"]])
            let names = try String.fetchAll(db, having.order(sql: "rowid DESC"))
            #expect(names == ["feature", "bug"])
            let filtered = try String.fetchAll(db, having.filter(sql: "rowid = 2"))
            #expect(filtered == ["feature"])
        }
    }

    /// An argument's collation does not apply to its maximum.
    @Test(arguments: [true, false]) func collatedArguments(_ isIndexed: Bool) throws {
        try inDatabase { db in
            if !isIndexed { try db.execute(sql: "DROP INDEX link_label") }
            let title = Column("title").collating(.nocase)
            let request = Label.having(open.max(title) == "foo")
            let exact = Label.having(open.max(title) == "Foo")
            try #expect(request.fetchCount(db) == 0)
            try #expect(request.filter { $0.id == 1 }.fetchCount(db) == 0)
            try #expect(exact.fetchCount(db) == 1)
            try #expect(exact.filter { $0.id == 1 }.fetchCount(db) == 1)
            try #expect(request.deleteAll(db) == 0)
        }
    }

    /// Keys that an index distinguishes, but a comparison of the column doesn't.
    @Test func anIndexWithAnotherCollation() throws {
        try inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE tag (name TEXT COLLATE NOCASE PRIMARY KEY);
                    CREATE TABLE tagLink (tag TEXT COLLATE NOCASE REFERENCES tag, issueId INTEGER REFERENCES issue);
                    CREATE UNIQUE INDEX u ON tagLink(tag COLLATE BINARY, issueId);
                    INSERT INTO tag VALUES ('a');
                    INSERT INTO tagLink VALUES ('a', 1), ('A', 1), ('a', 2)
                    """)
            let issues = Tag.issues.filter { _ in Column("status") == "open" }
            let row = try #require(try Row.fetchOne(db, Tag.annotated(with: issues.count.forKey("n"))))
            #expect(row["n"] == 2)
            try #expect(!db.table("tagLink", hasUniqueKey: ["tag", "issueId"]))
            try db.execute(
                sql: """
                    DELETE FROM tagLink WHERE tag = 'A' COLLATE BINARY;
                    CREATE UNIQUE INDEX v ON tagLink(tag, issueId)
                    """)
            try #expect(db.table("tagLink", hasUniqueKey: ["issueId", "tag"]))
        }
    }

    /// A query may repeat the key of the table it is derived from.
    @Test func aDerivedTableWithRepeatedKeys() throws {
        struct Player: TableRecord {
            static let mates = hasMany(Player.self, using: ForeignKey(["teamId"], to: ["teamId"]))
        }
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, teamId INTEGER, formerId INTEGER);
                    INSERT INTO player VALUES (1, 10, 20), (2, 10, NULL), (3, 20, NULL)
                    """)
            let member = CommonTableExpression<Player>(
                named: "member",
                sql: "SELECT id, teamId FROM player UNION ALL SELECT id, formerId FROM player WHERE formerId NOT NULL")
            let request = member.all().with(member).filter(key: 1).annotated(with: Player.mates.count.forKey("n"))
            let counts = try Row.fetchAll(db, request).map { $0["n"] as Int }
            #expect(counts.sorted() == [1, 2])
        }
    }
}
