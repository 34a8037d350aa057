import Foundation
import Testing

import Rowan

/// JSON columns are decoded without JSONDecoder if possible: the values and errors must be the same.
@Suite struct JSONColumnTests {
    /// Decodes a text as a JSON column and with a JSONDecoder.
    private func expectSame<T: Decodable & Equatable>(
        _ type: T.Type, _ text: [UInt8], _ decoder: JSONDecoder = .column, location: SourceLocation = #_sourceLocation
    ) {
        let expected = Result { try decoder.decode(T.self, from: Data(text)) }
        let value = DatabaseValue(storage: .blob(Data(text)))
        let decoded = Result {
            try #require(try JSONColumnDecoder(decoder).decode(T.self, from: .owned(value, strict: false)))
        }
        let message: Comment = "\(String(decoding: text, as: UTF8.self)) as \(T.self)"
        switch (expected, decoded) {
        case (.success(let expected), .success(let decoded)):
            if expected != decoded {
                Issue.record("\(difference("\(expected)", "\(decoded)")): \(message)", sourceLocation: location)
            }
        case (.failure(let expected), .failure(let decoded)):
            #expect("\(expected)" == "\(decoded)", message, sourceLocation: location)
        default:
            Issue.record("\(expected) is not \(decoded): \(message)", sourceLocation: location)
        }
    }

    /// The first position at which two descriptions differ.
    private func difference(_ first: String, _ second: String) -> String {
        let count = zip(first, second).prefix { $0 == $1 }.count
        return "\(first.dropFirst(count - 40).prefix(100)) is not \(second.dropFirst(count - 40).prefix(100))"
    }

