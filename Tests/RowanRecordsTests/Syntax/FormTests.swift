// The forms of types and values, as far as the source shows them.

import Testing

@testable import RowanRecordSyntax

struct FormTests {
    private static let int = TypeModel.Form.named("Int", arguments: [])

    @Test(
        arguments: [
            ("Int", int), ("Swift.Int", .named("Swift.Int", arguments: [])), ("Int?", .optional(int)),
            ("Int!", .optional(int)), ("Int??", .optional(.optional(int))), ("(Int)?", .optional(int)),
            ("((Int))", int),
            ("Optional<Int>", .named("Optional", arguments: [int])),
            ("Array<Int?>.Index", .named("Array.Index", arguments: [])),
            ("Matrix<3, -1, A>", .named("Matrix", arguments: [.other, .other, .named("A", arguments: [])])),
            ("[Int]", .collection), ("[Int: Int]?", .optional(.collection)), ("[() -> Void]", .collection),
            ("()", .tuple), ("(Int, Int)", .tuple), ("(a: Int, b: Int)?", .optional(.tuple)),
            ("(A<B, C>)", .named("A", arguments: [.named("B", arguments: []), .named("C", arguments: [])])),
            ("() -> Int", .function), ("() -> Int?", .function), ("(() -> Int)?", .optional(.function)),
            ("(A) async throws(E) -> (B) -> C", .function), ("@Sendable @MainActor () -> Void", .function),
            ("any P", .other), ("(any P)?", .optional(.other)), ("P & Q", .other), ("some P<Int>", .other),
            (String(repeating: "(", count: 40) + "Int" + String(repeating: ")", count: 40), .other),
        ] as [(String, TypeModel.Form)])
    func types(_ source: String, _ form: TypeModel.Form) throws {
        let type = try #require(try bindings("var a: \(source)").first?.type)
        #expect(type.form == form)
        #expect(type.hasFunction == source.contains("->"))
    }

    @Test func deepParenthesesEnd() throws {
        let source = String(repeating: "(", count: 100_000) + "Int" + String(repeating: ")", count: 100_000)
        let type = try #require(try bindings("var a: \(source)").first?.type)
        #expect(type.form == .other)
    }

    @Test(
        arguments: [
            ("1", .integer), ("-1_000", .integer), ("0xFF", .integer), ("1.5", .decimal), ("-1.5", .decimal),
            ("true", .boolean(true)), ("false", .boolean(false)), ("nil", .null), (#""a""#, .text(isPlain: true)),
            (##"#"a"#"##, .text(isPlain: true)), (#""\(a)""#, .text(isPlain: false)),
            ("\"\"\"\na\n\"\"\"", .text(isPlain: false)), ("nil as Int?", .cast(.optional(int))),
            ("0 as Int", .cast(int)),
            ("nil as Int? ?? 1", .other), ("Int?.none", .cast(.optional(.other))), ("Color.none", .other),
            (".unixTime", .member("unixTime")), (".json(a: 1)", .member("json(a:1)")), ("A.B.self", .metatype("A.B")),
            ("1 + 2", .other), ("3.seconds", .other), (#""a" + b"#, .other), ("a", .other), ("A()", .other),
            ("-a", .other),
        ] as [(String, ValueModel.Form)])
    func values(_ source: String, _ form: ValueModel.Form) throws {
        let value = try #require(try bindings("var a = \(source)").first?.value)
        #expect(value.form == form)
    }

    @Test func names() throws {
        let types = try StructModel(parsing: "struct A: B, C.D<E>, @unchecked Sendable, ~Copyable, F & G {}")
            .inheritedTypes
        #expect(types.map(\.name) == ["B", "D", "Sendable", nil, nil])
    }
}
