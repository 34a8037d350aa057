// `@References(Town.self)`: the association to the record that a foreign key refers to. It is a member of the struct
// itself, because an extension of a nested type would not find the types next to it.

import RowanPluginMessages
import RowanRecordSyntax

func expandReference(_ expansion: AttachedExpansion) -> PluginAnswer {
    let piece = expansion.declSyntax
    do throws(Problem) {
        return .expansion(try reference(expansion), [])
    } catch {
        return .expansion(nil, [error.diagnostic(piece)])
    }
}

/// The property that an attribute belongs to.
private func member(of expansion: AttachedExpansion) throws(Problem) -> MemberModel {
    do throws(SyntaxError) { return try MemberModel(parsing: expansion.declSyntax.source) } catch {
        throw Problem("the macro does not understand this property: \(error.message)", at: error.offset)
    }
}

/// The member that contains the storage of a property; nil for `.name` and for JSON, which need none.
func storageMember(_ storage: ValueModel, of property: String) -> String? {
    if case .member = storage.form { return nil }
    return storage.text.hasPrefix("JSONStorage") ? nil : "_storage_\(property)"
}

/// The storage of a column as a member of the struct.
func expandStorage(_ expansion: AttachedExpansion) -> PluginAnswer {
    // The macro of the type reports what is wrong with the property.
    guard let member = try? member(of: expansion), case .properties(let properties) = member.content,
        let binding = properties.bindings.first, !(expansion.lexicalContext ?? []).contains(where: mayBeGeneric),
        let storage = member.attributes.first(where: { $0.name == "Column" })?["as"]?.value,
        let name = storageMember(storage, of: binding.name.plain)
    else { return .expansion("", []) }
    return .expansion("fileprivate nonisolated static let \(name) = \(storage.source)", [])
}

private func reference(_ expansion: AttachedExpansion) throws(Problem) -> String {
    let member = try member(of: expansion)
    guard case .properties(let properties) = member.content, let binding = properties.bindings.first,
        let attribute = member.attributes.first(where: { $0.name == "References" })
    else {
        throw Problem("@References belongs to a stored property", at: member.offset)
    }
    let type = attribute[nil]?.value
    let property = binding.name.plain
    guard let name = associationName(property) else {
        throw Problem(
            "no name of an association follows from '\(property)': call it '\(property)ID', or declare the association "
                + "with belongsTo(\(type?.source ?? ""))",
            at: binding.name.offset)
    }
    let column = columnName(member.attributes.first { $0.name == "Column" }, property)
    var destination = type?.source ?? ""
    if case .metatype(let name) = type?.form { destination = name }
    let modifier = Access(member.modifiers).modifier
    return """
        \(modifier)nonisolated static var `\(name)`: Rowan.BelongsToAssociation<Self, \(destination)> {
            belongsTo(\(type?.source ?? ""), key: "\(name)", using: Rowan.ForeignKey([\(column)]))
        }
        """
}

/// `townID`, `townId` and `town_id` refer to a `town`.
func associationName(_ property: String) -> String? {
    for suffix in ["ID", "Id", "_id"] where property.hasSuffix(suffix) && property.count > suffix.count {
        return String(property.dropLast(suffix.count))
    }
    return nil
}