    @Test(arguments: [
        "1", "-1", "0", "-0", "1.0", "-0.0", "1e3", "1E-3", "1.5e+2", "255", "256", "-129", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "170141183460469231731687303715884105727", "9007199254740993", "0.1", "1.50", "100.0",
        "123456789012345.678", "3.4028235e38", "1e39", "1e308", "1e309", "1e-320", "1e-400", "0e5", "01", "-", "+1",
        ".5",
        "1.", "1e", "1.e3", "0x1", "NaN", "Infinity", "1 2", "true", "false", "null", "tru", "True", "nul", "", " ",
        "{}",
        "[]", "[1,2]", "[1,]", "[,]", "[", "]", "{\"a\":1}", "{\"a\":1,}", "{\"a\"}", "{a:1}", "{1:2}",
        "{\"a\":1 \"b\":2}",
        "\"\"", "\"a\"", "\"a", "a\"", "\"\\n\\t\\\"\\\\\\/\\b\\f\\r\"", "\"\\u00e9\\u0000\"", "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"", "\"\\ude00\"", "\"\\ud83dx\"", "\"\\ud83d\\u0041\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\x\"",
        "\"\\",
        "\"\u{1}\"", "\"\n\"", "\"\u{7f}é\u{2028}😀\"", "\"AAEC\"", "\"AAE\"", "\"https://example.com/é\"", "\"a b\"",
        "\"1.5\"", "\u{feff}1", " \n\t\r1 \n", "\u{a0}1", "1//", "/**/1", "1\u{0}", "\u{0}",
    ])
    func values(_ text: String) {
        let text = Array(text.utf8)
        expectSame(Outcomes.self, text)
        expectSame(Outcomes.self, [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")])
        expectSame([AnyJSON].self, [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")])
        expectSame([String: AnyJSON].self, Array("{\"k\":".utf8) + text + Array("}".utf8))
        expectSame(Bool.self, text)
        expectSame(String.self, text)
        expectSame(Double.self, text)
        expectSame(Float.self, text)
        expectSame(Int.self, text)
        expectSame(Int8.self, text)
        expectSame(UInt.self, text)
        expectSame(UInt64.self, text)
        expectSame(Int128.self, text)
        expectSame(Decimal.self, text)
        expectSame(Date.self, text)
        expectSame(Data.self, text)
        expectSame(URL.self, text)
        expectSame(Int?.self, text)
        expectSame([Int?].self, text)
        expectSame([Double].self, text)
        expectSame([String: Int].self, text)
        expectSame([Int: Int].self, text)
        expectSame(AnyJSON.self, text)
    }

    @Test(arguments: [
        #"{"a":1,"a":2}"#, #"{"a":{"a":1},"\u0061":3}"#, #"{"e\u0301":1,"é":2}"#, #"{"é":1,"e\u0301":2}"#,
        #"{"K":1,"K":2}"#, #"{"":1}"#, #"{"a":null,"b":[],"c":{},"d":[null],"super":{"a":1}}"#,
    ])
    func keys(_ text: String) {
        expectSame(Outcomes.self, Array(text.utf8))
        expectSame(AnyJSON.self, Array(text.utf8))
        expectSame([String: AnyJSON].self, Array(text.utf8))
    }

    /// More keys than a linear search suits.
    @Test func largeObjects() {
        for count in [15, 16, 17, 1000] {
            let pairs = (0..<count).map { "\"k\($0 % 900)\":\($0)" }.joined(separator: ",")
            expectSame([String: Int].self, Array("{\(pairs),\"a\":1}".utf8))
            expectSame(Outcomes.self, Array("{\(pairs),\"a\":1}".utf8))
        }
    }

    @Test(arguments: [10, 499, 500, 501, 511, 512, 513, 100_000]) func depth(_ depth: Int) {
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        expectSame(Depth.self, Array(text.utf8))
    }

    @Test func invalidUTF8() {
        let sequences: [[UInt8]] = [
            [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xc2], [0xe0, 0x80, 0x80], [0xe0, 0xa0], [0xed, 0xa0, 0x80],
            [0xf0, 0x80, 0x80, 0x80],
            [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xff], [0xe2, 0x82, 0xac], [0xf0, 0x9f, 0x98, 0x80],
            [0xf4, 0x8f, 0xbf, 0xbf], [0xed, 0x9f, 0xbf], [0xef, 0xbf, 0xbf], [0xdf, 0xbf],
        ]
        for sequence in sequences {
            let text = [UInt8(ascii: "\"")] + sequence + [UInt8(ascii: "\"")]
            expectSame(String.self, text)
            expectSame([String: String].self, Array("{\"a\":".utf8) + text + Array("}".utf8))
            expectSame([String: Int].self, Array("{".utf8) + text + Array(":1}".utf8))
        }
        // UTF-16, with and without a byte order mark.
        for encoding in [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf32] {
            expectSame([Int].self, Array("[1, 2]".data(using: encoding)!))
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>) func randomTexts(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        for _ in 0..<150 {
            var text = Array(random.json(depth: 3).utf8)
            expectSame(Outcomes.self, text)
            expectSame(AnyJSON.self, text)
            // The same text with one byte changed.
            let index = Int.random(in: text.indices, using: &random)
            text[index] = "{}[]\",:0a\\ -.e".utf8.randomElement(using: &random)!
            expectSame(Outcomes.self, text)
            expectSame(AnyJSON.self, text)
        }
    }

    @Test func strategies() {
        let texts = [
            #"{"a":"AAEC","someKey":1.5,"b":1500,"c":"1.5","d":"Infinity","e":"2026-01-02T03:04:05Z"}"#, "[1,2,3]",
            "1500",
        ]
        let configurations: [(JSONDecoder) -> Void] = [
            { $0.dateDecodingStrategy = .deferredToDate }, { $0.dateDecodingStrategy = .secondsSince1970 },
            { $0.dateDecodingStrategy = .millisecondsSince1970 }, { $0.dateDecodingStrategy = .iso8601 },
            { $0.dateDecodingStrategy = .custom { _ in .distantPast } }, { $0.dataDecodingStrategy = .deferredToData },
            { $0.dataDecodingStrategy = .custom { _ in Data([7]) } },
            { $0.keyDecodingStrategy = .convertFromSnakeCase },
            { $0.keyDecodingStrategy = .custom { _ in Key(stringValue: "a")! } }, { $0.allowsJSON5 = true },
            {
                $0.nonConformingFloatDecodingStrategy = .convertFromString(
                    positiveInfinity: "Infinity", negativeInfinity: "-", nan: "n")
            },
        ]
        for configure in configurations {
            let decoder = JSONDecoder()
            configure(decoder)
            for text in texts {
                expectSame(Outcomes.self, Array(text.utf8), decoder)
                expectSame(Data?.self, Array(text.utf8), decoder)
                expectSame(Date?.self, Array(text.utf8), decoder)
            }
        }
    }
}

extension JSONDecoder {
    fileprivate static var column: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        decoder.dateDecodingStrategy = .millisecondsSince1970
        return decoder
    }
}

private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// Any JSON value. The order in which it requests containers depends on the level.
private enum AnyJSON: Decodable, Equatable {
    case null, bool(Bool), number(Double), text(String)
    indirect case array([AnyJSON])
    indirect case object([String: AnyJSON])

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            var object: [String: AnyJSON] = [:]
            for key in container.allKeys { object[key.stringValue] = try container.decode(AnyJSON.self, forKey: key) }
            self = .object(object)
        } else if var container = try? decoder.unkeyedContainer() {
            var array: [AnyJSON] = []
            while !container.isAtEnd {
                #expect(container.currentIndex == array.count)
                array.append(try container.decode(AnyJSON.self))
            }
            #expect(container.count == array.count)
            self = .array(array)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() { self = .null; return }
            if let bool = try? container.decode(Bool.self) { self = .bool(bool); return }
            if let number = try? container.decode(Double.self) { self = .number(number); return }
            self = .text(try container.decode(String.self))
        }
    }
}

/// The nesting depth of arrays.
private struct Depth: Decodable, Equatable {
    var depth = 1
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        if !container.isAtEnd { depth += try container.decode(Depth.self).depth }
    }
}

/// The results of all of a decoder's methods, including errors.
private struct Outcomes: Decodable, Equatable {
    var outcomes: [String] = []

