// Types, whose text is taken as a whole.

import Testing

@testable import RowanRecordSyntax

struct TypeTests {
    @Test(arguments: [
        "Int", "Int?", "Int??", "Int!", "[Int]", "[Int]?", "[String: Int]", "[[A: B?]]?", "A.B.C", "A<B>", "A<B>?",
        "A<B>.C?",
        "A<B<C>>", "A<B<C>?>?", "A<[B], (C, D)>", "()", "(A, B)?", "`A`", "`class`.B", "M::A", "M::A<B>.C", "A.Type",
        "A.Protocol",
        "Größe", "値", "[3 of Int]", "InlineArray<3, Int>", "InlineArray<-1, Int>", "Self", "_",
    ])
    func simple(_ type: String) throws {
        guard type != "[3 of Int]" else { return try expectType(type, is: "[3ofInt]") }
        try expectType(type, is: type.filter { $0 != " " })
    }

    @Test(arguments: [
        "() -> Void", "(A) -> B", "(A) -> (B) -> C", "((A) -> B)?", "@Sendable (A) -> B", "@Sendable(A) -> B",
        "@MainActor @Sendable (A) -> B", "(A) async throws -> B", "(A) throws(E) -> B", "@convention(c) (A) -> B",
        "(inout A, B...) -> C", "(_ a: A, b: B) -> C", "(@escaping () -> A) -> B", "A<(B) -> C>", "(A) -> B?",
        "(A) -> [B: C]",
    ])
    func functions(_ type: String) throws { try expectType(type, is: type.filter { $0 != " " }) }

    @Test(arguments: [
        "some P", "any P", "(any P)?", "any P & Q", "P & Q", "any ~Copyable", "~Copyable & P", "some P<A>",
        "any P<A, B>.Type",
        "sending A", "borrowing A", "(repeat each A)", "A<repeat each B>", "[any P]",
    ])
    func opaque(_ type: String) throws { try expectType(type, is: type.filter { $0 != " " }) }

    @Test func operatorsAreGluedToTypes() throws {
        #expect(try bindings("var a: [Int]?=nil") == [binding("a", "[Int]?", value: "nil")])
        #expect(try bindings("var a: A<B>=c") == [binding("a", "A<B>", value: "c")])
        #expect(try bindings("var a: A<B>?=c") == [binding("a", "A<B>?", value: "c")])
        #expect(try bindings("var a: A<B<C>>=c") == [binding("a", "A<B<C>>", value: "c")])
        #expect(try bindings("var a: Int!=1") == [binding("a", "Int!", value: "1")])
        #expect(try bindings("var a: Int={ 1 }()") == [binding("a", "Int", value: "{1}()")])
        #expect(try bindings("var a:A<B>{1}") == [binding("a", "A<B>", accessors: [])])
        #expect(try bindings("var a: Int? { nil }") == [binding("a", "Int?", accessors: [])])
    }

    @Test func aTypeEndsWithItsLine() throws {
        let body = "let a: A\nasync let b: B\nlet c:\nC"
        #expect(
            try members(body).map(\.offset) == [11, 20, 35])
        #expect(try members(body)[1].modifiers == [modifier("async")])
        #expect(try members(body)[2] == stored(binding("c", "C", at: 39), at: 35))
    }
}
