// Initial values, which end before or after the end of their line.

import Testing

@testable import RowanRecordSyntax

struct ExpressionTests {
    @Test(arguments: [
        ("a ? b : c", "a?b:c"), ("a ? [b: c] : [:]", "a?[b:c]:[:]"), ("a ? b ? c : d : e", "a?b?c:d:e"),
        ("a\n? b\n: c", "a?b:c"), ("(a ? b : c) ? { d } : e", "(a?b:c)?{d}:e"), ("a ?? b", "a??b"),
        ("a! + b?.c", "a!+b?.c"),
    ])
    func ternariesAndOptionals(_ value: String, _ text: String) throws { try expectValue(value, is: text) }

    @Test(arguments: [
        ("if a { 1 } else { 2 }", "ifa{1}else{2}"), ("if a { 1 } else if b(c { d }) { 2 } else { 3 }", nil),
        ("switch a { case .b: 1 default: 2 }", nil), ("if let a, case .b(let c) = a {\n1\n} else {\n2\n}", nil),
        ("switch (a, b) {\ncase (1, _): \"}\"\ndefault: \"\"\n}", nil), ("do { try a() } catch { b }", nil),
    ])
    func statements(_ value: String, _ text: String?) throws {
        let plain = value.filter { $0 != " " && $0 != "\n" }
        try expectValue(value, is: text ?? plain)
    }

    @Test(arguments: [
        ("a { b }", "a{b}"), ("a { b } c: { d }", "a{b}c:{d}"), ("a(1) {\n b in\n c\n}\n.d { $0 }", "a(1){binc}.d{$0}"),
        ("{ 1 }()", "{1}()"), ("{ () -> Int in 1 }()", "{()->Intin1}()"),
        ("{ [weak self] in self }", "{[weakself]inself}"),
        ("a.map { $0.b }.filter { $0 > 1 }", "a.map{$0.b}.filter{$0>1}"), ("a { $0 } ?? b", "a{$0}??b"),
    ])
    func closures(_ value: String, _ text: String) throws { try expectValue(value, is: text) }

    @Test(arguments: [
        "\\.a", "\\A.b", "\\A<B>.c", "\\A.b?.c", "\\A.b!", "\\.[0]", "\\A.[b, c].d", "\\[A].count", "\\.self", "\\A.0",
        "\\A.?.b", "f(\\.a, \\.b?.c)",
    ])
    func keyPaths(_ value: String) throws { try expectValue(value, is: value.filter { $0 != " " }) }

    @Test(arguments: [
        ("a as B", "aasB"), ("a as? [B]", "aas?[B]"), ("a as! B<C> + d", "aas!B<C>+d"), ("a is B", "aisB"),
        ("try a()", "trya()"), ("try? await a()", "try?awaita()"), ("try! a", "try!a"), ("await a.b", "awaita.b"),
        ("any P.self", "anyP.self"), ("try a ?? b", "trya??b"),
    ])
    func castsAndTries(_ value: String, _ text: String) throws { try expectValue(value, is: text) }

    @Test(arguments: [
        ("a < b", "a<b"), ("a<b>(c)", "a<b>(c)"), ("a<b, c>(d)", "a<b,c>(d)"), ("a<b>.c", "a<b>.c"),
        ("[a<b, c>d]", "[a<b,c>d]"),
        ("a<b>d", "a<b>d"), ("f(a < b, c > d)", "f(a<b,c>d)"), ("A<(B) -> C, [D: E]>()", "A<(B)->C,[D:E]>()"),
        ("[A<B>]()", "[A<B>]()"),
        ("a <= b", "a<=b"), ("a << 2 >> 1", "a<<2>>1"), ("A<3, B>.c", "A<3,B>.c"), ("a\n<b>(c)", "a<b>(c)"),
    ])
    func angleBrackets(_ value: String, _ text: String) throws { try expectValue(value, is: text) }

    @Test(arguments: [
        ("a\n.b\n.c()", "a.b.c()"), ("a\n+ b", "a+b"), ("a +\nb", "a+b"), ("a\n// comment\n.b", "a.b"),
        ("[\n1,\n2,\n]", "[1,2,]"),
        ("a\n?? b", "a??b"), ("\n1", "1"), ("a(\nb\n)", "a(b)"),
    ])
    func lineBreaks(_ value: String, _ text: String) throws { try expectValue(value, is: text) }

    @Test func labelsOfTrailingClosuresMayBeKeywords() throws {
        try expectValue("f { a }\ninit: { b }\nvar: { c }", is: "f{a}init:{b}var:{c}")
    }

    @Test func conditionalMembersBelongToTheValue() throws {
        try expectValue(
            "a\n#if B\n.c(1)\n#if D\n.d { }\n#endif\n#else\n.e\n#endif\n.f",
            is: "a#ifB.c(1)#ifD.d{}#endif#else.e#endif.f")
        #expect(try members("let a = b\n#if B\nlet c = d\n#endif").map(\.isConditional) == [false, true])
    }

    @Test func functionTypesAreValues() throws {
        try expectValue("(A) throws(E) -> B", is: "(A)throws(E)->B")
        try expectValue("a ?(b) : c", is: "a?(b):c")
    }

    @Test(arguments: [
        ("...5", "...5"), ("1...", "1..."), ("a .== b", "a.==b"), ("a .!= .!b", "a.!=.!b"), ("!a", "!a"),
        ("-a + ~b", "-a+~b"),
        ("&a", "&a"), (".a", ".a"), (".init(a)", ".init(a)"), ("a→b", "a→b"), ("f(+, by: <)", "f(+,by:<)"),
        ("#file", "#file"),
        ("#a(b) { c }", "#a(b){c}"), ("M::a", "M::a"), ("a[0]()[1]", "a[0]()[1]"), ("nil", "nil"),
        ("`a`.`b`", "`a`.`b`"),
    ])
    func operators(_ value: String, _ text: String) throws { try expectValue(value, is: text) }
}
