// Two values are equal if SQLite stores the same content: texts are compared by their bytes.

import Foundation
import Rowan
import Testing

@Suite struct EqualTextTests {
    private let composed = "\u{E9}".databaseValue
    private let decomposed = "e\u{301}".databaseValue

    @Test func textsAreComparedByTheirBytes() {
        #expect(composed != decomposed)
        #expect(composed.storage != decomposed.storage)
        #expect(composed == "\u{E9}".databaseValue)
        #expect(Set([composed, decomposed, "\u{E9}".databaseValue]).count == 2)
        #expect(composed.hashValue == "\u{E9}".databaseValue.hashValue)
        #expect("".databaseValue == "".databaseValue)
        #expect("a\u{0}".databaseValue != "a".databaseValue)
        #expect("a".databaseValue != Data("a".utf8).databaseValue)
        #expect(1.databaseValue == 1.0.databaseValue)
    }

    @Test func longTextsAndBridgedTexts() {
        let text = String(repeating: "é", count: 1_000)
        let copy = NSString(string: text) as String
        #expect(text.databaseValue == copy.databaseValue)
        #expect(text.databaseValue.hashValue == copy.databaseValue.hashValue)
        #expect(text.databaseValue != (text.dropLast() + "e\u{301}").databaseValue)
    }

    @Test func rowsWithOtherBytesDiffer() throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE t (x); INSERT INTO t VALUES (?), (?)", arguments: [composed, decomposed])
            let rows = try Row.fetchAll(db, sql: "SELECT x FROM t")
            #expect(rows[0] != rows[1])
            #expect(Set(rows).count == 2)
            #expect(try DatabaseValue.fetchSet(db, sql: "SELECT x FROM t") == [composed, decomposed])
        }
    }
}
