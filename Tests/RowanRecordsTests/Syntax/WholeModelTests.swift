// Whole declarations.

import Testing

@testable import RowanRecordSyntax

struct WholeModelTests {
    @Test func everything() throws {
        let source = """
            /// A note.
            @Record(table: "note") public struct Note<T: P, let n: Int>: Codable, Q<T>, ~Copyable where T.A == B<C> {
              @Column("x") private(set) var text: String
            }
            """
        let attribute = AttributeModel(
            name: "Record", text: "@Record(table:\"note\")", source: "@Record(table: \"note\")",
            arguments: [
                argument("table", "\"note\"", at: 27)
            ], offset: 12, end: 34)
        let column = AttributeModel(
            name: "Column", text: "@Column(\"x\")", source: "@Column(\"x\")",
            arguments: [
                argument(nil, "\"x\"", at: 128)
            ], offset: 120, end: 132)
        let member = MemberModel(
            attributes: [column], modifiers: [modifier("private", "set")],
            content: .properties(
                PropertiesModel(
                    keyword: "var", keywordOffset: 146, bindings: [binding("text", "String", at: 150)])),
            offset: 120, isConditional: false)
        let model = try StructModel(parsing: source)
        #expect(
            model
                == StructModel(
                    keyword: "struct", name: NameModel("Note", at: 49), attributes: [attribute],
                    modifiers: [modifier("public")], genericParameters: "<T:P,letn:Int>",
                    inheritedTypes: ["Codable", "Q<T>", "~Copyable"].map(TypeModel.init(_:)), members: [member]))
    }

    @Test(arguments: ["struct", "class", "enum", "actor"])
    func keywords(_ keyword: String) throws {
        #expect(try StructModel(parsing: "\(keyword) A { }").keyword == keyword)
    }

    @Test func inheritance() throws {
        #expect(
            try StructModel(parsing: "struct A: @unchecked Sendable, @retroactive B, nonisolated C, any D & E.F {}")
                .inheritedTypes.map(\.text) == ["@uncheckedSendable", "@retroactiveB", "nonisolatedC", "anyD&E.F"])
    }

    @Test(arguments: [
        "<T>", "<T, U>", "<T: P & Q>", "<each T>", "<T: ~Copyable>", "<let n: Int>", "<@A T>", "<T: A<B<C>>>",
    ])
    func genericParameters(_ text: String) throws {
        let model = try StructModel(parsing: "struct A\(text) { }")
        #expect(model.genericParameters == text.filter { $0 != " " })
        #expect(model.members == [])
    }

    @Test func emptyStruct() throws {
        #expect(try StructModel(parsing: "struct A{}") == StructModel(keyword: "struct", name: NameModel("A", at: 7)))
        #expect(try StructModel(parsing: "\u{FEFF}// a\nstruct `A`\n{\n}\n").name == NameModel("`A`", at: 15))
    }
}
