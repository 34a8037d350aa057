// The description of a struct, made from our model.

import RowanRecordSyntax

struct OwnDescription {
    var lines: [String] = []

    init(_ model: StructModel) {
        lines.append("\(model.keyword) \(model.name.text) \(model.name.offset) \(model.genericParameters ?? "-")")
        append(model.attributes, model.modifiers)
        for type in model.inheritedTypes { lines.append(": \(type.text)") }
        for member in model.members {
            let mark = "\(member.isConditional ? "if " : "")\(member.offset)"
            switch member.content {
            case .properties(let properties):
                lines.append("\(mark) \(properties.keyword) \(properties.keywordOffset)")
                append(member.attributes, member.modifiers)
                for binding in properties.bindings { append(binding) }
            case .other(let keyword, let name, let parameters):
                lines.append("\(mark) \(keyword) \(name) \(parameters)")
                append(member.attributes, member.modifiers)
            }
        }
    }

    private mutating func append(_ binding: BindingModel) {
        let accessors = binding.accessors.map { "{\($0.joined(separator: " "))}" } ?? "-"
        lines.append(
            "\(binding.isTuple ? "tuple" : "binding") \(binding.name.offset) \(binding.name.text) : "
                + "\(binding.type?.text ?? "-") = \(binding.value?.text ?? "-") \(accessors)")
    }

    private mutating func append(_ attributes: [AttributeModel], _ modifiers: [ModifierModel]) {
        for attribute in attributes {
            let mark = attribute.isConditional ? "if " : ""
            lines.append("\(mark)attribute \(attribute.name) \(attribute.offset)..<\(attribute.end) \(attribute.text)")
            if !Self.builtIn.contains(attribute.name) {
                for argument in attribute.arguments {
                    lines.append("argument \(argument.label ?? "-") \(argument.offset) \(argument.value.text)")
                }
            }
        }
        for modifier in modifiers { lines.append("modifier \(modifier.name) \(modifier.detail ?? "-")") }
    }

    /// Attributes whose arguments the compiler does not parse as expressions.
    static let builtIn: Set<String> = [
        "_alignment", "_cdecl", "_cxxOverload", "_documentation", "_dynamicReplacement", "_effects", "_expose",
        "_extern", "_implements", "_inheritActorContext", "_lifetime", "_nonSendable", "_optimize",
        "_originallyDefinedIn", "_private", "_projectedValueProperty", "_rawLayout", "_section", "_semantics",
        "_silgen_name", "_specialize", "_spi", "_swift_native_objc_runtime_base", "_typeEraser",
        "_unavailableFromAsync", "abi", "attached", "available", "backDeployed", "c", "convention", "derivative",
        "diagnose", "differentiable", "exclusivity", "export", "freestanding", "inline", "isolated", "lifetime",
        "nonexhaustive", "objc", "safe", "specialized", "storageRestrictions", "transpose", "unsafe",
    ]
}
