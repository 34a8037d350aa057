// The model of a struct, made from the compiler's own tree.

import RecordSyntax
import SwiftSyntax

/// The text of the tokens of a node, without spaces and comments.
func plainText(_ node: some SyntaxProtocol) -> String {
    node.tokens(viewMode: .sourceAccurate).map(\.text).joined()
}

/// Describes a struct in lines that both parsers can be made to write.
struct RealDescription {
    var lines: [String] = []

    init(_ node: StructDeclSyntax) {
        lines.append("struct \(node.name.text) \(node.genericParameterClause.map { plainText($0) } ?? "-")")
        append(node.attributes, node.modifiers)
        for type in node.inheritanceClause?.inheritedTypes ?? [] { lines.append(": \(plainText(type.type))") }
        append(node.memberBlock.members, isConditional: false)
    }

    private mutating func append(_ attributes: AttributeListSyntax, _ modifiers: DeclModifierListSyntax) {
        for case .attribute(let attribute) in attributes { append(attribute) }
        for modifier in modifiers {
            lines.append("modifier \(modifier.name.text) \(modifier.detail.map { $0.detail.text } ?? "-")")
        }
    }

    private mutating func append(_ attribute: AttributeSyntax) {
        lines.append("attribute \(plainText(attribute))")
        let name = plainText(attribute.attributeName).split(whereSeparator: ".<".contains).last.map(String.init) ?? ""
        if case .argumentList(let list) = attribute.arguments, !OwnDescription.builtIn.contains(name) {
            for argument in list {
                lines.append("argument \(argument.label?.text ?? "-") \(plainText(argument.expression))")
            }
        }
    }

    private mutating func append(_ members: MemberBlockItemListSyntax, isConditional: Bool) {
        for member in members {
            if let config = member.decl.as(IfConfigDeclSyntax.self) {
                for clause in config.clauses {
                    if case .decls(let members) = clause.elements { append(members, isConditional: true) }
                }
                continue
            }
            append(member.decl, isConditional)
        }
    }

    private mutating func append(_ decl: DeclSyntax, _ isConditional: Bool) {
        let mark = isConditional ? "if " : ""
        if let decl = decl.as(VariableDeclSyntax.self) {
            lines.append(mark + decl.bindingSpecifier.text)
            append(decl.attributes, decl.modifiers)
            for binding in decl.bindings { append(binding) }
        } else if let decl = decl.as(FunctionDeclSyntax.self) {
            lines.append("\(mark)func \(decl.name.text)\(labels(decl.signature.parameterClause))")
            append(decl.attributes, decl.modifiers)
        } else if let decl = decl.as(InitializerDeclSyntax.self) {
            lines.append("\(mark)init init\(labels(decl.signature.parameterClause))")
            append(decl.attributes, decl.modifiers)
        } else if let decl = decl.as(SubscriptDeclSyntax.self) {
            lines.append("\(mark)subscript subscript\(labels(decl.parameterClause))")
            append(decl.attributes, decl.modifiers)
        } else if let decl = decl.as(DeinitializerDeclSyntax.self) {
            lines.append("\(mark)deinit deinit")
            append(decl.attributes, decl.modifiers)
        } else if let decl = decl.as(TypeAliasDeclSyntax.self) {
            lines.append("\(mark)typealias \(decl.name.text)")
            append(decl.attributes, decl.modifiers)
        } else if let decl = decl.as(MacroExpansionDeclSyntax.self) {
            lines.append("\(mark)# \(decl.macroName.text)")
            append(decl.attributes, decl.modifiers)
        } else if let decl = decl.asProtocol((any DeclGroupSyntax).self),
            let named = decl.asProtocol((any NamedDeclSyntax).self)
        {
            lines.append("\(mark)\(decl.introducer.text) \(named.name.text)")
            append(decl.attributes, decl.modifiers)
        }
    }

    private mutating func append(_ binding: PatternBindingSyntax) {
        let accessors =
            switch binding.accessorBlock?.accessors {
            case .accessors(let list)?: "{\(list.map(\.accessorSpecifier.text).joined(separator: " "))}"
            case .getter?: "{}"
            case nil: "-"
            }
        lines.append(
            "binding \(plainText(binding.pattern)) : \(binding.typeAnnotation.map { plainText($0.type) } ?? "-") = "
                + "\(binding.initializer.map { plainText($0.value) } ?? "-") \(accessors)")
    }

    private func labels(_ clause: FunctionParameterClauseSyntax) -> String {
        "(\(clause.parameters.map { $0.firstName.text + ":" }.joined()))"
    }
}

/// The same lines, of our own model.
struct OwnDescription {
    var lines: [String] = []

    init(_ model: StructModel) {
        lines.append("\(model.keyword) \(model.name.text) \(model.genericParameters ?? "-")")
        append(model.attributes, model.modifiers)
        for type in model.inheritedTypes { lines.append(": \(type)") }
        for member in model.members {
            let mark = member.isConditional ? "if " : ""
            switch member.content {
            case .properties(let properties):
                lines.append(mark + properties.keyword)
                append(member.attributes, member.modifiers)
                for binding in properties.bindings {
                    let accessors = binding.accessors.map { "{\($0.joined(separator: " "))}" } ?? "-"
                    lines.append(
                        "binding \(binding.name.text) : \(binding.type ?? "-") = \(binding.value ?? "-") \(accessors)")
                }
            case .other(let keyword, let name, _):
                lines.append("\(mark)\(keyword) \(name)")
                append(member.attributes, member.modifiers)
            }
        }
    }

    private mutating func append(_ attributes: [AttributeModel], _ modifiers: [ModifierModel]) {
        for attribute in attributes {
            lines.append("attribute \(attribute.text)")
            if !Self.builtIn.contains(attribute.name) {
                for argument in attribute.arguments {
                    lines.append("argument \(argument.label ?? "-") \(argument.text)")
                }
            }
        }
        for modifier in modifiers { lines.append("modifier \(modifier.name) \(modifier.detail ?? "-")") }
    }

    /// Attributes whose arguments are no expressions for the compiler.
    static let builtIn: Set<String> = [
        "available", "objc", "backDeployed", "_specialize", "specialized", "_spi", "_documentation", "_expose",
        "inline", "_effects",
        "_semantics", "storageRestrictions", "_optimize", "attached", "freestanding", "isolated", "convention",
        "_cdecl",
        "_silgen_name", "derivative", "differentiable", "transpose", "_implements", "_originallyDefinedIn",
        "_unavailableFromAsync",
        "exclusivity", "abi", "_projectedValueProperty", "_dynamicReplacement", "_typeEraser",
        "_swift_native_objc_runtime_base",
        "_nonSendable", "_extern", "_section", "lifetime", "_lifetime", "_alignment", "_rawLayout", "_private",
        "diagnose", "unsafe",
        "nonexhaustive", "c", "safe", "_inheritActorContext", "export", "_cxxOverload",
    ]
}
