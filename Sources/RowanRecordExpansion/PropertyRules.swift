// The requirements for a property to become a column: an ordered list of rules, each of which returns a problem or
// nothing.

import RowanPluginMessages
import RowanRecordSyntax

/// A property of a record or a selection, as declared.
struct Property {
    let kind: RecordReader.Kind
    let binding: BindingModel
    let properties: PropertiesModel
    let member: MemberModel
    let model: StructModel

    var name: String { binding.name.plain }
    var column: AttributeModel? { attribute("Column") }
    var isIgnored: Bool { attribute("Ignored") != nil }
    /// Without `@PrimaryKey`, a property named `id` is the key of a record.
    var isKey: Bool {
        attribute("PrimaryKey") != nil || name == "id" && kind == .record && !model.hasPrimaryKey
    }
    var isGenerated: Bool { column?["generated"]?.value.form == .boolean(true) }

    private func attribute(_ name: String) -> AttributeModel? { member.attributes.first { $0.name == name } }

    /// The association of `@References`, and its actions, as arguments.
    var reference: [String]? {
        guard let attribute = attribute("References"), let association = associationName(name) else { return nil }
        return ["{ Self.`\(association)` }"]
            + attribute.arguments.compactMap { argument in argument.label.map { "\($0): \(argument.value.source)" } }
    }

    // MARK: Rules

    typealias Rule = @Sendable (Property) -> Problem?

    /// The rules of a stored property, in the order in which their problems matter.
    static let rules: [Rule] = [
        { $0.conditionalAttribute }, { $0.conditionalProperty }, { $0.pattern }, { $0.lazyProperty }, { $0.wrapper },
        { $0.constantWithValue }, { $0.unstorableType }, { $0.hiddenName }, { $0.generatedKey },
    ]

    /// The rules of a property with `@Ignored`.
    static let rulesOfIgnored: [Rule] = [{ $0.conditionalAttribute }, { $0.ignoredWithoutValue }]

    private func problem(_ message: String, at offset: Int? = nil, fix: Problem.Fix? = nil) -> Problem {
        Problem(message, at: offset ?? binding.name.offset, fix: fix)
    }

    private func removal(of attribute: AttributeModel) -> Problem.Fix {
        .init(message: "remove @\(attribute.name)", start: attribute.offset, end: attribute.end, text: "")
    }

    private var addingIgnored: Problem.Fix {
        .init(message: "add @Ignored", start: member.offset, end: member.offset, text: "@Ignored ")
    }

    /// The attributes that have no meaning for a computed property.
    var meaninglessAttributes: [Problem] {
        member.attributes.filter { Self.markers.contains($0.name) }.map { attribute in
            problem(
                "@\(attribute.name) has no meaning for '\(name)', which is computed: remove the attribute",
                at: attribute.offset, fix: removal(of: attribute))
        }
    }

    private var conditionalAttribute: Problem? {
        member.attributes.first(where: \.isConditional).map { attribute in
            problem(
                "@\(attribute.name) is inside '#if', so the macro can't know whether '\(name)' has it: "
                    + "move it out, or put the conditions around the whole struct",
                at: attribute.offset)
        }
    }

    private var ignoredWithoutValue: Problem? {
        let hasValue = binding.value != nil || properties.keyword == "var" && binding.isOptional
        guard !hasValue, !binding.isTuple else { return nil }
        return problem(
            "'\(name)' is ignored, so a record that is read from a row needs another value for it: add an initial value"
        )
    }

    private var conditionalProperty: Problem? {
        guard member.isConditional else { return nil }
        return problem(
            "'\(name)' is inside '#if', so the macro can't know whether it exists: move it out, "
                + "or put the conditions around the whole struct")
    }

    private var pattern: Problem? {
        guard binding.isTuple else { return nil }
        return problem("a tuple of properties can't be matched with columns: declare one property for each column")
    }

    private var lazyProperty: Problem? {
        guard member.modifiers.contains(where: { $0.name == "lazy" }) else { return nil }
        return problem(
            "'\(name)' is lazy, but a column needs a value when the record is stored: remove 'lazy', or add "
                + "@Ignored", fix: addingIgnored)
    }

    private var wrapper: Problem? {
        member.attributes.first { !Self.knownAttributes.contains($0.name) }.map { wrapper in
            problem(
                "the property wrapper @\(wrapper.name) hides what '\(name)' stores: remove it, or add @Ignored",
                at: wrapper.offset, fix: addingIgnored)
        }
    }

    private var constantWithValue: Problem? {
        guard properties.keyword == "let", binding.value != nil else { return nil }
        let start = properties.keywordOffset
        return problem(
            "'\(name)' is a constant with a value, which no row can change: declare it with 'var', make it static, or "
                + "add @Ignored",
            fix: .init(message: "declare it with 'var'", start: start, end: start + 3, text: "var"))
    }

    private var unstorableType: Problem? {
        guard let type = binding.type, type.hasFunction || (type.form.wrapped ?? type.form) == .tuple else {
            return nil
        }
        let what = type.hasFunction ? "a function" : "a tuple"
        return problem("\(what) can't be stored in a column: add @Ignored", fix: addingIgnored)
    }

    private var hiddenName: Problem? {
        guard Self.hiddenNames.contains(name) else { return nil }
        return problem(
            "a property named '\(name)' hides what the generated code refers to: rename it, and keep the column with "
                + "@Column(\"\(name)\")")
    }

    private var generatedKey: Problem? {
        guard isGenerated, isKey, let column else { return nil }
        return problem(
            "'\(name)' is a key, and SQLite does not compute keys: remove 'generated: true'", at: column.offset,
            fix: removal(of: column))
    }

    /// Names that expansions use without a type in front.
    private static let hiddenNames: Set<String> = ["self", "Self", "Rowan"]

    private static let markers: Set<String> = ["Column", "PrimaryKey", "References", "Ignored"]
    /// The attributes of a stored property that is not wrapped.
    private static let knownAttributes: Set<String> = markers.union([
        "available", "MainActor", "usableFromInline", "inlinable", "objc", "nonobjc", "exclusivity", "_spi",
        "preconcurrency", "safe", "unsafe", "_documentation", "abi",
    ])
}

/// The name of a column as a literal: from its attribute, or from the property.
func columnName(_ column: AttributeModel?, _ property: String) -> String {
    guard let value = column?[nil]?.value, value.form != .null else { return "\"\(property)\"" }
    return value.text
}

extension StructModel {
    fileprivate var hasPrimaryKey: Bool { members.contains { $0.attributes.contains { $0.name == "PrimaryKey" } } }
}

extension BindingModel {
    /// Whether the source shows an optional. The type may be inferred from a value.
    var isOptional: Bool { shownType?.wrapped != nil }

    /// Whether the source does not show that the type has a column.
    var hasUnknownType: Bool {
        if let shownType {
            guard case .named(let name, []) = shownType.wrapped ?? shownType else { return true }
            return !Self.storableTypes.contains(name)
        }
        return switch value?.form {
        case .text, .integer, .decimal, .boolean: false
        case .null, .cast, .member, .metatype, .other, nil: true
        }
    }

    private var shownType: TypeModel.Form? {
        if let type { return type.form }
        guard case .cast(let form) = value?.form else { return nil }
        return form
    }

    private static let storableTypes: Set = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
        "Bool", "String", "Date", "Data", "UUID", "URL",
    ]
}
