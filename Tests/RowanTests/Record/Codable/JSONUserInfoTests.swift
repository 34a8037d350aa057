// The JSON coders of records and values keep their own user info, extended with the record's. A type sees it from the
// start of its coding, whatever container it requests.

import Foundation
import Rowan
import Testing

private let ownKey = CodingUserInfoKey(rawValue: "own")!
private let recordKey = CodingUserInfoKey(rawValue: "record")!

private struct Missing: Error {}

/// A value that needs user info before it requests a container.
private struct Tagged: Codable, Equatable {
    var text: String
    var own: String
    var record: String?

    init(text: String) { (self.text, own) = (text, "") }

    init(from decoder: any Decoder) throws {
        guard let own = decoder.userInfo[ownKey] as? String else { throw Missing() }
        (self.own, record) = (own, decoder.userInfo[recordKey] as? String)
        text = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .text)
    }

    func encode(to encoder: any Encoder) throws {
        guard let own = encoder.userInfo[ownKey] as? String else { throw Missing() }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(text, forKey: .text)
        try container.encode(own, forKey: .own)
        try container.encodeIfPresent(encoder.userInfo[recordKey] as? String, forKey: .record)
    }

    enum Key: CodingKey { case text, own, record }
}

private struct Note: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var tag: Tagged

    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [recordKey: "of the record"] }
    static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [recordKey: "of the record"] }
    static func databaseJSONDecoder(for column: String) -> JSONDecoder { makeDecoder(column) }
    static func databaseJSONEncoder(for column: String) -> JSONEncoder { makeEncoder(column) }
}

private func makeDecoder(_ name: String) -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.userInfo[ownKey] = name
    return decoder
}

private func makeEncoder(_ name: String) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.userInfo[ownKey] = name
    encoder.outputFormatting = .sortedKeys
    return encoder
}

/// A value that stores itself as JSON.
private struct Label: Codable, DatabaseValueConvertible {
    var tag: Tagged

    init(_ text: String) { tag = Tagged(text: text) }
    init(from decoder: any Decoder) throws { tag = try Tagged(from: decoder) }
    func encode(to encoder: any Encoder) throws { try tag.encode(to: encoder) }
    static func databaseJSONDecoder() -> JSONDecoder { makeDecoder("label") }
    static func databaseJSONEncoder() -> JSONEncoder { makeEncoder("label") }
}

/// A decoder and an encoder shared by all columns, as in programs.
private enum Shared {
    static let decoder = makeDecoder("shared")
    static let encoder = makeEncoder("shared")
}

private struct SharedNote: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "note"
    var id: Int64
    var tag: Tagged
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [recordKey: "shared"] }
    static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [recordKey: "shared"] }
    static func databaseJSONDecoder(for column: String) -> JSONDecoder { Shared.decoder }
    static func databaseJSONEncoder(for column: String) -> JSONEncoder { Shared.encoder }
}

@Suite struct JSONUserInfoTests {
    private let schema = "CREATE TABLE note (id INTEGER PRIMARY KEY, tag TEXT)"

    @Test func aRecordEncodesAndDecodesWithBoth() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try Note(id: 1, tag: Tagged(text: "x")).insert(db)
            let json = try String.fetchOne(db, sql: "SELECT tag FROM note")
            #expect(json == #"{"own":"tag","record":"of the record","text":"x"}"#)
            for note in try [Note.find(db, key: 1), Note.fetchAll(db)[0], Note.fetchCursor(db).next()!] {
                #expect(note.tag.own == "tag" && note.tag.record == "of the record" && note.tag.text == "x")
            }
        }
    }

    @Test func aValueEncodesAndDecodesWithItsOwn() throws {
        let value = Label("x").databaseValue
        #expect(value == #"{"own":"label","text":"x"}"#.databaseValue)
        let label = try #require(Label.fromDatabaseValue(value))
        #expect(label.tag.own == "label" && label.tag.text == "x" && label.tag.record == nil)
        try withDatabase { db throws in
            #expect(try Label.fetchOne(db, sql: "SELECT ?", arguments: [value])?.tag.own == "label")
        }
    }

    /// The record's user info is removed from a shared coder.
    @Test func sharedCodersStayAsTheyAre() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            try SharedNote(id: 1, tag: Tagged(text: "x")).insert(db)
            #expect(try SharedNote.fetchAll(db)[0].tag.record == "shared")
            #expect(Set(Shared.decoder.userInfo.keys) == [ownKey])
            #expect(Set(Shared.encoder.userInfo.keys) == [ownKey])
        }
    }
}
