import Foundation
import Rowan
import Testing

private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var score: Int?
    var teamId: String?
}

private final class TextFile: TextOutputStream, Sendable {
    let handle: FileHandle
    init(_ handle: FileHandle) { self.handle = handle }
    func write(_ string: String) { handle.write(Data(string.utf8)) }
}

struct DumpArticleTests {
    @Test func article() async throws {
        let (dbQueue, log) = try loggedQueue(
            """
            CREATE TABLE team (id TEXT PRIMARY KEY, name TEXT);
            CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER, teamId TEXT REFERENCES team(id));
            INSERT INTO team VALUES ('red', 'Reds');
            INSERT INTO player VALUES (1, 'Arthur', 500, 'red'), (2, 'Barbara', 1000, 'red'), (3, 'Craig', NULL, NULL)
            """)
        try queries(dbQueue)
        try formats(dbQueue)
        let folder = try TemporaryFolder()
        let path = folder.path("dump.txt")
        try #require(FileManager.default.createFile(atPath: path, contents: nil))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try await files(dbQueue, handle)
        try handle.close()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.hasPrefix("id,name,score,teamId\r\n1,Arthur,500,red\r\n"))
        #expect(text.hasSuffix("{\"id\":\"red\",\"name\":\"Reds\"}\n"))
        try scripts(dbQueue)
        try Article("Dump").check(ran: log.take())
    }

    /// The output of the article's comments.
    private func queries(_ dbQueue: DatabaseQueue) throws {
        // 1|Arthur|500|red
        // 2|Barbara|1000|red
        // 3|Craig||
        try dbQueue.dumpRequest(Player.all())
        // 2|Barbara
        try dbQueue.dumpSQL("SELECT id, name FROM player WHERE score > \(500)")
        // player
        // 1|Arthur|500|red
        // 2|Barbara|1000|red
        // 3|Craig||
        //
        // team
        // red|Reds
        try dbQueue.dumpTables(["player", "team"])

        let rows = "1|Arthur|500|red\n2|Barbara|1000|red\n3|Craig||\n"
        #expect(try dumped { try dbQueue.dumpRequest(Player.all(), to: $0) } == rows)
        #expect(
            try dumped { try dbQueue.dumpSQL("SELECT id, name FROM player WHERE score > \(500)", to: $0) }
                == "2|Barbara\n")
        #expect(
            try dumped { try dbQueue.dumpTables(["player", "team"], to: $0) } == "player\n\(rows)\nteam\nred|Reds\n")
    }

    private func formats(_ dbQueue: DatabaseQueue) throws {
        let stream = TextSink()
        try dbQueue.read { db in try formats(db, to: stream) }
        #expect(
            stream.text
                == """
                [{"id":1,"name":"Arthur","score":500,"teamId":"red"},
                {"id":3,"name":"Craig","score":null,"teamId":null}]
                id;name;score;teamId
                1;Arthur;500;red
                3;Craig;NULL;NULL

                """)
    }

    private func formats(_ db: Database, to stream: TextSink) throws {
        // [{"id":1,"name":"Arthur","score":500,"teamId":"red"},
        // {"id":3,"name":"Craig","score":null,"teamId":null}]
        try db.dumpRequest(Player.filter(keys: [1, 3]), format: .json(), to: stream)
        // id;name;score;teamId
        // 1;Arthur;500;red
        // 3;Craig;NULL;NULL
        let format = CSVDumpFormat(separator: ";", lineEnding: .lf, nullValue: "NULL")
        try db.dumpRequest(Player.filter(keys: [1, 3]), format: format, to: stream)
    }

    private func files(_ dbQueue: DatabaseQueue, _ handle: FileHandle) async throws {
        let file = TextFile(handle)
        try dbQueue.dumpTables(["player"], format: .csv(), to: file)
        try await dbQueue.read { db in
            try db.dumpContent(format: .jsonLines(), to: file) { progress in
                print("\(progress.rowCount) rows, \(progress.byteCount) bytes")
            }
        }
    }

    private func scripts(_ dbQueue: DatabaseQueue) throws {
        let stream = TextSink()
        try dbQueue.dumpScript(to: stream)
        let copy = try DatabaseQueue()
        try copy.write { db in try db.execute(sql: stream.text) }
        #expect(try copy.read(DatabaseContent.init) == dbQueue.read(DatabaseContent.init))
    }
}
