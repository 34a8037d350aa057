// The bytes of each request, and values that can't be sent.

import Foundation
import Rowan
import RowanCluster
import Testing

@Suite struct RequestBufferTests {
    private func bytes(_ fill: (inout RequestBuffer) throws -> Void) throws -> [UInt8] {
        var buffer = RequestBuffer()
        try fill(&buffer)
        #expect(buffer.count == 1)
        return buffer.withUnsafeBytes { Array($0) }
    }

    @Test func requestsOfTheCluster() throws {
        #expect(try bytes { $0.leader() } == [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(try bytes { $0.client(id: 0x0102) } == [1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0])
        #expect(try bytes { try $0.add(id: 3, address: "a:1") } == frame(12, words(3) + text("a:1")))
        #expect(try bytes { $0.assign(id: 3, role: .spare) } == frame(13, words(3, 2)))
        #expect(try bytes { $0.remove(id: 3) } == frame(14, words(3)))
        #expect(try bytes { try $0.dump(name: "app") } == frame(15, text("app")))
        #expect(try bytes { $0.cluster() } == frame(16, words(1)))
        #expect(try bytes { $0.transfer(id: 3) } == frame(17, words(3)))
    }

    @Test func requestsOfStatements() throws {
        #expect(try bytes { try $0.open(name: "app") } == frame(3, text("app") + words(0) + text("")))
        // The text and its NUL fill exactly one word; with one more byte, they need a second one.
        #expect(
            try bytes { try $0.prepare(db: 1, sql: "SELECT1") }
                == [2, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0] + Array("SELECT1".utf8) + [0])
        #expect(
            try bytes { try $0.prepare(db: 1, sql: "SELECT 1") }
                == [3, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0] + Array("SELECT 1".utf8)
                + [0, 0, 0, 0, 0, 0, 0, 0])
        #expect(
            try bytes { try $0.exec(db: 1, statement: 2, values: []) } == [
                1, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
            ])
        #expect(
            try bytes { try $0.query(db: 1, statement: 2, values: []) } == [
                1, 0, 0, 0, 6, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
            ])
        #expect(try bytes { $0.finalize(db: 1, statement: 2) } == [1, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0])
        #expect(try bytes { try $0.execSQL(db: 1, sql: "a") } == frame(8, words(1) + text("a")))
        #expect(try bytes { try $0.querySQL(db: 1, sql: "") } == frame(9, words(1) + words(0)))
    }

    @Test func values() throws {
        let values: [DatabaseValue] = [
            .null, (-2).databaseValue, 0.5.databaseValue, "né".databaseValue, Data([9, 0]).databaseValue,
            "".databaseValue, Data().databaseValue, Double.nan.databaseValue, "1234567".databaseValue,
        ]
        let body =
            words(1 | 2 << 32) + [9, 5, 1, 2, 3, 4, 3, 4, 5, 3, 0, 0, 0, 0, 0, 0] + words(0)
            + words(UInt64(bitPattern: -2)) + [0, 0, 0, 0, 0, 0, 0xE0, 0x3F] + [0x6E, 0xC3, 0xA9, 0, 0, 0, 0, 0]
            + words(2) + [9, 0, 0, 0, 0, 0, 0, 0] + words(0) + words(0) + words(0) + Array("1234567".utf8) + [0]
        #expect(try bytes { try $0.exec(db: 1, statement: 2, values: values) } == frame(5, body))
        #expect(
            try bytes { try $0.querySQL(db: 1, sql: "?", values: [7.databaseValue]) }
                == frame(9, words(1) + text("?") + [1, 1, 0, 0, 0, 0, 0, 0] + words(7)))
    }

    @Test func numberOfValues() throws {
        let all = Array(repeating: 1.databaseValue, count: 255)
        let bytes = try bytes { try $0.exec(db: 0, statement: 0, values: all) }
        #expect(bytes.count == 16 + 256 + 255 * 8)
        #expect(bytes[16] == 255)
        var buffer = RequestBuffer()
        let error = #expect(throws: DatabaseError.self) {
            try buffer.exec(db: 0, statement: 0, values: all + [1.databaseValue])
        }
        #expect(error?.resultCode == .SQLITE_TOOBIG)
        #expect(error?.message == "the statement has 256 parameters, too many for a cluster: use at most 255")
    }

    @Test func refusedValuesLeaveTheBufferAsItWas() throws {
        var buffer = RequestBuffer()
        buffer.leader()
        let before = buffer.withUnsafeBytes { Array($0) }
        let error = #expect(throws: DatabaseError.self) {
            try buffer.exec(db: 0, statement: 0, values: ["a".databaseValue, "b\0c".databaseValue])
        }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(
            error?.message
                == "the text of parameter 2 contains a NUL character, at which a cluster would cut the text: "
                + "remove the character, or send a blob")
        #expect(throws: DatabaseError.self) { try buffer.execSQL(db: 0, sql: "SELECT 1\0") }
        #expect(throws: DatabaseError.self) { try buffer.prepare(db: 0, sql: "\0") }
        #expect(throws: DatabaseError.self) { try buffer.open(name: "a\0") }
        #expect(throws: DatabaseError.self) { try buffer.dump(name: "a\0") }
        #expect(throws: DatabaseError.self) { try buffer.add(id: 1, address: "a\0:1") }
        let unstorable = #expect(throws: DatabaseError.self) {
            try buffer.querySQL(db: 0, sql: "?", values: [UInt64.max.databaseValue])
        }
        #expect(unstorable?.resultCode == .SQLITE_MISMATCH)
        #expect(unstorable?.message?.hasPrefix("parameter 1 is an integer above 9223372036854775807") == true)
        #expect(buffer.withUnsafeBytes { Array($0) } == before)
        #expect(buffer.count == 1)
    }

    @Test func requestsFollowOneAnother() throws {
        var buffer = RequestBuffer()
        #expect(buffer.isEmpty)
        buffer.leader()
        try buffer.execSQL(db: 0, sql: "BEGIN")
        #expect(buffer.count == 2)
        #expect(buffer.withUnsafeBytes { Array($0) } == frame(0, words(0)) + frame(8, words(0) + text("BEGIN")))
    }
}
