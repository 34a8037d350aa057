// The description of a struct, made from the compiler's tree.

import RowanRecordSyntax
import SwiftSyntax

/// The text of a node's tokens, without spaces and comments. Literals keep theirs, because our parser reads each as one
/// token.
func plainText(_ node: some SyntaxProtocol) -> String {
    if let token = node.as(TokenSyntax.self) { return token.text }
    if node.is(StringLiteralExprSyntax.self) || node.is(SimpleStringLiteralExprSyntax.self)
        || node.is(RegexLiteralExprSyntax.self)
    {
        return node.trimmedDescription
    }
    return node.children(viewMode: .sourceAccurate).map { plainText($0) }.joined()
}

extension SyntaxProtocol {
    /// The offset of the first byte that belongs to neither space nor comment.
    var offset: Int { positionAfterSkippingLeadingTrivia.utf8Offset }
}

/// Describes a struct in lines that both parsers can produce.
struct RealDescription {
    var lines: [String] = []

    init(_ node: StructDeclSyntax) {
        lines.append(
            "struct \(node.name.text) \(node.name.offset) \(node.genericParameterClause.map { plainText($0) } ?? "-")")
        append(node.attributes, node.modifiers)
        for type in node.inheritanceClause?.inheritedTypes ?? [] { lines.append(": \(plainText(type.type))") }
        append(node.memberBlock.members, isConditional: false)
    }

    private mutating func append(_ attributes: AttributeListSyntax, _ modifiers: DeclModifierListSyntax) {
        append(attributes, isConditional: false)
        for modifier in modifiers {
            lines.append("modifier \(modifier.name.text) \(modifier.detail.map { $0.detail.text } ?? "-")")
        }
    }

    private mutating func append(_ attributes: AttributeListSyntax, isConditional: Bool) {
        for attribute in attributes {
            if case .attribute(let attribute) = attribute { append(attribute, isConditional) }
            guard case .ifConfigDecl(let config) = attribute else { continue }
            for case .attributes(let list) in config.clauses.map(\.elements) { append(list, isConditional: true) }
        }
    }

    private mutating func append(_ attribute: AttributeSyntax, _ isConditional: Bool) {
        let type = attribute.attributeName
        let name = type.as(MemberTypeSyntax.self)?.name.text ?? type.as(IdentifierTypeSyntax.self)?.name.text ?? "?"
        let end = attribute.endPositionBeforeTrailingTrivia.utf8Offset
        lines.append(
            "\(isConditional ? "if " : "")attribute \(name) \(attribute.offset)..<\(end) \(plainText(attribute))")
        if case .argumentList(let list) = attribute.arguments, !OwnDescription.builtIn.contains(name) {
            for argument in list {
                let expression = argument.expression
                lines.append("argument \(argument.label?.text ?? "-") \(expression.offset) \(plainText(expression))")
            }
        }
    }

    private mutating func append(_ members: MemberBlockItemListSyntax, isConditional: Bool) {
        for member in members {
            if let config = member.decl.as(IfConfigDeclSyntax.self) {
                for clause in config.clauses {
                    if case .decls(let members) = clause.elements { append(members, isConditional: true) }
                }
            } else if !member.decl.is(PoundSourceLocationSyntax.self) {
                append(member.decl, isConditional)
            }
        }
    }

    private mutating func append(_ decl: DeclSyntax, _ isConditional: Bool) {
        let mark = "\(isConditional ? "if " : "")\(decl.offset)"
        if let decl = decl.as(VariableDeclSyntax.self) {
            lines.append("\(mark) \(decl.bindingSpecifier.text) \(decl.bindingSpecifier.offset)")
            append(decl.attributes, decl.modifiers)
            for binding in decl.bindings { append(binding) }
        } else if let decl = decl.as(FunctionDeclSyntax.self) {
            lines.append("\(mark) func \(decl.name.text)\(parameters(decl.signature.parameterClause))")
            append(decl.attributes, decl.modifiers)
        } else if let decl = decl.as(InitializerDeclSyntax.self) {
            lines.append("\(mark) init init\(parameters(decl.signature.parameterClause))")
            append(decl.attributes, decl.modifiers)
        } else if let decl = decl.as(SubscriptDeclSyntax.self) {
            lines.append("\(mark) subscript subscript\(parameters(decl.parameterClause))")
            append(decl.attributes, decl.modifiers)
        } else if let decl = decl.as(DeinitializerDeclSyntax.self) {
            lines.append("\(mark) deinit deinit ")
            append(decl.attributes, decl.modifiers)
        } else if let decl = decl.as(TypeAliasDeclSyntax.self) {
            lines.append("\(mark) typealias \(decl.name.text) ")
            append(decl.attributes, decl.modifiers)
        } else if let decl = decl.as(MacroExpansionDeclSyntax.self) {
            lines.append("\(mark) # \(decl.macroName.text) ")
            append(decl.attributes, decl.modifiers)
        } else if let decl = decl.asProtocol((any DeclGroupSyntax).self),
            let named = decl.asProtocol((any NamedDeclSyntax).self)
        {
            lines.append("\(mark) \(decl.introducer.text) \(named.name.text) ")
            append(decl.attributes, decl.modifiers)
        } else {
            lines.append("\(mark) \(decl.kind)")
        }
    }

    private mutating func append(_ binding: PatternBindingSyntax) {
        var accessors = "-"
        if case .accessors(let list) = binding.accessorBlock?.accessors {
            accessors = "{\(list.map(\.accessorSpecifier.text).joined(separator: " "))}"
        } else if binding.accessorBlock != nil {
            accessors = "{}"
        }
        let kind = binding.pattern.is(TuplePatternSyntax.self) ? "tuple" : "binding"
        lines.append(
            "\(kind) \(binding.pattern.offset) \(plainText(binding.pattern)) : "
                + "\(binding.typeAnnotation.map { plainText($0.type) } ?? "-") = "
                + "\(binding.initializer.map { plainText($0.value) } ?? "-") \(accessors)")
    }

    private func parameters(_ clause: FunctionParameterClauseSyntax) -> String {
        "(\(clause.parameters.map { $0.firstName.text + ":" }.joined())) \(plainText(clause))"
    }
}
