// Reading the tables behind a full-text table, or its vocabulary, counts as reading the full-text table.

import Rowan
import Testing

struct FullTextObservationTests {
    private static let schema = """
        CREATE VIRTUAL TABLE doc USING fts5(body);
        CREATE VIRTUAL TABLE terms USING fts5vocab(doc, 'row');
        CREATE VIRTUAL TABLE "my terms" USING FTS5VOCAB ( 'doc' , instance );
        CREATE VIRTUAL TABLE temp.far USING fts5vocab("main", [doc], col);
        CREATE VIRTUAL TABLE old USING fts4(body);
        CREATE VIRTUAL TABLE aux USING fts4aux(old);
        CREATE VIRTUAL TABLE box USING rtree(id, a, b);
        CREATE TABLE doc_other(x);
        INSERT INTO doc VALUES ('one two');
        INSERT INTO old VALUES ('one two');
        INSERT INTO box VALUES (1, 0, 1)
        """

    private static let queries: [(sql: String, region: String)] = [
        ("SELECT term FROM terms", "doc(*),terms(term)"),
        ("SELECT term FROM \"my terms\"", "doc(*),my terms(term)"),
        ("SELECT term FROM far", "doc(*),temp.far(term)"),
        ("SELECT count(*) FROM doc_content", "doc(*),doc_content(*)"),
        ("SELECT sz FROM DOC_docsize", "doc(*),doc_docsize(sz)"),
        ("SELECT docid FROM old_content", "old(*),old_content(docid)"),
        ("SELECT term FROM aux", "aux(term),old(*)"),
        ("SELECT nodeno FROM box_node", "box(*),box_node(nodeno)"),
        ("SELECT x FROM doc_other", "doc_other(x)"),
        ("SELECT body FROM doc", "doc(body)"),
    ]

    @Test func regions() throws {
        try withDatabase { db throws in
            try db.execute(sql: Self.schema)
            for (sql, region) in Self.queries {
                let statement = try db.makeStatement(sql: sql).databaseRegion.description
                #expect(statement == region, "\(sql)")
                let request = try SQLRequest<Row>(sql: sql).databaseRegion(db).description
                #expect(request == region, "\(sql)")
            }
            #expect(try Table("terms").databaseRegion(db).description == "doc(*),terms(*)")
            #expect(try Table("DOC_content").databaseRegion(db).description == "doc(*),doc_content(*)")
            #expect(try Table("doc").databaseRegion(db).description == "doc(*)")
            // The schema is reread when it changes.
            try db.execute(sql: "DROP TABLE terms; CREATE VIRTUAL TABLE terms USING fts5vocab(doc2, 'row')")
            #expect(try Table("terms").databaseRegion(db).description == "doc2(*),terms(*)")
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func changes(kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try writer.write {
            try $0.execute(
                sql: Self.schema.replacing("temp.far USING fts5vocab", with: "far USING fts5vocab").replacing(
                    "\"main\", [doc]", with: "[doc]"))
        }
        for (sql, write) in [
            ("SELECT term FROM terms", "INSERT INTO doc VALUES ('three')"),
            ("SELECT c0 FROM doc_content", "UPDATE doc SET body = 'four'"),
            ("SELECT term FROM aux", "DELETE FROM old"),
            ("SELECT nodeno FROM box_rowid", "INSERT INTO box VALUES (2, 0, 1)"),
        ] {
            let region = try writer.read { try SQLRequest<Row>(sql: sql).databaseRegion($0) }
            let log = ChangeLog(region, .region)
            try writer.subscribe(log)
            try writer.write { try $0.execute(sql: write) }
            #expect(log.notices(region), "\(sql)")
        }
        withExtendedLifetime(folder) {}
    }

    @Test func observation() async throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("pool.sqlite"))
        try await pool.write {
            try $0.execute(sql: Self.schema.replacing("temp.far", with: "far").replacing("\"main\", ", with: ""))
        }
        let recorder = ValueObservation.tracking { try String.fetchAll($0, sql: "SELECT term FROM terms") }.record(
            in: pool)
        try await pool.write { try $0.execute(sql: "INSERT INTO doc VALUES ('three')") }
        await eventually { recorder.values.last == ["one", "three", "two"] }
        #expect(recorder.values.last == ["one", "three", "two"])
        recorder.cancel()
        withExtendedLifetime(folder) {}
    }
}
