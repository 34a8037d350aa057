// The macros, by the names in their declarations.

public import RowanPluginMessages
import RowanRecordSyntax

/// Responds to a message from the compiler.
public func expand(_ message: HostMessage) -> PluginAnswer {
    switch message {
    case .expandAttached(let expansion):
        switch expansion.macro.typeName {
        case "RecordMacro": expandType(expansion, .record)
        case "SelectionMacro": expandType(expansion, .selection)
        case "ReferencesMacro": expandReference(expansion)
        case "StorageMacro": expandStorage(expansion)
        // The attributes of properties, which the macro of their type reads.
        case "MarkerMacro": .expansion("", [])
        case let name: unknownMacro(name)
        }
    case .expandFreestanding(let expansion): unknownMacro(expansion.macro.typeName)
    case .getCapability, .unknown: .expansion(nil, [])
    }
}

private func unknownMacro(_ name: String) -> PluginAnswer {
    .expansion(
        nil,
        [
            PluginDiagnostic(
                "unknown macro '\(name)': build the package and its plugin again",
                position: .init(fileName: "", offset: 0))
        ])
}

/// The model of a declaration, or the response that it can't be read.
private func model(of piece: SourcePiece) -> Result<StructModel, Problem> {
    do throws(SyntaxError) {
        return .success(try StructModel(parsing: piece.source))
    } catch {
        return .failure(
            Problem(
                "the macro does not understand this declaration (\(error.message)): simplify it, or write the conformances "
                    + "by hand, and report the declaration to Rowan",
                at: error.offset))
    }
}

private func expandType(_ expansion: AttachedExpansion, _ kind: RecordReader.Kind) -> PluginAnswer {
    let piece = expansion.declSyntax
    switch model(of: piece) {
    case .failure(let problem): return .expansion(nil, [problem.diagnostic(piece)])
    case .success(let model):
        let context = expansion.lexicalContext ?? []
        var reader = RecordReader(kind)
        let description = reader.description(
            of: model, typeName: expansion.extendedTypeSyntax?.source.trimmed ?? model.name.text,
            missing: conformances(expansion.conformanceListSyntax),
            isInGenericType: context.contains { mayBeGeneric($0) },
            isInPrivateType: context.contains { header($0).map { Access($0.modifiers) <= .fileprivate } ?? false })
        // The compiler also requests the members of the struct and shows each error once.
        let isMemberRole = expansion.extendedTypeSyntax == nil
        guard let description, reader.problems.isEmpty else {
            return isMemberRole ? .expansion("", []) : .expansion(nil, reader.problems.map { $0.diagnostic(piece) })
        }
        if isMemberRole {
            var initializer = MemberwiseExpansion(description: description)
            let source = initializer.source
            return .expansion(source, initializer.problems.map { $0.diagnostic(piece) })
        }
        return .expansion(RecordExpansion(description: description, kind: kind, piece: piece).source, [])
    }
}

/// The protocols of `struct Placeholder: A, B {}`.
private func conformances(_ piece: SourcePiece?) -> [String] {
    piece.flatMap(header).map { $0.inheritedTypes.compactMap(\.name) } ?? []
}

/// A declaration around the attribute, without its members.
private func header(_ piece: SourcePiece) -> StructModel? {
    // An extension of a nested type has no header: see `mayBeGeneric`.
    try? StructModel(parsing: piece.source)
}

/// Whether a declaration around the attribute is a generic type, or an extension of one, which does not show it.
func mayBeGeneric(_ piece: SourcePiece) -> Bool {
    guard let model = header(piece) else { return true }
    return model.keyword == "extension" || model.genericParameters != nil
}

extension String {
    var trimmed: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
