// Record types from schemas. Those of schema.sql are compiled as GeneratedRecords and GeneratedCodables.

import Foundation
import GeneratedCodables
import GeneratedRecords
import Rowan
import Testing

@Suite struct GenerateTests {
    private let tool = try! Tool()

    private func schema() throws -> String {
        let url = try #require(Bundle.module.url(forResource: "schema", withExtension: "sql"))
        return try String(contentsOf: url, encoding: .utf8)
    }

    /// The compiled files are those that the command writes.
    @Test(arguments: [("record", "GeneratedRecords"), ("codable", "GeneratedCodables")])
    func compiledFiles(style: String, folder: String) throws {
        let path = try tool.database(schema())
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
            path: folder)
        #expect(
            try tool.run("generate", path, "--into", sources.path, "--style", style, "--public", "--check") == .init("")
        )
    }

    // MARK: Records

    private func queue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: schema()) }
        return queue
    }

    @Test func recordsOfTheMacro() throws {
        try queue().write { db in
            var team = GeneratedRecords.Team(id: nil, name: "Reds", founded: Date(timeIntervalSince1970: 0))
            try team.insert(db)
            var player = GeneratedRecords.Player(
                id: nil, teamID: nil, homeTeamID: 1, name: "Arthur", score: 600, height: 1.5, isActive: true,
                photo: Data([1]),
                uid: UUID(), label: nil, short: nil)
            try player.insert(db)
            #expect(player.id == 1)
            let fetched = try #require(try GeneratedRecords.Player.fetchOne(db, key: 1))
            #expect(fetched.label == "Arthur!" && fetched.short == "A" && fetched.uid == player.uid)
            #expect(try GeneratedRecords.Team.fetchAll(db) == [team])
            try GeneratedRecords.Membership(player: 1, club: "Chess", since: nil).insert(db)
            var fee = GeneratedRecords.Fee(id: nil, player: 1, club: "Chess", amount: 2.5)
            try fee.insert(db)
            #expect(try fee.request(for: GeneratedRecords.Fee.membership).fetchCount(db) == 1)
            #expect(try team.request(for: GeneratedRecords.Team.playersByHomeTeam).fetchAll(db) == [fetched])
            #expect(try team.request(for: GeneratedRecords.Team.playersByTeam).fetchCount(db) == 0)
            #expect(try GeneratedRecords.BestPlayer.fetchAll(db).map(\.score) == [600])
            var odd = GeneratedRecords.Class(
                default: nil, selfValue: "a", in: "b", init: "c", type: "d", func: nil)
            try odd.insert(db)
            #expect(try GeneratedRecords.Class.fetchAll(db) == [odd])
            let names = GeneratedRecords.OddNameX(
                aB: "1", aB2: "2", aB3: "3", _1st: 4, column: "5", é: "6", qUote: "7", backSlash: "8", emoji: "9")
            try names.insert(db)
            #expect(try GeneratedRecords.OddNameX.fetchAll(db) == [names])
            try GeneratedRecords.Norowid(code: "a", n: 1).upsert(db)
            try GeneratedRecords.Norowid(code: "a", n: 2).upsert(db)
            #expect(try GeneratedRecords.Norowid.fetchAll(db) == [.init(code: "a", n: 2)])
            try GeneratedRecords.Document(title: "x", body: "y").insert(db)
            #expect(try GeneratedRecords.Document.fetchAll(db) == [.init(title: "x", body: "y")])
        }
    }

    @Test func codableRecords() throws {
        try queue().write { db in
            func decoded<Value: Decodable>(_ json: String, as type: Value.Type) throws -> Value {
                try JSONDecoder().decode(type, from: Data(json.utf8))
            }
            var team = try decoded(#"{"name":"Reds"}"#, as: GeneratedCodables.Team.self)
            try team.insert(db)
            #expect(team.id == 1)
            var player = try decoded(
                #"{"home_team_id":1,"name":"Arthur","isActive":true,"score":600}"#, as: GeneratedCodables.Player.self)
            try player.insert(db)
            let fetched = try #require(try GeneratedCodables.Player.fetchOne(db, key: 1))
            #expect(fetched.label == "Arthur!" && fetched.short == "A" && fetched.score == 600 && fetched.isActive)
            player.score = 700
            try player.update(db)
            #expect(
                try GeneratedCodables.Player.filter(GeneratedCodables.Player.Columns.homeTeamID == 1).fetchAll(db).map(
                    \.score)
                    == [700])
            #expect(try team.request(for: GeneratedCodables.Team.playersByHomeTeam).fetchCount(db) == 1)
            #expect(try GeneratedCodables.BestPlayer.fetchAll(db).map(\.name) == ["Arthur"])
            var odd = try decoded(#"{"self":"a","in":"b","Type":"c"}"#, as: GeneratedCodables.Class.self)
            try odd.insert(db)
            #expect(odd.default == 1)
            #expect(try GeneratedCodables.Class.fetchAll(db) == [odd])
        }
    }

    /// Each record is read, deleted, inserted and updated, and the table has the same row.
    @Test func allTablesRoundTrip() throws {
        // One table refers to a missing one.
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.write { try $0.execute(sql: schema()) }
        let records: [any RoundTripped.Type] = [
            GeneratedRecords.Address.self, GeneratedRecords.AnyRecord.self, GeneratedRecords.Category.self,
            GeneratedRecords.Class.self, GeneratedRecords.ColumnRecord.self, GeneratedRecords.Counted.self,
            GeneratedRecords.DataRecord.self, GeneratedRecords.DatabaseRecord.self, GeneratedRecords.Default.self,
            GeneratedRecords.Describing.self, GeneratedRecords.Document.self, GeneratedRecords.Dog.self,
            GeneratedRecords.Dog2.self, GeneratedRecords.DogsRecord.self, GeneratedRecords.ErrorRecord.self,
            GeneratedRecords.Fee.self, GeneratedRecords.FoundationRecord.self, GeneratedRecords.IntRecord.self,
            GeneratedRecords.KeyedByText.self, GeneratedRecords.KeyedByUuid.self, GeneratedRecords.Membership.self,
            GeneratedRecords.Nokey.self, GeneratedRecords.Norowid.self, GeneratedRecords.OddNameX.self,
            GeneratedRecords.OnlyGenerated.self, GeneratedRecords.OptionalRecord.self, GeneratedRecords.Orphan.self,
            GeneratedRecords.People.self, GeneratedRecords.Player.self, GeneratedRecords.`Protocol`.self,
            GeneratedRecords.Quoted.self, GeneratedRecords.RecordRecord.self, GeneratedRecords.RowRecord.self,
            GeneratedRecords.RowanRecord.self, GeneratedRecords.SelfPair.self, GeneratedRecords.SelfRecord.self,
            GeneratedRecords.Status.self, GeneratedRecords.StrictTable.self, GeneratedRecords.Team.self,
            GeneratedRecords.ThreeKey.self, GeneratedRecords.ThreeReference.self, GeneratedRecords.TypeRecord.self,
            GeneratedRecords.UPPERCASETABLE.self, GeneratedRecords.Unnamed.self, GeneratedRecords.View.self,
            GeneratedRecords.WideName.self, GeneratedRecords._2fast.self, GeneratedRecords.名前.self,
        ]
        let codables: [any RoundTripped.Type] = [
            GeneratedCodables.Address.self, GeneratedCodables.AnyRecord.self, GeneratedCodables.Category.self,
            GeneratedCodables.Class.self, GeneratedCodables.ColumnRecord.self, GeneratedCodables.Counted.self,
            GeneratedCodables.DataRecord.self, GeneratedCodables.DatabaseRecord.self, GeneratedCodables.Default.self,
            GeneratedCodables.Describing.self, GeneratedCodables.Document.self, GeneratedCodables.Dog.self,
            GeneratedCodables.Dog2.self, GeneratedCodables.DogsRecord.self, GeneratedCodables.ErrorRecord.self,
            GeneratedCodables.Fee.self, GeneratedCodables.FoundationRecord.self, GeneratedCodables.IntRecord.self,
            GeneratedCodables.KeyedByText.self, GeneratedCodables.KeyedByUuid.self, GeneratedCodables.Membership.self,
            GeneratedCodables.Nokey.self, GeneratedCodables.Norowid.self, GeneratedCodables.OddNameX.self,
            GeneratedCodables.OnlyGenerated.self, GeneratedCodables.OptionalRecord.self, GeneratedCodables.Orphan.self,
            GeneratedCodables.People.self, GeneratedCodables.Player.self, GeneratedCodables.`Protocol`.self,
            GeneratedCodables.Quoted.self, GeneratedCodables.RecordRecord.self, GeneratedCodables.RowRecord.self,
            GeneratedCodables.RowanRecord.self, GeneratedCodables.SelfPair.self, GeneratedCodables.SelfRecord.self,
            GeneratedCodables.Status.self, GeneratedCodables.StrictTable.self, GeneratedCodables.Team.self,
            GeneratedCodables.ThreeKey.self, GeneratedCodables.ThreeReference.self, GeneratedCodables.TypeRecord.self,
            GeneratedCodables.UPPERCASETABLE.self, GeneratedCodables.Unnamed.self, GeneratedCodables.View.self,
            GeneratedCodables.WideName.self, GeneratedCodables._2fast.self, GeneratedCodables.名前.self,
        ]
        let names = try queue.read { try $0.tables(in: "main").map(\.name) }
        for types in [records, codables] {
            #expect(Set(types.map { $0.databaseTableName }) == Set(names))
            for type in types {
                try queue.inDatabase { db in
                    try db.inTransaction {
                        try roundTrip(type, db)
                        return .rollback
                    }
                }
            }
        }
    }

    private typealias RoundTripped = FetchableRecord & MutablePersistableRecord

    private func roundTrip<Record: RoundTripped>(_ type: Record.Type, _ db: Database) throws {
        let table = Record.databaseTableName
        let quoted = "\"" + table.replacing("\"", with: "\"\"") + "\""
        let columns: [(name: String, type: String)] = try Row.fetchAll(
            db, sql: "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden = 0", arguments: [table]
        ).map { ($0[0], $0[1]) }
        let values = columns.enumerated().map { index, column -> String in
            let type = column.type.uppercased()
            if type.contains("INT") || type.contains("BOOL") { return "1" }
            // As records store them.
            if type == "UUID" { return "x'e621e1f8c36c495a93fc0c247a3e6e5f'" }
            if type.contains("DATE") || type.contains("TIME") { return "'2026-11-29 12:00:00.000'" }
            if type.contains("BLOB") { return "x'00ff'" }
            if type.contains("REAL") || type.contains("DOUB") || type.contains("FLOA") || type.contains("DEC")
                || type.contains("NUM")
            {
                return "1.5"
            }
            return "'text \(index)'"
        }
        let names = columns.map { "\"" + $0.name.replacing("\"", with: "\"\"") + "\"" }.joined(separator: ", ")
        try db.execute(sql: "INSERT INTO \(quoted) (\(names)) VALUES (\(values.joined(separator: ", ")))")
        let before = try Row.fetchAll(db, sql: "SELECT * FROM \(quoted)")
        var record = try #require(try Record.fetchOne(db), "\(table)")
        try db.execute(sql: "DELETE FROM \(quoted)")
        try record.insert(db)
        #expect(try Row.fetchAll(db, sql: "SELECT * FROM \(quoted)") == before, "\(table) \(record)")
        guard try !db.primaryKey(table).columns.allSatisfy({ ["rowid", "_rowid_", "oid"].contains($0) }) else { return }
        try record.update(db)
        #expect(try Row.fetchAll(db, sql: "SELECT * FROM \(quoted)") == before, "\(table) \(record)")
    }

    // MARK: Files

    @Test func choices() throws {
        let path = try tool.database(
            """
            CREATE TABLE players (id INTEGER PRIMARY KEY, price NUMERIC, note TEXT); CREATE TABLE log (a); CREATE TABLE tmp (a);
            """)
        let options = try tool.write("# For the app\n--exclude log\n\n--type players.note=Note?\n", "options.txt")
        let arguments = [
            "generate", path, "--into", "out", "--name", "players=Spieler", "--type", "players.price=Decimal",
            "--exclude", "TMP",
            "--options", options,
        ]
        #expect(try tool.run(arguments) == .init("wrote out/Spieler.swift\n"))
        #expect(
            try tool.text("out/Spieler.swift") == """
                // Written by rowan generate for the table players: do not edit.
                // swift-format-ignore-file

                import Foundation
                import RowanRecords

                @Record("players") struct Spieler: Equatable {
                    var id: Int64?
                    var price: Decimal?
                    var note: Note?
                }

                """)
        #expect(try tool.run(arguments) == .init(""))
        #expect(try tool.run(arguments + ["--check"]) == .init(""))
        for wrong in [["--name", "players"], ["--type", "x"]] { #expect(try tool.run(arguments + wrong).code == 2) }
    }

    /// A record would write another form than it has read.
    @Test func valuesThatRecordsWouldChange() throws {
        let path = try tool.database(
            """
            CREATE TABLE t (id UUID, a UUID, b UUID, c DATE, d DATE, e DATETIME, f DATETIME, g TIMESTAMP);
            INSERT INTO t VALUES (NULL, x'e621e1f8c36c495a93fc0c247a3e6e5f', NULL, NULL, NULL, NULL, NULL, NULL);
            INSERT INTO t VALUES (NULL, NULL, 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F', '2026-11-29', '2026-11-29 12:00:00.000',
                1764403200, 1764403200.5, NULL);
            """)
        #expect(try tool.run("generate", path, "--into", "out") == .init("wrote out/T.swift\n"))
        let text = try tool.text("out/T.swift")
        let types = text.matches(of: /var (\w+): (\w+)\?/).map { "\($0.output.1) \($0.output.2)" }
        #expect(types == ["id UUID", "a UUID", "b String", "c String", "d Date", "e Int", "f Double", "g Date"])
    }

    @Test func staleAndForeignFiles() throws {
        let path = try tool.database(
            "CREATE TABLE player (id INTEGER PRIMARY KEY); CREATE TABLE team (id INTEGER PRIMARY KEY)")
        #expect(
            try tool.run("generate", path, "--into", "out") == .init("wrote out/Player.swift\nwrote out/Team.swift\n"))
        _ = try tool.write("struct Own {}\n", "out/Own.swift")
        #expect(
            try tool.run("query", path, "ALTER TABLE player ADD COLUMN name TEXT; DROP TABLE team", "--write").code == 0
        )
        #expect(
            try tool.run("generate", path, "--into", "out", "--check")
                == .init("stale out/Player.swift\nstale out/Team.swift\n", code: 1))
        #expect(try tool.text("out/Player.swift").contains("name") == false)
        #expect(
            try tool.run("generate", path, "--into", "out") == .init("wrote out/Player.swift\nremoved out/Team.swift\n")
        )
        #expect(try tool.text("out/Own.swift") == "struct Own {}\n")
        _ = try tool.write("struct Player {}\n", "out/Player.swift")
        #expect(
            try tool.run("generate", path, "--into", "out")
                == .init(
                    "",
                    errors:
                        "rowan: out/Player.swift was not written by this command: move it, or give the type another name with --name\n",
                    code: 3))
        #expect(try tool.text("out/Player.swift") == "struct Player {}\n")
    }

    @Test func optionsInAFile() throws {
        let path = try tool.database("CREATE TABLE players (id INTEGER PRIMARY KEY); CREATE TABLE other (a)")
        _ = try tool.write(
            "# a comment\n--public\n--style codable\n--name players=Spieler\n--exclude other\n", "options")
        #expect(
            try tool.run("generate", path, "--into", "out", "--options", "options")
                == .init("wrote out/Spieler.swift\n"))
        #expect(try tool.text("out/Spieler.swift").contains("public struct Spieler: Codable"))
        // The command line takes precedence.
        #expect(
            try tool.run("generate", path, "--into", "out", "--options", "options", "--style", "record").code == 0)
        #expect(try tool.text("out/Spieler.swift").contains("@Record(\"players\", memberwise: true) public struct"))
        for line in ["--public yes", "--style", "--style none", "--nothing", "--name players=a/b"] {
            _ = try tool.write(line + "\n", "wrong")
            let output = try tool.run("generate", path, "--into", "out", "--options", "wrong")
            #expect(output.code == 2 && output.errors.hasPrefix("rowan: wrong: \(line)"), "\(output)")
        }
    }

    @Test func choicesThatDoNotExist() throws {
        let path = try tool.database("CREATE TABLE player (id INTEGER PRIMARY KEY, x TEXT); CREATE TABLE other (a)")
        for (arguments, code, message) in [
            (["--name", "nope=X"], 3, "there is no table nope: there are other, player"),
            (["--exclude", "nope"], 3, "there is no table nope: there are other, player"),
            (["--type", "player.zz=X"], 3, "there is no column player.zz: pass --type TABLE.COLUMN=Type"),
            (["--type", "nope.x=X"], 3, "there is no column nope.x: pass --type TABLE.COLUMN=Type"),
            (["--name", "player=../Evil"], 2, "--name player=../Evil: ../Evil can't be the name of a type"),
            (["--name", "player=1st"], 2, "--name player=1st: 1st can't be the name of a type"),
        ] as [([String], Int32, String)] {
            #expect(
                try tool.run(["generate", path, "--into", "out"] + arguments)
                    == .init("", errors: "rowan: \(message)\n", code: code))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path) == ["d.sqlite"])
        #expect(
            try tool.run(
                "generate", path, "--into", "out", "--exclude", "other", "--type", "other.a=Int", "--name",
                "PLAYER=Größe1")
                == .init("wrote out/Größe1.swift\n"))
    }

    @Test func brokenViews() throws {
        let path = try tool.database("CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE VIEW v AS SELECT missing FROM t")
        #expect(
            try tool.run("generate", path, "--into", "out")
                == .init(
                    "",
                    errors:
                        "rowan: the view v can't be read (no such column: missing): leave it out with --exclude v\n",
                    code: 3))
        #expect(try tool.run("generate", path, "--into", "out", "--exclude", "v") == .init("wrote out/T.swift\n"))
    }

    @Test func namesWithControlCharacters() throws {
        let path = try tool.database("CREATE TABLE \"t\u{1}\" (\"a\u{1B}\\\"\"b\" TEXT)")
        #expect(try tool.run("generate", path, "--into", "out").code == 0)
        let text = try tool.text("out/T.swift")
        #expect(text.contains(#"@Record("t\u{1}")"#) && text.contains(#"@Column("a\u{1b}\\\"b")"#), "\(text)")
    }

    @Test func foldersThatAreFiles() throws {
        let path = try tool.database("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        #expect(
            try tool.run("generate", path, "--into", "d.sqlite")
                == .init("", errors: "rowan: d.sqlite is not a folder: pass one as --into\n", code: 3))
        #expect(
            try tool.run("generate", path, "--into", "d.sqlite/out")
                == .init("", errors: "rowan: d.sqlite/out: Not a directory\n", code: 3))
    }
}
