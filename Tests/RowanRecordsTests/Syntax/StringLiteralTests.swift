// The text of string literals, as the compiler reads it, and the location of each of its bytes.

import RowanRecordSyntax
import Testing

@Suite("String literals")
struct StringLiteralTests {
    private func literal(_ source: String) throws -> StringLiteral {
        try StringLiteral(try #require(try Lexer.tokens(of: source).first))
    }

    private func text(_ source: String) throws -> String { String(decoding: try literal(source).text, as: UTF8.self) }

    @Test("The texts of literals are those that the compiler reads")
    func texts() throws {
        // Each pair is a literal in source form, and as the compiler reads it.
        let pairs: [(String, String)] = [
            (#""SELECT 1""#, "SELECT 1"),
            (#""""#, ""),
            (#""a\tb\n\r\0\\\"\'""#, "a\tb\n\r\0\\\"\'"),
            (#""\u{41}\u{20AC} é""#, "\u{41}\u{20AC} é"),
            ("#\"a\"b\\n\\#n\"#", #"a"b\n\#n"#),
            ("#\"\"\"#", #"""#),
            ("##\"\"#\\#t\\##t\"##", ##""#\#t\##t"##),
            ("\"\"\"\n    a\n      b\n\n    c\n    \"\"\"", "a\n  b\n\nc"),
            ("\"\"\"\n    \"\"\"", ""),
            ("\"\"\"\n    a \\\n    b\\\"\"\"\n    \"\"\"", "a b\"\"\""),
            ("\"\"\"\r\n\ta\r\n\tb\r\n\t\"\"\"", "a\nb"),
            ("#\"\"\"\n  a\\n\\#n\"\"\"\n  \"\"\"#", "a\\n\n\"\"\""),
        ]
        for (source, expected) in pairs { #expect(try text(source) == expected, "\(source)") }
    }

    @Test("Interpolations and their expressions")
    func interpolations() throws {
        let source = #"  "a = \(x) AND b = \(f(")", [1: "\(2)"])) -- \(y)""#
        let found = try literal(source)
        #expect(String(decoding: found.text, as: UTF8.self) == "a =  AND b =  -- ")
        #expect(found.interpolations.map(\.source) == ["x", #"f(")", [1: "\(2)"])"#, "y"])
        #expect(found.interpolations.map(\.position) == [4, 13, 17])
        let bytes = Array(source.utf8)
        for interpolation in found.interpolations {
            let expression = String(decoding: bytes[interpolation.start..<interpolation.end], as: UTF8.self)
            #expect(expression == interpolation.source)
        }
        #expect((found.start, found.end) == (2, bytes.count))
        #expect(try literal(##"#"\(a) \#(b)"#"##).interpolations.map(\.source) == ["b"])
    }

    @Test("The location of each byte")
    func places() throws {
        let source = "\"\"\"\n  SELECT \\u{41}\\\n  x,\n    y\\(z)w\n  \"\"\""
        let found = try literal(source)
        let bytes = Array(source.utf8)
        #expect(String(decoding: found.text, as: UTF8.self) == "SELECT Ax,\n  yw")
        #expect(found.places.count == found.text.count)
        for (byte, place) in zip(found.text, found.places) {
            #expect(bytes[place] == (byte == UInt8(ascii: "A") ? UInt8(ascii: "\\") : byte))
        }
        #expect(found.places == found.places.sorted())
    }

    @Test("Invalid literals")
    func noLiterals() {
        #expect(throws: SyntaxError("expected a string literal", at: 0)) { try literal("abc") }
        #expect(throws: SyntaxError("'\\' starts no escape here", at: 2)) { try literal(#""a\q""#) }
        #expect(throws: SyntaxError("'\\u' needs the number of a character", at: 1)) { try literal(#""\u{zz}""#) }
        #expect(throws: SyntaxError("'\\u' needs the number of a character", at: 1)) { try literal(#""\u41""#) }
    }
}
