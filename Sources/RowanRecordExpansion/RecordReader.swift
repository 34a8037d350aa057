// From the model of a struct to the description of a record, with all errors of the declaration.

import RowanPluginMessages
import RowanRecordSyntax

struct RecordReader {
    let kind: Kind
    private(set) var problems: [Problem] = []

    enum Kind {
        case record
        case selection

        var name: String { self == .record ? "@Record" : "@Selection" }

        /// The error of another declaration than a struct.
        func needsStruct(_ keyword: String, _ declaration: NameModel) -> Problem {
            let article = ["enum", "actor", "extension"].contains(keyword) ? "an" : "a"
            return Problem(
                "\(name) needs a struct: \(article) \(keyword) '\(declaration.plain)' can't have it. Declare a struct, or "
                    + "write the conformances by hand", at: declaration.offset)
        }
    }

    init(_ kind: Kind) { self.kind = kind }

    private mutating func report(_ message: String, at offset: Int, fix: Problem.Fix? = nil) {
        problems.append(Problem(message, at: offset, fix: fix))
    }

    /// The description of a declaration; nil after an error that leaves nothing to describe.
    mutating func description(
        of model: StructModel, typeName: String, missing: [String], isInGenericType: Bool,
        isInPrivateType: Bool
    ) -> RecordDescription? {
        let attribute = model.attributes.first { $0.name == (kind == .record ? "Record" : "Selection") }
        guard model.keyword == "struct" else {
            problems.append(kind.needsStruct(model.keyword, model.name))
            return nil
        }
        var description = RecordDescription(
            model: model, typeName: typeName,
            // The file sees a private type, but not the private members of a type.
            access: isInPrivateType ? .fileprivate : max(.fileprivate, Access(model.modifiers)),
            missingConformances: missing,
            tableName: attribute.flatMap { literal($0.arguments.first { $0.label == nil }, "name of the table") },
            isGeneric: isInGenericType || model.genericParameters != nil)
        for member in model.members {
            if case .properties(let properties) = member.content { read(member, properties, into: &description) }
        }
        if description.columns.isEmpty, problems.isEmpty {
            report(
                "'\(model.name.plain)' has no stored property, so there is nothing to store or to read. Declare a property "
                    + "for each column",
                at: model.name.offset)
        }
        checkNames(description.columns)
        checkKey(description)
        return description
    }

    /// The literal of an argument, with its quotation marks.
    private mutating func literal(_ argument: ArgumentModel?, _ what: String) -> String? {
        guard let argument else { return nil }
        if argument.text == "nil" { return nil }
        guard let token = argument.token, token.kind == .string, !token.text.contains("\\("), !token.text.contains("\n")
        else {
            report("the \(what) must be a string literal without interpolation", at: argument.offset)
            return nil
        }
        return token.text
    }

    // MARK: Properties

    private mutating func read(
        _ member: MemberModel, _ properties: PropertiesModel, into description: inout RecordDescription
    ) {
        let isStatic = member.modifiers.contains { $0.name == "static" || $0.name == "class" }
        guard !isStatic else { return }
        for binding in properties.typedBindings {
            read(binding, properties, member, into: &description)
        }
    }

