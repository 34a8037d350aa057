// What a record type declares, in the form that the expansion needs: one checked column for each stored property.

import RowanRecordSyntax

/// A property that is stored in a column.
struct ColumnDescription {
    /// The property, possibly in backticks.
    let property: String
    /// The name of the column.
    let column: String
    let access: Access
    /// The source of the storage; nil for the storage of the type.
    let storage: String?
    /// Whether the storage is JSON.
    let isJSON: Bool
    /// Whether the database computes the column.
    let isGenerated: Bool
    /// Whether the type is written as an optional.
    let isOptional: Bool
    let isKey: Bool
    /// The association of `@References`, and its actions, as arguments; nil without the attribute.
    let reference: [String]?
    let offset: Int
    /// Whether the compiler must determine whether the type has a column.
    let hasUnknownType: Bool
    /// The offset of the word `let`; nil for a variable.
    let letOffset: Int?
}

/// The access level of a declaration.
enum Access: Int, Comparable {
    case `private`, `fileprivate`, `internal`, `package`, `public`

    static func < (lhs: Access, rhs: Access) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The access that modifiers declare.
    init(_ modifiers: [ModifierModel]) {
        self = .internal
        for modifier in modifiers where modifier.detail == nil {
            switch modifier.name {
            case "private": self = .private
            case "fileprivate": self = .fileprivate
            case "package": self = .package
            case "public", "open": self = .public
            default: break
            }
        }
    }

    /// The modifier of a member in an extension, with a space. Extensions use private properties of the same file.
    var modifier: String {
        switch self {
        case .private, .fileprivate: "fileprivate "
        case .internal: ""
        case .package: "package "
        case .public: "public "
        }
    }
}

/// A record type or a selection.
struct RecordDescription {
    let model: StructModel
    /// The qualified name of the type, starting with the outermost type.
    let typeName: String
    let access: Access
    /// The protocols of the macro that the type does not conform to yet.
    let missingConformances: [String]
    /// The name of the table, as a literal; nil for the name derived from the type.
    let tableName: String?
    var columns: [ColumnDescription] = []

    /// Whether static stored properties are impossible: in generic types.
    let isGeneric: Bool

    /// The attributes `@available` of the type, which the extension also needs.
    var availability: [String] { model.attributes.filter { $0.name == "available" }.map(\.source) }

    var keys: [ColumnDescription] { columns.filter(\.isKey) }

    /// The property that keeps the rowid of an insertion.
    var rowIDKey: ColumnDescription? { keys.count == 1 && keys[0].isOptional ? keys[0] : nil }

    /// Whether the body implements a callback that changes the record.
    var hasMutatingCallback: Bool {
        model.members.contains { member in
            guard case .other("func", let name, _) = member.content else { return false }
            return ["willInsert(_:)", "didInsert(_:)", "willUpdate(_:columns:)"].contains(name)
                && member.modifiers.contains { $0.name == "mutating" }
        }
    }

    /// Whether the body has a member: a property, a type, or a function with these labels.
    func declares(_ name: String, parameter: String? = nil) -> Bool {
        model.members.contains { member in
            switch member.content {
            case .properties(let properties): properties.bindings.contains { $0.name.plain == name }
            case .other(_, let own, let parameters):
                own == name && (parameter.map { parameters.contains($0) } ?? true)
            }
        }
    }
}
