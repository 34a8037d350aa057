// The JSON text null in the column of an optional property, as `data -> 'key'` returns it for a null.

import Foundation
import Rowan
import Testing

struct JSONNullTests {
    private struct Settings: Codable, Equatable { var size: Int }
    private enum Shape: Codable, Equatable { case circle(Int), square }
    /// A type that decodes null itself.
    private struct Choice: Codable, Equatable {
        var size: Int?
        init(size: Int?) { self.size = size }
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            size = container.decodeNil() ? nil : try container.decode(Settings.self).size
        }
    }
    /// A type with a text as its single value.
    private struct Word: Codable, Equatable {
        var text: String
        init(_ text: String) { self.text = text }
        init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
    }
    private struct Box<Value: Codable & Equatable>: Codable, Equatable, FetchableRecord { var value: Value? }
    private struct Full<Value: Codable & Equatable>: Codable, Equatable, FetchableRecord { var value: Value }

    private func check<Value: Codable & Equatable>(
        _ type: Value.Type, _ json: String, _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withDatabase { db throws in
            for null in ["NULL", "'null'", "' null\n'", #"'{"a":null}' -> 'a'"#, "CAST('null' AS BLOB)"] {
                let request = SQLRequest<Row>(sql: "SELECT \(null) AS value")
                #expect(
                    try Box<Value>.fetchOne(db, request) == Box(value: nil), "\(null)", sourceLocation: sourceLocation)
                #expect(try Box<Value>.fetchAll(db, request) == [Box(value: nil)], sourceLocation: sourceLocation)
                let row = try #require(try Row.fetchOne(db, request))
                #expect(try Box<Value>(row: row) == Box(value: nil), sourceLocation: sourceLocation)
            }
            let request = SQLRequest<Row>(
                sql: "SELECT ? AS value UNION ALL SELECT 'null' UNION ALL SELECT ?", arguments: [json, json])
            #expect(
                try Box<Value>.fetchAll(db, request) == [Box(value: value), Box(value: nil), Box(value: value)],
                sourceLocation: sourceLocation)
            for wrong in ["nul", "nulls", "null,", "{"] {
                #expect(throws: RowDecodingError.self, sourceLocation: sourceLocation) {
                    try Box<Value>.fetchOne(db, sql: "SELECT ? AS value", arguments: [wrong])
                }
            }
        }
    }

    @Test func optionals() throws {
        try check(Settings.self, #"{"size":1}"#, Settings(size: 1))
        try check([Int].self, "[1,2]", [1, 2])
        try check([String: Int].self, #"{"a":1}"#, ["a": 1])
        try check(Shape.self, #"{"square":{}}"#, .square)
        try check([Settings?].self, #"[null,{"size":1}]"#, [nil, Settings(size: 1)])
    }

    @Test func ownNulls() throws {
        try withDatabase { db throws in
            #expect(try Full<Choice>.fetchOne(db, sql: "SELECT 'null' AS value") == Full(value: Choice(size: nil)))
            #expect(
                try Full<Choice>.fetchOne(db, sql: #"SELECT '{"size":2}' AS value"#) == Full(value: Choice(size: 2)))
        }
    }

    /// If the text itself is the value, it remains the value.
    @Test func texts() throws {
        try withDatabase { db throws in
            #expect(try Box<String>.fetchOne(db, sql: "SELECT 'null' AS value") == Box(value: "null"))
            #expect(try Box<Word>.fetchOne(db, sql: "SELECT 'null' AS value") == Box(value: Word("null")))
            #expect(try Box<Data>.fetchOne(db, sql: "SELECT 'null' AS value") == Box(value: Data("null".utf8)))
        }
    }
}