    private mutating func read(
        _ binding: BindingModel, _ properties: PropertiesModel, _ member: MemberModel,
        into description: inout RecordDescription
    ) {
        let attributes = member.attributes
        let name = binding.name.plain
        let offset = binding.name.offset
        let column = attributes.first { $0.name == "Column" }
        guard binding.isStored else {
            for attribute in attributes where Self.markers.contains(attribute.name) {
                report(
                    "@\(attribute.name) has no meaning for '\(name)', which is computed. Remove the attribute",
                    at: attribute.offset, fix: removal(of: attribute))
            }
            return
        }
        if let attribute = attributes.first(where: \.isConditional) {
            return report(
                "@\(attribute.name) is inside '#if', so the macro can't know whether '\(name)' has it. "
                    + "Move it out, or put the conditions around the whole struct",
                at: attribute.offset)
        }
        if let ignored = attributes.first(where: { $0.name == "Ignored" }) {
            checkIgnored(binding, properties, name, ignored)
            return
        }
        guard !member.isConditional else {
            report(
                "'\(name)' is inside '#if', so the macro can't know whether it exists. Move it out, "
                    + "or put the conditions around the whole struct",
                at: offset)
            return
        }
        guard !binding.isTuple else {
            report(
                "a tuple of properties can't be matched with columns. Declare one property for each column", at: offset)
            return
        }
        if member.modifiers.contains(where: { $0.name == "lazy" }) {
            return report(
                "'\(name)' is lazy: a column needs a value that is there when the record is stored. Remove 'lazy', or add "
                    + "@Ignored", at: offset, fix: ignoring(member))
        }
        if let wrapper = attributes.first(where: { !Self.knownAttributes.contains($0.name) }) {
            return report(
                "the property wrapper @\(wrapper.name) hides what '\(name)' stores. Remove it, or add @Ignored",
                at: wrapper.offset, fix: ignoring(member))
        }
        if properties.keyword == "let", binding.value != nil {
            return report(
                "'\(name)' is a constant with a value, which no row can change. Declare it with 'var', make it static, or "
                    + "add @Ignored", at: offset,
                fix: .init(
                    message: "declare it with 'var'", start: properties.keywordOffset,
                    end: properties.keywordOffset + 3,
                    text: "var"))
        }
        if binding.type == nil, binding.value == nil { return }  // The compiler reports it.
        if let type = binding.type, isUnstorable(type) {
            return report(
                "\(type.hasPrefix("(") && !type.contains("->") ? "a tuple" : "a function") can't be stored in a column. "
                    + "Add @Ignored", at: offset, fix: ignoring(member))
        }
        if Self.hiddenNames.contains(name) {
            return report(
                "a property named '\(name)' hides what the generated code refers to: rename it, and keep the column with "
                    + "@Column(\"\(name)\")", at: offset)
        }
        let isKey =
            attributes.contains { $0.name == "PrimaryKey" }
            || name == "id" && !hasPrimaryKey(description.model) && kind == .record
        let isGenerated = column?.arguments.contains { $0.label == "generated" && $0.text == "true" } ?? false
        if isGenerated, isKey {
            return report(
                "'\(name)' is a key, and SQLite does not compute keys. Remove 'generated: true'", at: column!.offset,
                fix: removal(of: column!))
        }
        description.columns.append(
            ColumnDescription(
                property: binding.name.text,
                column: columnName(column, name), access: min(Access(member.modifiers), description.access),
                storage: storage(column, of: binding.name, in: description), isGenerated: isGenerated,
                isOptional: isOptional(binding), isKey: isKey, reference: reference(attributes, name), offset: offset,
                hasUnknownType: hasUnknownType(binding),
                letOffset: properties.keyword == "let" ? properties.keywordOffset : nil))
    }

    /// Names that expansions use without a type in front.
    private static let hiddenNames: Set<String> = ["self", "Self", "Rowan"]

    private static let markers: Set<String> = ["Column", "PrimaryKey", "References", "Ignored"]
    /// The attributes of a stored property that is not wrapped.
    private static let knownAttributes: Set<String> = markers.union([
        "available", "MainActor", "usableFromInline", "inlinable", "objc", "nonobjc", "exclusivity", "_spi",
        "preconcurrency",
        "safe", "unsafe", "_documentation", "abi",
    ])

    private mutating func checkIgnored(
        _ binding: BindingModel, _ properties: PropertiesModel, _ name: String, _ ignored: AttributeModel
    ) {
        let hasValue = binding.value != nil || properties.keyword == "var" && isOptional(binding)
        guard !hasValue, !binding.isTuple else { return }
        report(
            "'\(name)' is ignored, so a record that is read from a row needs another value for it. Add an initial value",
            at: binding.name.offset)
    }

    /// The association of `@References`, and its actions, as arguments.
    private func reference(_ attributes: [AttributeModel], _ property: String) -> [String]? {
        guard let attribute = attributes.first(where: { $0.name == "References" }),
            let association = associationName(property)
        else { return nil }
        return ["{ Self.`\(association)` }"]
            + attribute.arguments.compactMap { argument in argument.label.map { "\($0): \(argument.source)" } }
    }

    private func columnName(_ column: AttributeModel?, _ property: String) -> String {
        guard let argument = column?.arguments.first(where: { $0.label == nil }), argument.text != "nil" else {
            return "\"\(property)\""
        }
        return argument.text
    }

    /// The source of a storage, or the member that `@Column` declares for it: an extension of a nested type would not find
    /// the types beside it.
    private mutating func storage(
        _ column: AttributeModel?, of property: NameModel, in description: RecordDescription
    ) -> String? {
        guard let column else { return nil }
        _ = literal(column.arguments.first { $0.label == nil }, "name of the column")
        guard let source = column.arguments.first(where: { $0.label == "as" })?.source else { return nil }
        guard let member = storageMember(source, of: property.plain), !description.isGeneric else { return source }
        return "\(description.typeName).\(member)"
    }

    private func hasPrimaryKey(_ model: StructModel) -> Bool {
        model.members.contains { $0.attributes.contains { $0.name == "PrimaryKey" } }
    }

    /// Whether the source shows an optional: the type may be inferred from a value.
    private func isOptional(_ binding: BindingModel) -> Bool {
        guard let type = binding.type else {
            return binding.value.map { $0.hasSuffix("?.none") || $0.hasPrefix("nilas") } ?? false
        }
        return type.hasSuffix("?") || type.hasSuffix("!") || type.hasPrefix("Optional<")
            || type.hasPrefix("Swift.Optional<")
    }

    /// Whether the source does not show that the type has a column.
    private func hasUnknownType(_ binding: BindingModel) -> Bool {
        if let type = binding.type {
            return !Self.storableTypes.contains(type.hasSuffix("?") ? String(type.dropLast()) : type)
        }
        // A number, a text or a boolean.
        guard let value = binding.value else { return true }
        return !(value.first.map { $0.isNumber || $0 == "\"" } ?? false || value == "true" || value == "false")
    }

    private static let storableTypes: Set = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
        "Bool", "String", "Date", "Data", "UUID", "URL",
    ]

