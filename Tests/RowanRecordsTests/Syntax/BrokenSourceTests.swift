// Invalid source gives an error where it is detected, never a wrong model.

import Testing

@testable import RowanRecordSyntax

struct BrokenSourceTests {
    private func expectError(_ source: String, _ message: String, at offset: Int) {
        #expect(throws: SyntaxError(message, at: offset)) { try StructModel(parsing: source) }
    }

    @Test func unfinishedLiterals() {
        expectError("struct A { let a = \"b }", "the string has no end", at: 19)
        expectError("struct A { let a = \"b\n\" }", "the string has no end", at: 19)
        expectError("struct A { let a = #\"b\" }", "the string has no end", at: 20)
        expectError("struct A { let a = \"\"\"\nb\" }", "the string has no end", at: 19)
        expectError("struct A { let a = \"\\(b }", "the interpolation has no end", at: 25)
        expectError("struct A { let a = \"\\(b\" }", "the string has no end", at: 23)
        expectError("struct A { let a = #/b }", "the regex literal has no end", at: 19)
        expectError("struct A { let `a: Int }", "the backtick has no partner", at: 15)
        expectError("struct A { /* /* */ }", "the comment has no end", at: 11)
        expectError("struct A { let a = \"\\(b /* )\" }", "the comment has no end", at: 24)
    }

    @Test func brackets() {
        expectError("struct A { let a = (1 }", "'}' is not the partner of its bracket", at: 22)
        expectError("struct A { let a = [1) }", "')' is not the partner of its bracket", at: 21)
        expectError("struct A { func a() { }", "expected '}' instead of the end", at: 23)
        expectError("struct A { let a = f(1", "'(' has no partner", at: 20)
        expectError("struct A { } }", "expected nothing instead of '}'", at: 13)
        expectError("struct A { let a: A<B }", "expected '>' instead of '}'", at: 22)
    }

    @Test func members() {
        expectError("struct A { let }", "expected a name instead of '}'", at: 15)
        expectError("struct A { let a = }", "expected a value instead of '}'", at: 19)
        expectError("struct A { let a: }", "expected a name instead of '}'", at: 18)
        expectError("struct A { let a: Int let b: Int }", "expected a new line instead of 'let'", at: 22)
        expectError("struct A { a: Int }", "expected a member instead of 'a'", at: 11)
        expectError("struct A { case a }", "'case' can't be a member here", at: 11)
        expectError("struct A { func a { } }", "expected '(' instead of '{'", at: 18)
        expectError("struct A { func a(b) { } }", "expected ':' instead of ')'", at: 19)
        expectError("struct A { @ let a: Int }", "expected a member instead of 'a'", at: 17)
        expectError("struct A { typealias B }", "expected '=' instead of '}'", at: 23)
        expectError("struct A { var a: Int { get { 1 } b } }", "expected an accessor instead of 'b'", at: 34)
        expectError("struct A { var a: Int { get() } }", "expected an accessor instead of '('", at: 27)
    }

    @Test func declarations() {
        expectError("", "expected a name instead of the end", at: 0)
        expectError("struct", "expected a name instead of the end", at: 6)
        expectError("struct A", "expected '{' instead of the end", at: 8)
        expectError("struct A: { }", "expected a name instead of '{'", at: 10)
        expectError("struct A<T { }", "expected '>' instead of '{'", at: 11)
        expectError("struct A { } struct B { }", "expected nothing instead of 'struct'", at: 13)
    }

    @Test func conditions() {
        expectError("struct A {\n#if B\nlet a: Int\n}", "expected a member instead of '}'", at: 28)
        expectError("struct A {\n#endif\n}", "'#endif' has no '#if'", at: 11)
        expectError("struct A {\n#if B\n@C\n#endif\n}", "expected a member instead of '}'", at: 27)
    }

    /// Every prefix of a source gives an error located within it.
    @Test func prefixes() {
        let source = """
            @A(b: "c\\(d)") struct Ä<T>: P { #if B
            @C var a: [Int]? = [/d/], b = #"e"# { didSet { } } // f
            #endif
            func g(h: A<B, C> = { $0 }) throws -> I { /* /* */ */ } }
            """
        for end in source.indices {
            let part = String(source[..<end])
            let error = #expect(throws: SyntaxError.self, "\(part)") { try StructModel(parsing: part) }
            #expect((0...part.utf8.count).contains(error?.offset ?? -1))
        }
        #expect(throws: Never.self) { try StructModel(parsing: source) }
    }
}
