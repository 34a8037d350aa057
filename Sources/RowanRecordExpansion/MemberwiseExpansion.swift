// The memberwise initializer of `@Record(memberwise: true)`. It is a member of the struct itself, where it replaces the
// compiler's initializer, which is internal.

import RowanPluginMessages
import RowanRecordSyntax

struct MemberwiseExpansion {
    let description: RecordDescription
    private(set) var problems: [Problem] = []

    init(description: RecordDescription) { self.description = description }

    /// A property that the initializer sets.
    private struct Parameter {
        let name: String
        let type: String
        let value: String?

        /// The declaration, such as `title: String`.
        var source: String { "\(name): \(type)" + (value.map { " = \($0)" } ?? "") }
    }

    /// The initializer; empty if the attribute does not request one, nil after an error.
    var source: String? {
        mutating get {
            let attribute = description.model.attributes.first { $0.name == "Record" }
            let argument = attribute?.arguments.first { $0.label == "memberwise" }
            guard let argument, argument.value.form != .boolean(false) else { return "" }
            guard argument.value.form == .boolean(true) else {
                problems.append(
                    Problem("the macro reads source, not values: write 'true' or 'false'", at: argument.offset))
                return nil
            }
            let parameters = self.parameters
            guard problems.isEmpty else { return nil }
            let list = parameters.map(\.source).joined(separator: ", ")
            let assignments = parameters.map { "self.\($0.name) = \($0.name)\n" }.joined()
            let modifier = description.access == .fileprivate ? "" : description.access.modifier
            return "\(modifier)init(\(list)) {\n\(assignments)}"
        }
    }

    private var parameters: [Parameter] {
        mutating get {
            var parameters: [Parameter] = []
            for member in description.model.members {
                guard case .properties(let properties) = member.content,
                    !member.modifiers.contains(where: { $0.name == "static" })
                else { continue }
                for binding in properties.typedBindings where binding.isStored {
                    if let parameter = parameter(for: binding, properties, member) { parameters.append(parameter) }
                }
            }
            return parameters
        }
    }

    /// The parameter of a property; nil if the property keeps its value, or after an error.
    private mutating func parameter(
        for binding: BindingModel, _ properties: PropertiesModel, _ member: MemberModel
    ) -> Parameter? {
        let isVariable = properties.keyword == "var"
        var isImplicitlyNil = false
        if isVariable, case .optional = binding.type?.form { isImplicitlyNil = true }
        let value = binding.value?.source ?? (isImplicitlyNil ? "nil" : nil)
        if value != nil, !isVariable || Access(member.modifiers) <= .fileprivate { return nil }
        guard let type = binding.type?.source ?? binding.value?.form.literalType else {
            problems.append(
                Problem(
                    "the memberwise initializer needs the type of '\(binding.name.plain)': declare it after a colon",
                    at: binding.name.offset))
            return nil
        }
        let isEscaping = binding.type?.form == .function
        return Parameter(name: binding.name.text, type: (isEscaping ? "@escaping " : "") + type, value: value)
    }
}

extension ValueModel.Form {
    /// The type that the compiler infers from a literal.
    fileprivate var literalType: String? {
        switch self {
        case .text: "String"
        case .integer: "Int"
        case .decimal: "Double"
        case .boolean: "Bool"
        case .null, .cast, .member, .metatype, .other: nil
        }
    }
}
