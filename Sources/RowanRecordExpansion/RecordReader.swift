// Converts the model of a struct to the description of a record, with all errors of the declaration.

import RowanPluginMessages
import RowanRecordSyntax

struct RecordReader {
    let kind: Kind
    private(set) var problems: [Problem] = []

    enum Kind {
        case record
        case selection

        var name: String { self == .record ? "@Record" : "@Selection" }

        /// The error of a declaration that isn't a struct.
        func needsStruct(_ keyword: String, _ declaration: NameModel) -> Problem {
            let article = ["enum", "actor", "extension"].contains(keyword) ? "an" : "a"
            return Problem(
                "\(name) needs a struct: \(article) \(keyword) '\(declaration.plain)' can't have it: declare a struct, or "
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
            // The file has access to a private type, but not to the private members of a type.
            access: isInPrivateType ? .fileprivate : max(.fileprivate, Access(model.modifiers)),
            missingConformances: missing,
            tableName: attribute.flatMap { literal($0[nil], "name of the table") },
            isGeneric: isInGenericType || model.genericParameters != nil)
        for member in model.members {
            if case .properties(let properties) = member.content { read(member, properties, into: &description) }
        }
        if description.columns.isEmpty, problems.isEmpty {
            report(
                "'\(model.name.plain)' has no stored property, so there is nothing to store or to read: declare a property "
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
        if argument.value.form == .null { return nil }
        guard argument.value.form == .text(isPlain: true) else {
            report("the \(what) must be a string literal without interpolation", at: argument.offset)
            return nil
        }
        return argument.value.source
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
        let property = Property(
            kind: kind, binding: binding, properties: properties, member: member, model: description.model)
        if !binding.isStored { return problems += property.meaninglessAttributes }
        let rules = property.isIgnored ? Property.rulesOfIgnored : Property.rules
        for rule in rules {
            guard let problem = rule(property) else { continue }
            return problems.append(problem)
        }
        // The compiler reports a property without a type and value.
        if property.isIgnored || binding.type == nil && binding.value == nil { return }
        _ = literal(property.column?[nil], "name of the column")
        let storage = property.column?["as"]?.value
        description.columns.append(
            ColumnDescription(
                property: binding.name.text, column: columnName(property.column, property.name),
                access: min(Access(member.modifiers), description.access),
                storage: storage.map { source(of: $0, property.name, in: description) },
                isJSON: storage?.form == .member("json"), isGenerated: property.isGenerated,
                isOptional: binding.isOptional, isKey: property.isKey, reference: property.reference,
                offset: binding.name.offset, hasUnknownType: binding.hasUnknownType,
                letOffset: properties.keyword == "let" ? properties.keywordOffset : nil))
    }

    /// The source of a storage, or the member that `@Column` declares for it: an extension of a nested type would not
    /// find the types next to it.
    private func source(of storage: ValueModel, _ property: String, in description: RecordDescription) -> String {
        guard let member = storageMember(storage, of: property), !description.isGeneric else { return storage.source }
        return "\(description.typeName).\(member)"
    }

    /// An insertion sets an optional key.
    private mutating func checkKey(_ description: RecordDescription) {
        guard kind == .record, let key = description.rowIDKey, let start = key.letOffset else { return }
        report(
            "the optional key '\(key.property)' is a constant, so an insertion can't set it: declare it with 'var', or with "
                + "a type that isn't optional", at: key.offset,
            fix: .init(message: "declare it with 'var'", start: start, end: start + 3, text: "var"))
    }

    /// SQLite's names are case-insensitive.
    private mutating func checkNames(_ columns: [ColumnDescription]) {
        var known: [String: ColumnDescription] = [:]
        for column in columns {
            if let other = known.updateValue(column, forKey: column.column.asciiLowercased) {
                report(
                    "'\(other.property)' and '\(column.property)' are stored in the same column, because SQLite does not "
                        + "distinguish \(other.column) from \(column.column): rename one, or give it a @Column(\"name\")",
                    at: column.offset)
            }
        }
    }
}

extension PropertiesModel {
    /// The patterns with their types. The patterns of `var a, b: Int` share one.
    var typedBindings: [BindingModel] {
        var bindings = bindings
        for index in bindings.indices.dropLast().reversed()
        where bindings[index].type == nil && bindings[index].value == nil {
            bindings[index].type = bindings[index + 1].type
        }
        return bindings
    }
}

extension String {
    fileprivate var asciiLowercased: String {
        String(decoding: utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
    }
}
