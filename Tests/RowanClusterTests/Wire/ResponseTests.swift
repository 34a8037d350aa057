// Decodes each response from its bytes, however they are split.

import Foundation
import Rowan
import RowanCluster
import Testing

@Suite struct ResponseTests {
    /// A description of the only response in the bytes.
    private func description(_ type: UInt8, _ body: [UInt8]) throws -> String {
        let all = try responses(frame(type, body))
        return all.count == 1 ? "\(all[0])" : "\(all.count) responses"
    }

    /// The refusal in the body of a failure.
    private func failure(_ body: [UInt8]) throws -> NodeRefusal {
        guard case .failure(let refusal) = try responses(frame(0, body)).first else { throw Missing() }
        return refusal
    }

    @Test func responsesWithoutRows() throws {
        #expect(try failure(words(5) + text("busy")) == NodeRefusal(code: 5, message: "busy"))
        let leader = #"leader(RowanCluster.ReportedLeader"#
        #expect(try description(1, words(7) + text("a:1")) == leader + #"(id: 7, address: "a:1"))"#)
        #expect(try description(1, words(0) + text("")) == leader + #"(id: 0, address: ""))"#)
        #expect(try description(2, words(15_000)) == "welcome(heartbeat: 15000)")
        #expect(try description(4, words(3)) == "database(3)")
        #expect(try description(5, words(3 | 4 << 32, 2)) == "statement(database: 3, id: 4, parameterCount: 2)")
        #expect(
            try description(6, words(.max, 2)) == "result(RowanCluster.RowCounts(lastInsertedRowID: -1, changes: 2))")
        #expect(try description(8, words(0)) == "empty")
    }

    /// If a query fails, a node sends the failure after the columns and rows that it has already encoded.
    @Test func failuresBehindRows() throws {
        let columns = words(2) + text("a") + text("longname")
        #expect(try failure(columns + words(1) + text("overflow")) == NodeRefusal(code: 1, message: "overflow"))
        let rows = columns + words(0x11, 1, 2, 0x31, 3) + text("12345678")
        for message in ["", "no", "1234567", "12345678", "integer overflow", "né ± eight"] {
            #expect(try failure(rows + words(2067) + text(message)) == NodeRefusal(code: 2067, message: message))
        }
    }

    @Test func nodesAndFiles() throws {
        let nodes = frame(3, words(2, 1) + text("127.0.0.1:9001") + words(0, 2) + text("b:1") + words(9))
        guard case .nodes(let list) = try responses(nodes).first else { throw Missing() }
        #expect(list.map(\.id) == [1, 2])
        #expect(list.map(\.address) == ["127.0.0.1:9001", "b:1"])
        #expect(list.map(\.role) == [.voter, nil])
        let files = frame(9, words(2) + text("app") + blob([1, 2, 3]) + text("app-wal") + blob([]))
        guard case .files(let contents) = try responses(files).first else { throw Missing() }
        #expect(contents.map(\.name) == ["app", "app-wal"])
        #expect(contents.map(\.contents) == [Data([1, 2, 3]), Data()])
    }

    private struct Missing: Error {}

    @Test func rows() throws {
        let rows: [[WireValue]] = [
            [.integer(.min), .double(0.5), .text("né"), .blob([0, 1]), .null],
            [.text(""), .blob([]), .text("1234567"), .text("12345678"), .double(.nan)],
        ]
        let expected: [[DatabaseValue.Storage]] = [
            [.int64(.min), .double(0.5), .string("né"), .blob(Data([0, 1])), .null],
            [.string(""), .blob(Data()), .string("1234567"), .string("12345678"), .null],
        ]
        let bytes = rowsFrame(["a", "b", "", "a long name", "e"], rows)
        #expect(try values(bytes).map { $0.map(\.storage) } == expected)
        guard case .rows(let part) = try responses(bytes).first else { throw Missing() }
        #expect(part.columnNames == ["a", "b", "", "a long name", "e"])
        #expect(part.columnCount == 5)
        #expect(part.isLast && !part.isEmpty)
    }

    @Test func noRows() throws {
        let bytes = rowsFrame(["a"], [], isLast: false)
        guard case .rows(let part) = try responses(bytes).first else { throw Missing() }
        #expect(part.isEmpty && !part.isLast && part.columnNames == ["a"])
        #expect(try values(bytes).isEmpty)
    }

    /// The types of 16 columns fill a word.
    @Test(arguments: [1, 2, 15, 16, 17, 32, 33, 2_000])
    func manyColumns(_ count: Int) throws {
        let names = (0..<count).map { "c\($0)" }
        let row = (0..<count).map { $0 % 3 == 0 ? WireValue.text("t\($0)") : .integer(Int64($0)) }
        let expected = (0..<count).map { $0 % 3 == 0 ? "t\($0)".databaseValue : $0.databaseValue }
        #expect(try values(rowsFrame(names, [row, row])) == [expected, expected])
    }

    @Test(arguments: [9, 10, 11] as [UInt8])
    func columnsThatLoseNULLAreRefused(_ type: UInt8) throws {
        let bytes = type == 10 ? text("") : words(0)
        let rows: [[WireValue]] = [[.integer(1), WireValue(type: type, bytes: bytes)]]
        let error = #expect(throws: DatabaseError.self) { try values(rowsFrame(["id", "isActive"], rows)) }
        #expect(error?.resultCode == .SQLITE_MISMATCH)
        #expect(error?.message?.hasPrefix("the column \"isActive\" is declared as BOOLEAN, DATE,") == true)
    }

    @Test(arguments: [1, 3, 8, 1_000, 65_536])
    func arrivalInPieces(_ size: Int) throws {
        let long = String(repeating: "ä", count: 50_000)
        let bytes =
            frame(8, words(0)) + rowsFrame(["a"], [[.text(long)]]) + frame(0, words(1) + text("no"))
            + rowsFrame(["b"], (0..<5_000).map { [.integer($0)] }) + frame(4, words(1))
        let types = try responses(bytes, pieces: size).map { "\($0)".prefix(while: { $0 != "(" }) }
        #expect(types == ["empty", "rows", "failure", "rows", "database"])
        let all = try values(bytes)
        #expect(all.count == 5_001)
        #expect(all[0] == [long.databaseValue])
        #expect(all[5_000] == [4_999.databaseValue])
    }

    /// A part that the program retains is not overwritten by later data.
    @Test func keptParts() throws {
        let bytes = (0..<300).flatMap { number in
            rowsFrame(["a"], [[.text(String(repeating: "\(number)", count: 1_000))]])
        }
        let parts = try responses(bytes, pieces: 7_000)
        #expect(parts.count == 300)
        for (number, response) in parts.enumerated() {
            guard case .rows(let part) = response else { throw Missing() }
            #expect(try values(part) == [[String(repeating: "\(number)", count: 1_000).databaseValue]])
        }
    }

    /// The connection does not retain the memory of a huge value.
    @Test func memoryOfLargeFrames() throws {
        var buffer = FrameBuffer()
        let large = rowsFrame(["a"], [[.blob(Array(repeating: 7, count: 3 << 20))]])
        let small = frame(4, words(1))
        var rest = (large + small + small)[...]
        var responseCount = 0
        while !rest.isEmpty {
            let count = try buffer.fill { room in
                let piece = rest.prefix(min(room.count, 50_000))
                room.copyBytes(from: piece)
                return piece.count
            }
            rest = rest.dropFirst(count)
            #expect(buffer.capacity <= (3 << 20) + 100)
            while try buffer.next() != nil { responseCount += 1 }
        }
        #expect(responseCount == 3)
        #expect(try buffer.fill { _ in 0 } == 0)
        #expect(buffer.isEmpty && buffer.capacity <= 1 << 20)
    }
}
