// Expansions without a compiler: the declaration is in its own file.

@testable import RowanPluginMessages
import RowanRecordExpansion

let allProtocols =
    "FetchableRecord, TableRecord, EncodableRecord, MutablePersistableRecord, PersistableRecord, PositionalRecord, Identifiable"

/// The expansion of a macro on a declaration: its extension of the type or, without a type, the members that it adds.
func answer(
    to macro: String = "RecordMacro", _ source: String, type: String? = "Place", context: [String] = [],
    missing: String = allProtocols, line: Int? = nil
) -> PluginAnswer {
    func piece(_ source: String, offset: Int = 0) -> SourcePiece {
        SourcePiece(
            source: source,
            location: .init(fileName: "/Place.swift", offset: offset, line: line, column: line.map { _ in 5 }))
    }
    return expand(
        .expandAttached(
            AttachedExpansion(
                macro: MacroReference(moduleName: "RowanRecordsPlugin", typeName: macro, name: "Record"),
                declSyntax: piece(source, offset: 1_000),
                lexicalContext: context.map { piece($0) }, extendedTypeSyntax: type.map { piece($0) },
                conformanceListSyntax: piece("struct Placeholder: \(missing) {}"))))
}

/// The lines of an expansion, or the errors if there are any.
func expansion(
    _ source: String, of macro: String = "RecordMacro", type: String? = "Place", context: [String] = [],
    missing: String = allProtocols, line: Int? = nil
) -> [String] {
    guard
        case .expansion(let text, let problems) = answer(
            to: macro, source, type: type, context: context, missing: missing, line: line)
    else { return [] }
    return text.map { $0.split(separator: "\n").map(String.init) } ?? problems.map(\.message)
}
