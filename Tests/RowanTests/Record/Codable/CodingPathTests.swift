import Foundation
import Testing

import Rowan

/// A type that records where it was decoded, and the decoder's information.
private struct Probe: Codable, Equatable {
    var path: [String]
    var info: String?

    init(from decoder: any Decoder) throws {
        path = decoder.codingPath.map(\.stringValue)
        info = decoder.userInfo[.probe] as? String
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let info = encoder.userInfo[.probe] as? String
        try container.encode((encoder.codingPath.map(\.stringValue) + [info ?? "-"]).joined(separator: "/"))
    }
}

/// The same, in JSON.
private struct JSONProbe: Codable, Equatable {
    var value: Int
    var path: [String] = []
    var info: String?

    enum CodingKeys: String, CodingKey { case value, info }

    init(value: Int) { self.value = value }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        value = try container.decode(Int.self, forKey: .value)
        path = container.codingPath.map(\.stringValue)
        info = decoder.userInfo[.probe] as? String
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        try container.encode(encoder.userInfo[.probe] as? String, forKey: .info)
    }
}

extension CodingUserInfoKey {
    fileprivate static let probe = CodingUserInfoKey(rawValue: "probe")!
}

private struct Part: Decodable {
    var probe: Probe
    var inner: Inner?
    struct Inner: Decodable {
        var probe: Probe
        var path: [String]
        enum CodingKeys: String, CodingKey { case probe }
        init(from decoder: any Decoder) throws {
            path = decoder.codingPath.map(\.stringValue)
            probe = try decoder.container(keyedBy: CodingKeys.self).decode(Probe.self, forKey: .probe)
        }
    }
}

private struct Whole: Decodable, FetchableRecord {
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [.probe: "told"] }
    var probe: Probe
    var part: Part
    var json: JSONProbe?
}

private struct Stored: Encodable, MutablePersistableRecord {
    static let databaseTableName = "stored"
    static var databaseEncodingUserInfo: [CodingUserInfoKey: Any] { [.probe: "told"] }
    var id: Int64
    var probe: Probe
    var json: JSONProbe
}

@Suite struct CodingPathTests {
    private let adapter = ScopeAdapter([
        "part": ScopeAdapter(
            base: SuffixRowAdapter(fromIndex: 1), scopes: ["inner": SuffixRowAdapter(fromIndex: 2)])
    ])

    @Test func columnsAndScopes() throws {
        try DatabaseQueue().read { db throws in
            let sql = "SELECT 'a' AS probe, 'b' AS probe, 'c' AS probe UNION ALL SELECT 'd', 'e', 'f'"
            for whole in try Whole.fetchAll(db, sql: sql, adapter: adapter) {
                #expect(whole.probe == (try probe(["probe"])))
                #expect(whole.part.probe == (try probe(["part", "probe"])))
                #expect(whole.part.inner?.path == ["part", "inner"])
                #expect(whole.part.inner?.probe == (try probe(["part", "inner", "probe"])))
            }
            // The same rows without a cursor, which would cache the decoder.
            let row = try #require(try Row.fetchOne(db, sql: sql, adapter: adapter))
            #expect(try Whole(row: row).part.inner?.probe.path == ["part", "inner", "probe"])
        }
    }

    private func probe(_ path: [String]) throws -> Probe {
        struct Paths: Decodable, FetchableRecord {
            var a: Probe
        }
        var probe = try Paths(row: ["a": 1]).a
        (probe.path, probe.info) = (path, "told")
        return probe
    }

    @Test func userInfoOfJSON() throws {
        try DatabaseQueue().write { db throws in
            let whole = try Whole.fetchOne(
                db, sql: #"SELECT 'a' AS probe, '{"value": 3}' AS json, 'b' AS probe"#,
                adapter: ScopeAdapter(["part": SuffixRowAdapter(fromIndex: 2)]))
            #expect(whole?.json?.value == 3)
            #expect(whole?.json?.info == "told")
            try db.execute(sql: "CREATE TABLE stored (id INTEGER PRIMARY KEY, probe TEXT, json TEXT)")
            var stored = Stored(id: 1, probe: try probe([]), json: JSONProbe(value: 4))
            try stored.insert(db)
            #expect(
                try Row.fetchOne(db, sql: "SELECT * FROM stored")
                    == ["id": 1, "probe": "probe/told", "json": #"{"info":"told","value":4}"#])
        }
    }

    /// A record's own decoder keeps its own information.
    @Test func userInfoOfOwnDecoders() throws {
        struct Own: Decodable, FetchableRecord {
            static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [.probe: "record"] }
            static let other = CodingUserInfoKey(rawValue: "other")!
            static func databaseJSONDecoder(for column: String) -> JSONDecoder {
                let decoder = JSONDecoder()
                decoder.userInfo[other] = "own"
                decoder.userInfo[.probe] = "own"
                return decoder
            }
            struct Content: Decodable {
                var info: [String?]
                init(from decoder: any Decoder) throws {
                    _ = try decoder.container(keyedBy: JSONProbe.CodingKeys.self)
                    info = [Own.other, .probe].map { decoder.userInfo[$0] as? String }
                }
            }
            var content: Content
        }
        #expect(try Own(row: ["content": "{}"]).content.info == ["own", "own"], "what the decoder has itself counts")
    }
}
