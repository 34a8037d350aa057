// Properties: patterns, accessors, wrappers and modifiers.

import Testing

@testable import RowanRecordSyntax

struct PropertyTests {
    @Test(
        arguments: [
            ("{ 1 }", []), ("{ get { 1 } }", ["get"]), ("{ get { 1 } set { } }", ["get", "set"]), ("{ return 1 }", []),
            ("{ get async throws { 1 } }", ["get"]), ("{ get throws(E) { 1 } }", ["get"]),
            ("{\nset(new) { }\nget { 1 }\n}", ["set", "get"]),
            ("{ mutating get { 1 } nonmutating set { } }", ["get", "set"]), ("{ didSet { } }", ["didSet"]),
            ("{ willSet(new) { } didSet(old) { } }", ["willSet", "didSet"]), ("{ @inlinable get { 1 } }", ["get"]),
            ("{ _read { yield a } _modify { yield &a } }", ["_read", "_modify"]), ("{ get { \"}\" } }", ["get"]),
            ("{ @storageRestrictions(initializes: b) init(new) { } get { 1 } }", ["init", "get"]), ("{ }", []),
            ("{ get }", ["get"]),
            ("{ get set }", ["get", "set"]), ("{ getter() }", []), ("{ `get` }", []), ("{ mutating() }", []),
            ("{ read { } }", []), ("{ borrow }", ["borrow"]), ("{ willSet didSet }", ["willSet", "didSet"]),
        ] as [(String, [String])])
    func accessors(_ block: String, _ words: [String]) throws {
        #expect(try bindings("var a: Int \(block)") == [binding("a", "Int", accessors: words)])
    }

    @Test func observersFollowValues() throws {
        #expect(try bindings("var a = 1 { didSet { } }") == [binding("a", value: "1", accessors: ["didSet"])])
        #expect(
            try bindings("var a = f { 1 } { willSet { } }") == [binding("a", value: "f{1}", accessors: ["willSet"])])
        #expect(
            try bindings("var a = { 1 }() {\ndidSet {}\n}") == [binding("a", value: "{1}()", accessors: ["didSet"])])
        #expect(
            try bindings("var a: Int = 1\n{\ndidSet { }\n}") == [binding("a", "Int", value: "1", accessors: ["didSet"])]
        )
    }

    /// The compiler doesn't parse a trailing closure there.
    @Test(arguments: [
        "1", "\"a\"", "nil", "true", "[]", "/a/", "\\A.b", "\\.a[0]", "f{}", "f{}a:{}", "a as B", "-1", "b ? c : nil",
    ])
    func gettersFollowValues(_ value: String) throws {
        let text = value.filter { $0 != " " }
        #expect(try bindings("var a = \(value) { b }") == [binding("a", value: text, accessors: [])])
        #expect(try bindings("var a = \(value) { get }") == [binding("a", value: text, accessors: ["get"])])
    }

    @Test(arguments: ["f", "f()", "f[0]", "(1)", "{1}", "f!", ".f", "1.f", "#f", "f<A>", "try f", "f{}.g"])
    func trailingClosuresAreValues(_ value: String) throws {
        let text = value.filter { $0 != " " }
        #expect(try bindings("var a = \(value) { get }") == [binding("a", value: "\(text){get}")])
        #expect(
            try bindings("var a = \(value) { @A didSet }") == [binding("a", value: text, accessors: ["didSet"])])
    }

    @Test func isStored() {
        #expect(binding("a").isStored)
        #expect(binding("a", accessors: ["willSet", "didSet"]).isStored)
        #expect(!binding("a", accessors: []).isStored)
        #expect(!binding("a", accessors: ["get", "set"]).isStored)
        #expect(!binding("a", accessors: ["_read"]).isStored)
    }

    @Test func severalBindings() throws {
        #expect(try bindings("var a, b: Int") == [binding("a"), binding("b", "Int", at: 18)])
        #expect(
            try bindings("var a = f(1, 2), b: [A: B] = [:], c: C { 1 }") == [
                binding("a", value: "f(1,2)"), binding("b", "[A:B]", value: "[:]", at: 28),
                binding("c", "C", accessors: [], at: 45),
            ])
        #expect(
            try bindings("let a = b < c, d = e > f") == [
                binding("a", value: "b<c"), binding("d", value: "e>f", at: 26),
            ])
    }

    @Test func tuples() throws {
        #expect(try bindings("let (a, b) = (1, 2)") == [binding("(a,b)", value: "(1,2)", isTuple: true)])
        #expect(try bindings("let (a, (b, _)): (A, (B, C))") == [binding("(a,(b,_))", "(A,(B,C))", isTuple: true)])
    }

    @Test(arguments: ["a", "`class`", "größe", "名前", "é", "a1", "_a", "$a", "`a b`", "🙂"])
    func names(_ name: String) throws {
        #expect(try bindings("let \(name): Int") == [binding(name, "Int")])
        #expect(NameModel("`class`", at: 0).plain == "class")
    }

    @Test func modifiers() throws {
        let body = "public private(set) static var a = 1"
        var member = stored(binding("a", value: "1", at: 42), "var", at: 38)
        member.modifiers = [modifier("public"), modifier("private", "set"), modifier("static")]
        member.offset = 11
        #expect(try members(body) == [member])
        #expect(try members("nonisolated(unsafe) var a: Int")[0].modifiers == [modifier("nonisolated", "unsafe")])
        #expect(try members("lazy var a = { 1 }()")[0].modifiers == [modifier("lazy")])
        #expect(try members("unowned(safe) let a: A")[0].modifiers == [modifier("unowned", "safe")])
        #expect(try members("package final class A { }")[0].modifiers == [modifier("package"), modifier("final")])
        #expect(try members("class func a()")[0].modifiers == [modifier("class")])
    }

    @Test func carriageReturns() throws {
        #expect(
            try members("let a: Int // }\r\nlet b = \"\"\"\r\n  }\r\n  \"\"\"\rvar c: Int {\r\n1\r\n}") == [
                stored(binding("a", "Int")), stored(binding("b", value: "\"\"\"\r\n  }\r\n  \"\"\"", at: 32), at: 28),
                stored(binding("c", "Int", accessors: [], at: 56), "var", at: 52),
            ])
    }
}
