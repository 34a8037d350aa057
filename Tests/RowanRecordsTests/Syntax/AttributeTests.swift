// Attributes and their arguments.

import Testing

@testable import RowanRecordSyntax

struct AttributeTests {
    /// The attributes in the text, which stand before `let a: Int`.
    private func attributes(_ text: String) throws -> [AttributeModel] {
        let members = try members("\(text) let a: Int")
        try #require(members.count == 1)
        return members[0].attributes
    }

    @Test func plain() throws {
        #expect(
            try attributes("@A @B.C\n@D::E") == [
                AttributeModel(name: "A", text: "@A", source: "@A", offset: 11, end: 13),
                AttributeModel(name: "C", text: "@B.C", source: "@B.C", offset: 14, end: 18),
                AttributeModel(name: "E", text: "@D::E", source: "@D::E", offset: 19, end: 24),
            ])
        #expect(
            try attributes("@A()") == [AttributeModel(name: "A", text: "@A()", source: "@A()", offset: 11, end: 15)])
    }

    @Test func arguments() throws {
        let text = "@A.B(c, d: [1, 2], { $0 < $1 }, e: x < y, z > w, if: f<G, H>(1)\n.i)"
        #expect(
            try attributes(text) == [
                AttributeModel(
                    name: "B", text: "@A.B(c,d:[1,2],{$0<$1},e:x<y,z>w,if:f<G,H>(1).i)", source: text,
                    arguments: [
                        argument(nil, "c", at: 16),
                        argument("d", "[1,2]", at: 22),
                        argument(nil, "{$0<$1}", at: 30),
                        argument("e", "x<y", at: 46), argument(nil, "z>w", at: 53),
                        argument("if", "f<G,H>(1).i", at: 64),
                    ], offset: 11, end: 78)
            ])
    }

    @Test func strings() throws {
        let text = try attributes(#"@A("a) \"")"#)[0].arguments[0]
        #expect(text.value.form == .text(isPlain: true))
        #expect(text == argument(nil, #""a) \"""#, at: 14))
        #expect(
            try attributes(#"@A("a" + "b")"#)[0].arguments == [
                argument(nil, #""a"+"b""#, at: 14)
            ])
    }

    @Test func theSourceOfAClosureKeepsItsLines() throws {
        let text = "@A({ a in // comment\n  let b = a\n  return b\n})"
        #expect(try attributes(text)[0].arguments[0].value.source == "{ a in\nlet b = a\nreturn b\n}")
    }

    @Test func genericArguments() throws {
        #expect(
            try attributes("@A<B, (C, D)>(1 + 2)") == [
                AttributeModel(
                    name: "A", text: "@A<B,(C,D)>(1+2)", source: "@A<B, (C, D)>(1 + 2)",
                    arguments: [argument(nil, "1+2", at: 25)],
                    offset: 11, end: 31)
            ])
        #expect(try attributes("@A<B>.C")[0].name == "C")
    }

    @Test func aSpaceSeparatesArguments() throws {
        #expect(throws: SyntaxError("expected a member instead of '('", at: 14)) { try members("@A (1) let a: Int") }
    }

    @Test func conditions() throws {
        let members = try members("#if A\n@B\n#elseif C\n@D(1 + 2)\n#else\n#endif\n@E let a: Int")
        #expect(members.map(\.isConditional) == [false])
        #expect(members[0].attributes.map(\.name) == ["B", "D", "E"])
        #expect(members[0].attributes.map(\.isConditional) == [true, true, false])
    }
}