    private mutating func note<T>(_ name: String, _ body: () throws -> T) {
        do {
            let value = try body()
            let text =
                if let decimal = value as? Decimal {
                    "\(decimal) \(decimal.hashValue == Decimal(string: "\(decimal)")?.hashValue)"
                } else { "\(value)" }
            outcomes.append("\(name): \(text)")
        } catch let error as DecodingError {
            switch error {
            case .keyNotFound(let key, let context): note(name, "no key \(key.stringValue)", context)
            case .valueNotFound(let type, let context): note(name, "no value \(type)", context)
            case .typeMismatch(let type, let context): note(name, "no \(type)", context)
            case .dataCorrupted(let context): note(name, "corrupted", context)
            @unknown default: outcomes.append("\(name): \(error)")
            }
        } catch {
            outcomes.append("\(name): \(error)")
        }
    }

    private mutating func note(_ name: String, _ error: String, _ context: DecodingError.Context) {
        outcomes.append("\(name): \(error) at \(context.codingPath.map(\.stringValue))")
    }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Key.self) {
            outcomes.append(
                "\(container.allKeys.map { Array($0.stringValue.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })")
            for name in ["a", "b", "c", "d", "e", "é", "K", "", "missing"] { note(Key(stringValue: name)!, container) }
            note("super") { try Outcomes(from: container.superDecoder(forKey: Key(stringValue: "super")!)) }
        }
        if var container = try? decoder.unkeyedContainer() {
            outcomes.append("\(String(describing: container.count))")
            while !container.isAtEnd, container.currentIndex < 20 { noteElement(&container) }
            note("end") { try container.decode(Int.self) }
            note("end nil") { try container.decodeNil() }
            note("end present") { try container.decodeIfPresent(Int.self) }
        }
        let container = try decoder.singleValueContainer()
        note("single Bool") { try container.decode(Bool.self) }
        note("single Int") { try container.decode(Int.self) }
        note("single Float") { try container.decode(Float.self) }
        note("single Double") { try container.decode(Double.self) }
        note("single String") { try container.decode(String.self) }
        note("single Decimal") { try container.decode(Decimal.self) }
        note("single Date") { try container.decode(Date.self) }
        note("single array") { try container.decode([Int].self) }
        note("single Data") { try container.decode(Data.self) }
        outcomes.append("\(container.decodeNil())")
        outcomes.append("\(decoder.codingPath.map(\.stringValue))")
    }

    private mutating func noteElement(_ container: inout any UnkeyedDecodingContainer) {
        var elements = container
        outcomes.append("\(elements.codingPath.map(\.stringValue)) \(elements.currentIndex)")
        note("nil") { try elements.decodeNil() }
        outcomes.append("\(elements.currentIndex)")
        elements = container
        note("Int?") { String(describing: try elements.decodeIfPresent(Int.self)) }
        elements = container
        note("Int") { try elements.decode(Int.self) }
        outcomes.append("\(elements.currentIndex)")
        note("next UInt8") { try elements.decode(UInt8.self) }
        elements = container
        note("String?") { String(describing: try elements.decode(String?.self)) }
        elements = container
        note("Outcomes") { try elements.decode(Outcomes.self) }
        elements = container
        note("nested") { try elements.nestedContainer(keyedBy: Key.self).allKeys.count }
        outcomes.append("\(elements.currentIndex)")
        elements = container
        note("nested array") { try elements.nestedUnkeyedContainer().count! }
        outcomes.append("\(elements.currentIndex)")
        elements = container
        note("super") { try elements.superDecoder().codingPath.map(\.stringValue) }
        elements = container
        do {
            _ = try elements.decode(AnyJSON.self)
            container = elements
        } catch {
            outcomes.append("stopped")
            while !container.isAtEnd { do { _ = try container.superDecoder() } catch { return } }
        }
    }

    private mutating func note(_ key: Key, _ container: KeyedDecodingContainer<Key>) {
        let name = key.stringValue
        outcomes.append("\(name): \(container.contains(key))")
        note("\(name) nil") { try container.decodeNil(forKey: key) }
        note("\(name) Bool") { try container.decode(Bool.self, forKey: key) }
        note("\(name) Int") { try container.decode(Int.self, forKey: key) }
        note("\(name) Int8") { try container.decode(Int8.self, forKey: key) }
        note("\(name) UInt64") { try container.decode(UInt64.self, forKey: key) }
        note("\(name) Int128") { try container.decode(Int128.self, forKey: key) }
        note("\(name) Float") { try container.decode(Float.self, forKey: key) }
        note("\(name) Double") { try container.decode(Double.self, forKey: key) }
        note("\(name) String") { try container.decode(String.self, forKey: key) }
        note("\(name) Date") { try container.decode(Date.self, forKey: key) }
        note("\(name) Data") { try container.decode(Data.self, forKey: key) }
        note("\(name) URL") { try container.decode(URL.self, forKey: key) }
        note("\(name) Decimal") { try container.decode(Decimal.self, forKey: key) }
        note("\(name) Int?") { try container.decodeIfPresent(Int.self, forKey: key) ?? -1 }
        note("\(name) String?") { try container.decodeIfPresent(String.self, forKey: key) ?? "nil" }
        // The error is not compared: JSONDecoder visits the keys of dictionaries in any order.
        note("\(name) [:]?") {
            (try? container.decodeIfPresent([String: Int].self, forKey: key))??.sorted { $0 < $1 } ?? []
        }
        note("\(name) UUID?") { try container.decode(UUID?.self, forKey: key)?.uuidString ?? "nil" }
        note("\(name) Outcomes") { try container.decode(Outcomes.self, forKey: key) }
        note("\(name) nested") { try container.nestedContainer(keyedBy: Key.self, forKey: key).allKeys.count }
        note("\(name) array") { try container.nestedUnkeyedContainer(forKey: key).count! }
    }
}

