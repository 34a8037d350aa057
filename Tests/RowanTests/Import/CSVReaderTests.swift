// Reading comma-separated values: rows, lines, errors, and records.

import Foundation
import Rowan
import Testing

@testable import RowanImport

@Suite struct CSVReaderTests {
    /// The rows of a text, each with its line, and the errors.
    private func read(_ text: String, _ format: CSVDumpFormat = CSVDumpFormat(), capacity: Int = 1 << 16) -> [String] {
        var found: [String] = []
        do {
            let reader = try CSVReader(ImportData(Data(text.utf8), name: nil), format, capacity: capacity)
            found.append(reader.columnNames.joined(separator: "|"))
            while true {
                do {
                    guard let row = try reader.next() else { break }
                    found.append("\(row.line): " + row.values.map { $0.map { "<\($0)>" } ?? "NULL" }.joined())
                } catch let error as ImportError { found.append("\(error)") }
            }
        } catch { found.append("\(error)") }
        return found
    }

    /// Small buffers are filled, moved and enlarged at each place.
    private static let capacities = [4, 5, 6, 7, 9, 16, 1 << 16]

    @Test(arguments: [
        ("", [""]),
        ("a", ["a"]),
        ("a,b\n1,2", ["a|b", "2: <1><2>"]),
        ("a,b\n1,2\n", ["a|b", "2: <1><2>"]),
        ("a,b\r\n1,2\r\n3,4\r\n", ["a|b", "2: <1><2>", "3: <3><4>"]),
        ("a,b\r1,2\r3,4", ["a|b", "2: <1><2>", "3: <3><4>"]),
        ("\u{FEFF}a,b\n1,2\n", ["a|b", "2: <1><2>"]),
        ("a,b\n,\n\"\",\" \"\n", ["a|b", "2: NULLNULL", "3: <>< >"]),
        ("a,b\n\"x,y\",\"say \"\"hi\"\"\"\n", ["a|b", "2: <x,y><say \"hi\">"]),
        ("a\n\"\"\"\"\n\"\"\"\"\"\"\n", ["a", "2: <\">", "3: <\"\">"]),
        ("a,b\n\"1\n2\",3\n4,5\n", ["a|b", "2: <1\n2><3>", "4: <4><5>"]),
        ("a,b\n\"1\r\n2\r3\",3\n4,5\n", ["a|b", "2: <1\r\n2\r3><3>", "5: <4><5>"]),
        // Quotes inside a value without quotes are part of it.
        ("a,b\n5\" pipe,x\"y\"\n", ["a|b", "2: <5\" pipe><x\"y\">"]),
        // Lines without values.
        ("a,b\n\n1,2\n\n\n3,4\n\n", ["a|b", "3: <1><2>", "6: <3><4>"]),
        ("a\n\n1\n\n", ["a", "2: NULL", "3: <1>", "4: NULL"]),
        ("é,😀\nß,\u{0}\n", ["é|😀", "2: <ß><\u{0}>"]),
        (
            "a,b\n1\n1,2,3\n4,5\n",
            [
                "a|b", "line 2: the row has 1 value instead of 2", "line 3: the row has 3 values instead of 2",
                "4: <4><5>",
            ]
        ),
        (
            "a,b\n\"1\"2,3\n4,5\n",
            [
                "a|b", "line 2, column a: text follows the quote that ends the value", "3: <4><5>",
            ]
        ),
        (
            "a,b\r\n1,\"2\" \r\n4,5",
            [
                "a|b", "line 2, column b: text follows the quote that ends the value", "3: <4><5>",
            ]
        ),
        ("a,b\n1,\"2\n3,4\n", ["a|b", "line 2, column b: a quoted value has no end"]),
        ("\"a", ["line 1, column 1: a quoted value has no end"]),
    ])
    func texts(_ text: String, _ expected: [String]) {
        for capacity in Self.capacities { #expect(read(text, capacity: capacity) == expected, "\(capacity)") }
    }

    @Test func formats() {
        #expect(
            read("1;\"2;3\"\n4;NULL\n5;\"NULL\"", CSVDumpFormat(header: false, separator: ";", nullValue: "NULL")) == [
                "column1|column2", "1: <1><2;3>", "2: <4>NULL", "3: <5><NULL>",
            ])
        #expect(read("a\tb\n1,5\t2\n", CSVDumpFormat(separator: "\t")) == ["a|b", "2: <1,5><2>"])
        #expect(read("", CSVDumpFormat(header: false)) == [""])
        // A blank line at the start has one value.
        #expect(read("\n1", CSVDumpFormat(header: false)) == ["column1", "1: NULL", "2: <1>"])
        for separator in ["\"", "\n", "é", "\0"] as [Unicode.Scalar] {
            #expect(
                read("a", CSVDumpFormat(separator: separator)).first?.contains(
                    "SQLite error 21: CSV that is separated by") == true)
        }
    }

    @Test func bytesThatAreNotText() throws {
        func read(_ bytes: [UInt8]) throws -> [String] {
            let reader = try CSVReader(Data(bytes))
            var found: [String] = []
            while true {
                do {
                    guard let row = try reader.next() else { return found }
                    found.append(row.values.map { $0 ?? "NULL" }.joined(separator: "|"))
                } catch let error as ImportError { found.append("\(error)") }
            }
        }
        #expect(
            try read([UInt8]("a,b\n1,".utf8) + [0xFF, 0x0A] + [UInt8]("2,3\n".utf8)) == [
                "line 2, column b: the text is not valid UTF-8", "2|3",
            ])
        #expect(throws: ImportError(nil, line: 1, field: 0, "the text is not valid UTF-8")) { try read([0xC3, 0x28]) }
        for mark in [[0xFF, 0xFE], [0xFE, 0xFF]] as [[UInt8]] {
            #expect(throws: ImportError(nil, line: 1, field: nil, "the text is UTF-16: convert it to UTF-8")) {
                try read(mark + [0x61, 0x00])
            }
        }
    }

    @Test func files() throws {
        let folder = try TemporaryFolder()
        let url = folder.url.appending(path: "players.csv")
        try Data("name,score\nArthur,many\n".utf8).write(to: url)
        let row = try #require(try CSVReader(url).next())
        #expect((row.line, row["name"], row["score"], row["none"]) == (2, "Arthur", "many", nil))
        let missing = folder.url.appending(path: "none.csv")
        #expect(
            throws: ImportError(missing.path, line: nil, field: nil, "can't read the file: No such file or directory")
        ) {
            try CSVReader(missing)
        }
        #expect(throws: ImportError(folder.url.path, line: nil, field: nil, "can't read the file: Is a directory")) {
            try CSVReader(folder.url)
        }
    }

    @Test func closures() throws {
        struct Failure: Error {}
        var parts = ["a,b\n", "1,", "2\n3", ",4"].map { Array($0.utf8) }
        let reader = try CSVReader(named: "standard input") { buffer in
            guard !parts.isEmpty else { throw Failure() }
            let part = parts.removeFirst()
            buffer.copyBytes(from: part)
            return part.count
        }
        #expect(try reader.next()?.values == ["1", "2"])
        #expect(throws: Failure.self) { try reader.next() }
    }

    /// The system's functions return -1 after an error.
    @Test(arguments: [-1, .min, 1 << 40]) func closuresThatFail(count: Int) throws {
        #expect(throws: ImportError.self) { try CSVReader { _ in count } }
        var isFirst = true
        let reader = try CSVReader(named: "pipe") { buffer in
            defer { isFirst = false }
            guard isFirst else { return count }
            buffer.copyBytes(from: Array("a,b\n1,".utf8))
            return 6
        }
        let error = #expect(throws: ImportError.self) { try reader.next() }
        #expect(
            error?.description == "pipe: can't read the text: the closure has returned \(count) as a number of bytes")
    }

    /// Any bytes are read as the same rows, whatever the size of the buffer.
    @Test func buffersDoNotMatter() {
        var random = SeededGenerator(31)
        let pieces = ["a", "é", ",", ",", "\"", "\"", "\"\"", "\n", "\r\n", "\r", "0", "long text ", ""]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            .joined()
            let whole = read(text)
            for capacity in [4, 5, 7, 10] {
                #expect(read(text, capacity: capacity) == whole, "ROWAN_SEED=\(random.seed) \(text.debugDescription)")
            }
        }
    }

    // MARK: Records

    private enum Team: String, Decodable { case reds, blues }

    private struct Player: Decodable, Equatable {
        var id: Int64
        var name: String
        var score: Double?
        var team: Team?
        var isActive: Bool
        var photo: Data?
        var birth: Date?
        var uuid: UUID?
        var level: UInt8 = 0
        enum CodingKeys: String, CodingKey { case id, name, score, team, isActive = "active", photo, birth, uuid }
    }

    @Test func records() throws {
        let text = """
            active,id,name,score,team,photo,birth,uuid,other
            true,1,007,1.5,reds,AQI=,2026-01-02,E621E1F8-C36C-495A-93FC-0C247A3E6E5F,x
            0,2,"",,,,,,
            """
        let players = try Array(try CSVReader(Data(text.utf8)).records(of: Player.self))
        let birth = Date.fromDatabaseValue("2026-01-02".databaseValue)
        #expect(
            players == [
                Player(
                    id: 1, name: "007", score: 1.5, team: .reds, isActive: true, photo: Data([1, 2]), birth: birth,
                    uuid: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")),
                Player(id: 2, name: "", isActive: false),
            ])
    }

    @Test func recordErrors() throws {
        let text = """
            id,name,active,team,score,photo
            x,a,1,,,
            1,,1,,,
            1,a,yes,,,
            1,a,1,greens,,
            1,a,1,,1.5e,
            1,a,1,,,***
            1,a,1,,2,
            """
        let players = try CSVReader(Data(text.utf8)).records(of: Player.self)
        var found: [String] = []
        while true {
            do {
                guard let player = try players.next() else { break }
                found.append("\(player.score ?? 0)")
            } catch { found.append("\(error)") }
        }
        #expect(
            found == [
                "line 2, column id: the value is not one of the type Int64",
                "line 3, column name: the value is missing",
                "line 4, column active: the value is not one of the type Bool",
                "line 5, column team: the value is not one of the type Team",
                "line 6, column score: the value is not one of the type Double",
                "line 7, column photo: the value is not one of the type Data",
                "2.0",
            ])
        let incomplete = try CSVReader(Data("id\n1\n".utf8)).records(of: Player.self)
        #expect(throws: ImportError.self) { try incomplete.next() }
        do { _ = try CSVReader(Data("id\n1\n".utf8)).records(of: Player.self).next() } catch {
            #expect("\(error)" == "line 2, column name: there is no column \"name\"")
        }
    }

    @Test func hexadecimalData() throws {
        struct Blob: Decodable { var data: Data }
        let format = CSVDumpFormat(blobs: .hexadecimal)
        let blobs = try CSVReader(Data("data\n00fF\n0\n0g\n".utf8), format: format).records(of: Blob.self)
        #expect(try blobs.next()?.data == Data([0, 255]))
        #expect(throws: ImportError.self) { try blobs.next() }
        #expect(throws: ImportError.self) { try blobs.next() }
        #expect(try blobs.next() == nil)
    }
}