    private func isUnstorable(_ type: String) -> Bool {
        type.contains("->") || type.hasPrefix("(") && type.contains(",")
    }

    private func removal(of attribute: AttributeModel) -> Problem.Fix {
        .init(message: "remove @\(attribute.name)", start: attribute.offset, end: attribute.end, text: "")
    }

    private func ignoring(_ member: MemberModel) -> Problem.Fix {
        .init(message: "add @Ignored", start: member.offset, end: member.offset, text: "@Ignored ")
    }

    /// An insertion sets the key that is an optional.
    private mutating func checkKey(_ description: RecordDescription) {
        guard kind == .record, let key = description.rowIDKey, let start = key.letOffset else { return }
        report(
            "the optional key '\(key.property)' is a constant, so an insertion can't set it: declare it with 'var', or with "
                + "a type that isn't optional", at: key.offset,
            fix: .init(message: "declare it with 'var'", start: start, end: start + 3, text: "var"))
    }

    /// SQLite's names are the same in upper and lower case.
    private mutating func checkNames(_ columns: [ColumnDescription]) {
        var known: [String: ColumnDescription] = [:]
        for column in columns {
            if let other = known.updateValue(column, forKey: column.column.asciiLowercased) {
                report(
                    "'\(other.property)' and '\(column.property)' are stored in the same column: SQLite does not "
                        + "distinguish \(other.column) from \(column.column). Rename one, or give it a @Column(\"name\")",
                    at: column.offset)
            }
        }
    }
}

extension PropertiesModel {
    /// The patterns with their types: those of `var a, b: Int` share one.
    var typedBindings: [BindingModel] {
        var bindings = bindings
        for index in bindings.indices.dropLast().reversed()
        where bindings[index].type == nil && bindings[index].value == nil {
            bindings[index].type = bindings[index + 1].type
            bindings[index].typeSource = bindings[index + 1].typeSource
        }
        return bindings
    }
}

extension String {
    fileprivate var asciiLowercased: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