extension SeededGenerator {
    fileprivate mutating func json(depth: Int) -> String {
        switch Int.random(in: 0..<(depth == 0 ? 7 : 10), using: &self) {
        case 0: return "null"
        case 1: return Bool.random(using: &self) ? "true" : "false"
        case 2: return "\(Int.random(in: -300...300, using: &self))"
        case 3: return "\(Int64.random(in: .min ... .max, using: &self))"
        case 4:
            let bits = UInt64.random(in: 0...UInt64.max, using: &self)
            let double = Double(bitPattern: bits)
            return double.isFinite ? "\(double)" : "0.5"
        case 5: return "\(Double(Int.random(in: -99999...99999, using: &self)) / 1000)"
        case 6: return text()
        case 7:
            let count = Int.random(in: 0...4, using: &self)
            return "[" + (0..<count).map { _ in json(depth: depth - 1) }.joined(separator: ", ") + "]"
        default:
            let count = Int.random(in: 0...20, using: &self) % 7
            let pairs = (0..<count).map { _ in "\(key()) :\(json(depth: depth - 1))" }
            return "{" + pairs.joined(separator: ",") + "}"
        }
    }

    private mutating func key() -> String {
        ["\"a\"", "\"b\"", "\"c\"", "\"d\"", "\"e\"", "\"\\u0061\"", "\"é\"", "\"e\\u0301\"", "\"super\"", text()]
            .randomElement(using: &self)!
    }

    private mutating func text() -> String {
        let parts = [
            "a", "é", "😀", "\\n", "\\u00e9", "\\ud83d\\ude00", "\\\\", "\\\"", "1", ".5", " ", "AAEC", "\u{2028}",
        ]
        let count = Int.random(in: 0...6, using: &self)
        return "\"" + (0..<count).map { _ in parts.randomElement(using: &self)! }.joined() + "\""
    }
}
