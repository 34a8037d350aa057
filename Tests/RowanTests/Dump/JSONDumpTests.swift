import Foundation
import Rowan
import Testing

struct JSONDumpTests {
    @Test func rows() throws {
        let sql: SQL = """
            SELECT 1 AS id, 'Arthur' AS name, 2.5 AS score, x'FF00FE' AS data, NULL AS n
            UNION ALL SELECT 2, 'a/b', 1.0, x'', 9e999
            """
        #expect(
            try dumped(sql, as: .json())
                == """
                [{"id":1,"name":"Arthur","score":2.5,"data":"/wD+","n":null},
                {"id":2,"name":"a/b","score":1,"data":"","n":"inf"}]

                """)
        #expect(
            try dumped(sql, as: .jsonLines(nulls: .omitted))
                == """
                {"id":1,"name":"Arthur","score":2.5,"data":"/wD+"}
                {"id":2,"name":"a/b","score":1,"data":"","n":"inf"}

                """)
        #expect(try dumped("SELECT NULL AS a", as: .jsonLines(nulls: .omitted)) == "{}\n")
        #expect(try dumped("SELECT NULL AS a", as: .jsonLines()) == "{\"a\":null}\n")
    }

    /// Columns keep their order and duplicate names.
    @Test func keys() throws {
        #expect(
            try dumped("SELECT 1 AS b, 2 AS a, 3 AS b, 4 AS \"q\"\"\n\"", as: .json())
                == #"[{"b":1,"a":2,"b":3,"q\"\n":4}]"# + "\n")
        let sorting = JSONDumpFormat.defaultEncoder
        sorting.outputFormatting = .sortedKeys
        #expect(
            try dumped("SELECT 1 AS b, 2 AS a, 'x/y' AS c", as: .json(encoder: sorting))
                == #"[{"b":1,"a":2,"c":"x\/y"}]"# + "\n")
    }

    @Test func prettyPrinted() throws {
        let encoder = JSONDumpFormat.defaultEncoder
        encoder.outputFormatting = .prettyPrinted
        let sql: SQL = "SELECT 'Arthur' AS name, 500 AS score UNION ALL SELECT 'Barbara', NULL"
        #expect(
            try dumped(sql, as: .json(encoder: encoder))
                == """
                [
                  {
                    "name":"Arthur",
                    "score":500
                  },
                  {
                    "name":"Barbara",
                    "score":null
                  }
                ]

                """)
        #expect(
            try dumped(sql, as: .jsonLines(encoder: encoder))
                == """
                {"name":"Arthur","score":500}
                {"name":"Barbara","score":null}

                """)
    }

    @Test func strategies() throws {
        let encoder = JSONDumpFormat.defaultEncoder
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(data.count)
        }
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+∞", negativeInfinity: "-∞", nan: "")
        #expect(
            try dumped("SELECT x'0102' AS a, 9e999 AS b, -9e999 AS c", as: .json(encoder: encoder))
                == #"[{"a":2,"b":"+∞","c":"-∞"}]"# + "\n")
        encoder.nonConformingFloatEncodingStrategy = .throw
        let error = #expect(throws: EncodingError.self) {
            try dumped("SELECT 9e999 AS a", as: .json(encoder: encoder))
        }
        #expect(error != nil)
        // Each use of the default encoder creates a new one.
        #expect(try dumped("SELECT 9e999 AS a", as: .json()) == "[{\"a\":\"inf\"}]\n")
    }

    /// The output equals the encoder's, and JSON decoders can read it.
    @Test func valuesAsTheEncoderPrintsThem() throws {
        var random = SeededGenerator(0x15_0)
        let encoder = JSONDumpFormat.defaultEncoder
        try withDatabase { db throws in
            for round in 0..<500 {
                let text = random.string(maxLength: 40)
                let double = random.double()
                let data = random.data()
                let integer = random.integer(Int64.self)
                func json(_ value: some Encodable) throws -> String {
                    String(decoding: try encoder.encode(value), as: UTF8.self)
                }
                let expected = try [json(text), json(double), json(data), json(integer)]
                let line = try dumped {
                    try db.dumpSQL(
                        "SELECT \(text) AS t, \(double) AS r, \(data) AS d, \(integer) AS i", format: .jsonLines(),
                        to: $0)
                }
                #expect(
                    line == "{\"t\":\(expected[0]),\"r\":\(expected[1]),\"d\":\(expected[2]),\"i\":\(expected[3])}\n",
                    "round \(round), seed \(random.seed)")
            }
        }
    }

    @Test func controlCharacters() throws {
        let all = String(String.UnicodeScalarView((0..<0x100).compactMap { Unicode.Scalar($0) }))
        let line = try dumped("SELECT \(all) AS t", as: .jsonLines())
        let decoded = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
        #expect(decoded == ["t": all])
        let encoder = JSONDumpFormat.defaultEncoder
        #expect(line == "{\"t\":" + String(decoding: try encoder.encode(all), as: UTF8.self) + "}\n")
    }
}
