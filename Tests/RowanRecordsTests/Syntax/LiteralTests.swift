// Strings, regex literals, numbers and comments: brackets within them don't count.

import Testing

@testable import RowanRecordSyntax

struct LiteralTests {
    @Test(arguments: [
        #""""#, #""a""#, #""\"""#, #""}""#, #""\\""#, #""{ ( [""#, #""// no comment""#, #""/* no comment""#,
        #""\u{22}""#,
    ])
    func strings(_ literal: String) throws { try expectValue(literal) }

    @Test(arguments: [
        ##"#"""#"##, ##"#""""#"##, ##"#"a " b"#"##, ##"#"\"#"##, ##"#"\(x)"#"##, ##"#"\#(x + ")")"#"##,
        ###"##"a"#b"##"###, ###"##"\#(x) } "##"###, ##"#"\#u{22}"#"##,
    ])
    func rawStrings(_ literal: String) throws { try expectValue(literal) }

    @Test(arguments: [
        "\"\"\"\n    a\n    \"\"\"", "\"\"\"\n    \" \"\" } \\\n    b\n    \"\"\"", "\"\"\"\n\\\"\"\" }\n\"\"\"",
        "\"\"\"\n\\(x + \"}\")\n\"\"\"", "#\"\"\"\n  a \"\"\" b \\(\n  \"\"\"#", "\"\"\"\n\"\"\"",
    ])
    func multilineStrings(_ literal: String) throws { try expectValue(literal) }

    @Test(arguments: [
        #""\(a)""#, #""\(a(b)) }""#, #""\("\("\(a)")")""#, #""\(a["}"]) \(b { ")" })""#, #""\(a /* ) " */)""#,
        #""\(a, format: .b(")"))""#, "\"\\(#\"\\#(x)\"#)\"", "\"\\(\n a\n)\"", #""\(try /[)"]/.firstMatch(in: a))""#,
    ])
    func interpolations(_ literal: String) throws { try expectValue(literal) }

    @Test(arguments: [
        #"/a/"#, #"/a\/b"}/"#, #"/[)"\]]/"#, #"#/ a " } /#"#, "#/\n  a } # comment \"\n  (b)\n/#", #"##/ a/# " /##"#,
        #"/(?<name>\w+)"/"#,
    ])
    func regexes(_ literal: String) throws { try expectValue(literal) }

    @Test func regexesStartOnlyWhereNoOperandIsLeft() throws {
        try expectValue("[!/a\"/, -/b}/]", is: "[!/a\"/,-/b}/]")
        try expectValue("f { a\n/b\"/.c() }", is: "f{a/b\"/.c()}")
        try expectValue("a.in/b/c")
        try expectValue("/a\\ /")
        try expectValue("a.reduce(1, /) + b(/)/2", is: "a.reduce(1,/)+b(/)/2")
    }

    @Test func divisionsAreNoRegexes() throws {
        try expectValue("a / b / c", is: "a/b/c")
        try expectValue("a/b/c")
        try expectValue("(a) / b + c(1)/2", is: "(a)/b+c(1)/2")
        try expectValue("[a / 2, /b/, c[0] / 2]", is: "[a/2,/b/,c[0]/2]")
    }

    @Test(arguments: [
        "1", "-1", "1_000", "1.5", "1e9", "1.5e-3", "1E+3", "0x1F", "0x1p-3", "0x1.8p3", "0b101", "0o17",
        "1.description",
        "0x1F.description", "a.0.1", "a.0.1.b", "1.0.description", "1...2", "1..<2", "-1.5.magnitude",
    ])
    func numbers(_ literal: String) throws { try expectValue(literal) }

    @Test func comments() throws {
        #expect(
            try bindings("let a /* } */ : // { \" \n Int /* /* ] */ \" */ = /**/ 1 // '") == [
                binding("a", "Int", value: "1")
            ])
        #expect(try bindings("// let b: Int\n/* let c: Int\n*/ let a: Int") == [binding("a", "Int", at: 46)])
        // A star and a slash don't start a comment.
        try expectValue("a */**/ b", is: "a*b")
        try expectValue("a /*b*//*c*/+ d", is: "a+d")
    }
}
