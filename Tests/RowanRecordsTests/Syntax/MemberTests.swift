// Members that aren't properties.

import Testing

@testable import RowanRecordSyntax

struct MemberTests {
    @Test(arguments: [
        ("func a() { }", "a()", "()"), ("func a(b: B)", "a(b:)", "(b:B)"),
        ("func a(_ b: B, c d: D...)", "a(_:c:)", "(_b:B,cd:D...)"),
        ("func a<T>(b: T) -> T where T: P { b }", "a(b:)", "(b:T)"),
        ("func a(b: A<B, C>, d: D)", "a(b:d:)", "(b:A<B,C>,d:D)"),
        ("func a(b: A /**/ <B, C>)", "a(b:)", "(b:A<B,C>)"),
        ("func a(b: (B, C) -> D = { b, c in d }, e: E)", "a(b:e:)", "(b:(B,C)->D={b,cind},e:E)"),
        ("func a(@A(1, 2) b: inout B, c: C = (1, 2))", "a(b:c:)", "(@A(1,2)b:inoutB,c:C=(1,2))"),
        ("func `in`(`a` b: B)", "`in`(`a`:)", "(`a`b:B)"),
        ("func a(b: @escaping() -> B)", "a(b:)", "(b:@escaping()->B)"),
        ("func a(\n#if A\n@B\n#endif\nb: B)", "a(b:)", "(#ifA@B#endifb:B)"),
        ("func < (a: A, b: A) -> Bool { }", "<(a:b:)", "(a:A,b:A)"), ("func ==<T>(a: T) { }", "==(a:)", "(a:T)"),
        ("func <<T>(a: T)", "<(a:)", "(a:T)"),
        ("func a() async throws(E) -> any P & Q { }", "a()", "()"), ("func a(b: B,) -> (C) -> D", "a(b:)", "(b:B,)"),
    ])
    func functions(_ source: String, _ name: String, _ parameters: String) throws {
        #expect(try members(source) == [other("func", name, parameters)])
    }

    @Test func initializersAndSubscripts() throws {
        #expect(try members("init() { }") == [other("init", "init()", "()")])
        #expect(try members("init?(a: A) throws { }") == [other("init", "init(a:)", "(a:A)")])
        #expect(try members("init!<T>(_ a: T) where T: P { }") == [other("init", "init(_:)", "(_a:T)")])
        #expect(
            try members("subscript(a: A) -> B { get { } set { } }") == [other("subscript", "subscript(a:)", "(a:A)")])
        #expect(try members("subscript<T>(_ a: T) -> B { 1 }") == [other("subscript", "subscript(_:)", "(_a:T)")])
        #expect(try members("deinit { }") == [other("deinit", "deinit")])
    }

    @Test(arguments: ["struct", "class", "enum", "actor", "protocol", "extension"])
    func nestedTypes(_ keyword: String) throws {
        let source = "\(keyword) A<B>: C, D<E> where B == F { let a = \"}\"; case b }"
        #expect(try members(source) == [other(keyword, "A")])
    }

    @Test func aliases() throws {
        #expect(try members("typealias A = B") == [other("typealias", "A")])
        #expect(try members("typealias A<B> = C<B> where B: D") == [other("typealias", "A")])
        #expect(try members("typealias A = (B) -> C\nlet a: Int").count == 2)
    }

    @Test func macros() throws {
        #expect(try members("#a") == [other("#", "a")])
        #expect(try members("#a(1, \")\")\n#b<C, D>(2) { } e: { }") == [other("#", "a"), other("#", "b", at: 22)])
        #expect(try members("#warning(\"a\")\n#sourceLocation(file: \"a\", line: 1)") == [other("#", "warning")])
        var member = other("#", "b")
        member.attributes = [AttributeModel(name: "A", text: "@A", source: "@A", offset: 11, end: 13)]
        member.modifiers = [modifier("public")]
        #expect(try members("@A public #b(1)") == [member])
    }

    @Test func conditions() throws {
        let body =
            "let a: A\n#if B && C\nlet b: B\n#if D\n#d\n#endif\n#elseif os(E) || (F)\n#else\nfunc c() { }\n#endif\nlet d: D"
        var b = stored(binding("b", "B", at: 35), at: 31)
        b.isConditional = true
        var macro = other("#", "d", at: 46)
        macro.isConditional = true
        var c = other("func", "c()", "()", at: 83)
        c.isConditional = true
        #expect(
            try members(body) == [
                stored(binding("a", "A")), b, macro, c, stored(binding("d", "D", at: 107), at: 103),
            ])
    }

    @Test func aConditionMayHaveSeveralLines() throws {
        #expect(try members("#if (A\n|| B)\nlet a: Int\n#endif").map(\.isConditional) == [true])
    }

    @Test func semicolons() throws {
        #expect(
            try members("let a: A; let b = 1; ; func c() { };") == [
                stored(binding("a", "A")), stored(binding("b", value: "1", at: 25), at: 21),
                other("func", "c()", "()", at: 34),
            ])
    }
}
