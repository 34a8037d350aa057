import Foundation
import Rowan
import Testing

private struct Document: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "document"
    var title: String
    var body: String

    enum Columns {
        static let title = Column("title")
        static let body = Column("BODY")
    }
}

private func inLibrary(_ module: String, _ body: (Database) throws -> Void) throws {
    try inLoggedDatabase { db, _ throws in
        try db.create(virtualTable: "document", using: module)
        try Document(title: "SQLite", body: "A small database that many programs contain").insert(db)
        try Document(title: "A database", body: "What a database is").insert(db)
        try body(db)
    }
}

struct FullTextFunctionTests {
    private let five = FTS5Pattern(matchingAllTokensIn: "database")
    private let three = FTS3Pattern(matchingAllTokensIn: "database")

    @Test func highlights() throws {
        try inLibrary("fts5(title, body)") { db throws in
            let request = Document.matching(five).order(Column.rowID)
                .select { [FTS5.highlight($0.body), FTS5.highlight($0.title, start: "[", end: "]")] }
            let text = try statementText(db, request)
            #expect(
                text.sql == #"SELECT highlight("document", 1, ?, ?), highlight("document", 0, ?, ?) FROM "document" "#
                    + #"WHERE "document" MATCH ? ORDER BY "rowid""#)
            let rows = try Row.fetchAll(db, request)
            #expect(
                rows.map { $0[0] as String }
                    == ["A small <b>database</b> that many programs contain", "What a <b>database</b> is"])
            #expect(rows.map { $0[1] as String } == ["SQLite", "A [database]"])
        }
    }

    @Test func snippets() throws {
        try inLibrary("fts5(title, body)") { db throws in
            let request = Document.matching(five).order(Column.rowID)
                .annotated {
                    [FTS5.snippet(of: $0.body, start: "[", end: "]", ellipsis: "...", tokenCount: 3).forKey("s")]
                }
            #expect(
                try statementText(db, request).sql
                    == #"SELECT *, snippet("document", 1, ?, ?, ?, ?) AS "s" FROM "document" WHERE "document" MATCH ? "#
                    + #"ORDER BY "rowid""#)
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0["s"] as String } == ["A small [database]...", "What a [database]..."])
            #expect(rows.map { $0["title"] as String } == ["SQLite", "A database"])
            let any = Document.matching(five).order(Column.rowID)
                .select(FTS5.snippet(tokenCount: 2), as: String.self)
            #expect(try any.fetchAll(db).count == 2)
            #expect(try statementText(db, any).sql.hasPrefix(#"SELECT snippet("document", -1, ?, ?, ?, ?) FROM"#))
        }
    }

    @Test func relevance() throws {
        try inLibrary("fts5(title, body)") { db throws in
            let request = Document.matching(five).order(FTS5.bm25(weights: [0, 10]).desc)
            #expect(
                try statementText(db, request).sql
                    == #"SELECT * FROM "document" WHERE "document" MATCH ? ORDER BY bm25("document", ?, ?) DESC"#)
            #expect(try request.fetchAll(db).count == 2)
            #expect(
                try Document.matching(five).order(FTS5.bm25()).fetchAll(db).map(\.title) == ["A database", "SQLite"])
            let scores = try Document.matching(five).order(Column.rank)
                .select({ _ in [FTS5.bm25().forKey("a"), Column.rank.forKey("b")] }, as: Row.self).fetchAll(db)
            #expect(scores.count == 2)
            #expect(scores.allSatisfy { ($0["a"] as Double) == $0["b"] && ($0["a"] as Double) < 0 })
        }
    }

    @Test func joinsAndAliases() throws {
        try inLibrary("fts5(title, body)") { db throws in
            try db.execute(
                sql: "CREATE TABLE author (documentId INTEGER, name TEXT); INSERT INTO author VALUES (2, 'Ada')")
            let document = TableAlias<Document>(name: "d")
            let association = Table("author").belongsTo(
                Table<Document>("document"), using: ForeignKey(["documentId"], to: ["rowid"]))
            let joined = Table("author").all()
                .joining(required: association.aliased(document).matching(five))
                .annotated(with: document[FTS5.highlight(Column("title"))].forKey("marked"))
            #expect(
                try statementText(db, joined).sql.hasPrefix(
                    #"SELECT "author".*, highlight("d"."document", 0, ?, ?) AS "marked" FROM "author" JOIN "document" "d""#
                ))
            #expect(try Row.fetchOne(db, joined)?["marked"] == "A <b>database</b>")
            let included = Table("author").all().annotated(
                withRequired: association.matching(five).select(FTS5.snippet(of: Column("body")).forKey("s")))
            #expect(try Row.fetchOne(db, included)?["s"] == "What a <b>database</b> is")
        }
    }

    @Test func misuse() throws {
        try inLibrary("fts5(title, body)") { db throws in
            let error = #expect(throws: RequestError.self) {
                try Document.matching(five).select(FTS5.highlight(Column("nope"))).fetchAll(db)
            }
            #expect(error?.description.contains("the table document has no column nope") == true)
            let derived = CommonTableExpression(named: "c", request: Document.all())
            expectError(.SQLITE_ERROR) {
                _ = try derived.all().with(derived).select(FTS5.bm25()).asRequest(of: Row.self).fetchAll(db)
            }
            #expect(throws: RequestError.self) { _ = try SQLRequest<Row>("SELECT \(FTS5.bm25())").fetchAll(db) }
            // Without a match.
            expectError(.SQLITE_ERROR) {
                try db.execute(sql: "CREATE TABLE t (title); INSERT INTO t VALUES ('a')")
                _ = try Table("t").all().select(FTS5.highlight(Column("title"))).asRequest(of: Row.self).fetchAll(db)
            }
        }
    }

    @Test(arguments: ["fts3(title, body)", "fts4(title, body)"]) func functionsOfFTS3(module: String) throws {
        try inLibrary(module) { db throws in
            let request = Document.matching(three).order(Column.rowID).select {
                [
                    FTS3.snippet(of: $0.body, start: "[", end: "]", ellipsis: "...", tokenCount: 3), FTS3.offsets(),
                    FTS3.matchInfo(), FTS3.matchInfo(format: "n"), FTS3.snippet(start: "[", end: "]"),
                ]
            }
            if module.hasPrefix("fts3") {
                // FTS3 has no statistics.
                expectError(.SQLITE_ERROR) { try Row.fetchAll(db, request) }
                return
            }
            let rows = try Row.fetchAll(db, request)
            #expect(rows.map { $0[0] as String } == ["...small [database] that...", "...a [database] is"])
            #expect(rows.map { $0[1] as String } == ["1 0 8 8", "0 0 2 8 1 0 7 8"])
            #expect(rows.map { ($0[2] as Data).count } == [32, 32])
            #expect((rows[0][3] as Data).first == 2)
            #expect((rows[0][4] as String).contains("[database]"))
        }
    }
}
