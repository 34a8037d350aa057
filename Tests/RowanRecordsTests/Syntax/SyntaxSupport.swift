// Sources of members, and their expected models.

import Testing

@testable import RowanRecordSyntax

// Types and values are equal if their texts are equal.

extension TypeModel {
    init(_ text: String) { self.init(form: .other, text: text, source: text, hasFunction: false) }
}

extension ValueModel {
    init(_ text: String, source: String? = nil) { self.init(form: .other, text: text, source: source ?? text) }
}

func argument(_ label: String?, _ text: String, at offset: Int) -> ArgumentModel {
    ArgumentModel(label: label, value: ValueModel(text), offset: offset)
}

/// The members of a struct with the given body, which starts at offset 11.
func members(_ body: String) throws -> [MemberModel] { try StructModel(parsing: "struct S {\n\(body)\n}").members }

/// The bindings of a struct whose body is a single property.
func bindings(_ body: String) throws -> [BindingModel] {
    let members = try members(body)
    try #require(members.count == 1, "\(members)")
    guard case .properties(let properties) = members[0].content else { return [] }
    return properties.bindings
}

/// The binding of `let name` or `var name` at the start of a body.
func binding(
    _ name: String, _ type: String? = nil, value: String? = nil, accessors: [String]? = nil, isTuple: Bool = false,
    at offset: Int = 15
) -> BindingModel {
    BindingModel(
        name: NameModel(name, at: offset), isTuple: isTuple, type: type.map(TypeModel.init(_:)),
        value: value.map { ValueModel($0) }, accessors: accessors)
}

/// Checks that an initial value is read as a whole, and that the next member is found.
func expectValue(
    _ value: String, is text: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let members = try members("let a = \(value)\nlet next: Int")
    try #require(members.count == 2, "\(members)", sourceLocation: sourceLocation)
    #expect(members[0] == stored(binding("a", value: text ?? value)), sourceLocation: sourceLocation)
    let offset = 11 + 8 + value.utf8.count + 1
    let next = stored(binding("next", "Int", at: offset + 4), at: offset)
    #expect(members[1] == next, sourceLocation: sourceLocation)
}

/// Checks that a type is read as a whole, before a value.
func expectType(_ type: String, is text: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let expected = [binding("a", text ?? type, value: "x")]
    #expect(try bindings("let a: \(type) = x") == expected, sourceLocation: sourceLocation)
    #expect(
        try bindings("var a: \(type) { x }") == [binding("a", text ?? type, accessors: [])],
        sourceLocation: sourceLocation)
}

/// A member that is a single property.
func stored(_ binding: BindingModel, _ keyword: String = "let", at offset: Int = 11) -> MemberModel {
    MemberModel(
        attributes: [], modifiers: [],
        content: .properties(PropertiesModel(keyword: keyword, keywordOffset: offset, bindings: [binding])),
        offset: offset, isConditional: false)
}

/// A member that isn't a property.
func other(_ keyword: String, _ name: String, _ parameters: String = "", at offset: Int = 11) -> MemberModel {
    MemberModel(
        attributes: [], modifiers: [], content: .other(keyword: keyword, name: name, parameters: parameters),
        offset: offset, isConditional: false)
}

/// A modifier without parentheses.
func modifier(_ name: String, _ detail: String? = nil) -> ModifierModel { ModifierModel(name: name, detail: detail) }
