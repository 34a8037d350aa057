// The text of an expansion.

import RowanPluginMessages
import RowanRecordSyntax

/// The extension of a record type or of a selection.
struct RecordExpansion {
    let description: RecordDescription
    let kind: RecordReader.Kind
    let piece: SourcePiece

    private var access: Access { description.access }

    /// Lines of source.
    private struct Lines {
        var text = ""
        mutating func add(_ line: String) { text += line + "\n" }
    }

    /// The whole extension.
    var source: String {
        var lines = Lines()
        let conformances = conformances
        let inherited = conformances.isEmpty ? "" : ": \(conformances.joined(separator: ", "))"
        for availability in description.availability { lines.add(availability) }
        lines.add("nonisolated extension \(description.typeName)\(inherited) {")
        switch kind {
        case .selection: addMembers(to: &lines)
        case .record:
            addTable(to: &lines)
            if readsRows { addReading(to: &lines) }
            if writesColumns { addWriting(to: &lines) }
            addRowID(to: &lines)
        }
        lines.add("}")
        return lines.text
    }

    /// The protocols to list: all to which the type does not conform yet, because those that others imply are found
    /// only in the file of the type.
    private var conformances: [String] {
        guard kind == .record else { return isMissing("FetchableRecord") ? ["Rowan.FetchableRecord"] : [] }
        let ownProtocols = description.model.inheritedTypes.compactMap(\.name)
        let isMutable =
            description.rowIDKey != nil && !ownProtocols.contains("PersistableRecord")
            || ownProtocols.contains("MutablePersistableRecord") || description.hasMutatingCallback
        var protocols = ["FetchableRecord", "TableRecord", "EncodableRecord", "MutablePersistableRecord"]
        if !isMutable { protocols.append("PersistableRecord") }
        protocols.append("PositionalRecord")
        var conformances = protocols.filter(isMissing).map { "Rowan.\($0)" }
        let key = description.keys.count == 1 ? description.keys[0] : nil
        // The key of a public type may be an implementation detail.
        if let key, key.property == "id", key.access == access, isMissing("Identifiable") {
            conformances.append("Identifiable")
        }
        return conformances
    }

    private func isMissing(_ conformance: String) -> Bool { description.missingConformances.contains(conformance) }

    /// Whether the expansion stores values because the body does not.
    private var writesColumns: Bool { !description.declares("encode(to:)", parameter: "PersistenceContainer") }

    /// The argument for the storage of a column.
    private func storageArgument(_ column: ColumnDescription) -> String {
        column.storage.map { ", as: \($0)" } ?? ""
    }

    /// Whether the expansion decodes rows because the body does not.
    private var readsRows: Bool { !description.declares("init(row:)", parameter: "Row") }

    // MARK: The table

    private func addTable(to lines: inout Lines) {
        let modifier = access.modifier
        if let name = description.tableName, !description.declares("databaseTableName") {
            lines.add("\(modifier)static var databaseTableName: String { \(name) }")
        }
        if !description.declares("Columns") { addColumns(to: &lines) }
        lines.add(modifier + layoutDeclaration)
        let paths = description.columns.map { "\\Self.\($0.property)" }.joined(separator: ", ")
        lines.add("\(modifier)static var _properties: [AnyKeyPath] { [\(paths)] }")
    }

    private func addColumns(to lines: inout Lines) {
        let modifier = access.modifier
        if description.isGeneric {
            // A generic type has no static stored properties, so closures receive an instance.
            lines.add("\(modifier)struct Columns: Sendable {")
            for column in description.columns { lines.add(declaration(of: column, isStatic: false)) }
            lines.add("}")
            lines.add("\(modifier)static var databaseComponents: Columns { Columns() }")
        } else {
            lines.add("\(modifier)enum Columns {")
            for column in description.columns { lines.add(declaration(of: column, isStatic: true)) }
            lines.add("}")
        }
    }

    private func declaration(of column: ColumnDescription, isStatic: Bool) -> String {
        let storage = storageArgument(column)
        let modifier = min(column.access, access).modifier
        return "\(modifier)\(isStatic ? "static " : "")let \(column.property) = "
            + "Rowan._column(\(column.column), of: \\\(description.typeName).\(column.property)\(storage))"
    }

    // MARK: Reading

    private func addReading(to lines: inout Lines) {
        let modifier = access.modifier
        lines.add(
            "\(modifier)init(row: Rowan.Row) throws { defer { withExtendedLifetime(row) {} }; "
                + "try self.init(_columns: Rowan.RecordColumns(row, Self._recordLayout)) }")
        lines.add("\(modifier)init(_columns columns: Rowan.RecordColumns) throws {")
        for (index, column) in description.columns.enumerated() {
            addReading(of: column, "columns", "(\(index)\(storageArgument(column)))", to: &lines)
        }
        lines.add("}")
        lines.add(
            "\(modifier)static func _element(of columns: Rowan.RecordColumns) throws -> Self { try Self(_columns: columns) }"
        )
    }

    /// If the compiler can't read a property, it reports the error at the property.
    private func addReading(
        of column: ColumnDescription, _ reader: String, _ arguments: String, to lines: inout Lines
    ) {
        let start = "self.\(column.property) = try \(reader)"
        guard column.hasUnknownType || column.storage != nil, let place = piece.place(of: column.offset),
            place.column > 1
        else { return lines.add(start + arguments) }
        // The error is reported at the name of the method, after the point.
        let file = piece.location.fileName.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        lines.add("#sourceLocation(file: \"\(file)\", line: \(place.line - 1))")
        lines.add(start)
        lines.add(String(repeating: " ", count: place.column - 2) + ".callAsFunction" + arguments)
        lines.add("#sourceLocation()")
    }

    private func addMembers(to lines: inout Lines) {
        guard readsRows else { return }
        let layout = layoutDeclaration(of: "_members", "Self.self, \(columnNames)")
        lines.add("private \(layout)")
        lines.add("\(access.modifier)init(row: Rowan.Row) throws {")
        lines.add("let members = Rowan.RecordMembers(row, Self._members)")
        for (index, column) in description.columns.enumerated() {
            addReading(of: column, "members", "(\(index)\(storageArgument(column)))", to: &lines)
        }
        lines.add("}")
    }

    private var columnNames: String { "[\(description.columns.map(\.column).joined(separator: ", "))]" }

    /// A layout with arguments. A generic type has no static stored properties.
    private func layoutDeclaration(of name: String, _ arguments: String) -> String {
        description.isGeneric
            ? "static var \(name): Rowan.RecordLayout { .shared(by: Self.self) { Rowan.RecordLayout(\(arguments)) } }"
            : "static let \(name) = Rowan.RecordLayout(\(arguments))"
    }

    private var layoutDeclaration: String {
        var arguments = "Self.self, \(columnNames)"
        let stored = description.columns.filter { $0.storage != nil && !$0.isJSON }
        if !stored.isEmpty {
            arguments +=
                ", storages: [\(stored.map { "Rowan._storage(\($0.column), \($0.storage!))" }.joined(separator: ", "))]"
        }
        let references = description.columns.compactMap { column in
            column.reference.map { "Rowan._reference(\(([column.column] + $0).joined(separator: ", ")))" }
        }
        if !references.isEmpty { arguments += ", references: [\(references.joined(separator: ", "))]" }
        let generated = description.columns.indices.filter { description.columns[$0].isGenerated }
        if !generated.isEmpty { arguments += ", generated: \(generated)" }
        let json = description.columns.indices.filter { description.columns[$0].isJSON }
        if !json.isEmpty { arguments += ", json: \(json)" }
        let keys = description.columns.indices.filter { description.columns[$0].isKey }
        if !keys.isEmpty { arguments += ", keys: \(keys)" }
        if let key = description.rowIDKey,
            let index = description.columns.firstIndex(where: { $0.offset == key.offset })
        {
            arguments += ", rowID: \(index)"
        }
        if !readsRows { arguments += ", readsRows: false" }
        if !writesColumns { arguments += ", writesColumns: false" }
        return layoutDeclaration(of: "_recordLayout", arguments)
    }

    // MARK: Writing

    private func addWriting(to lines: inout Lines) {
        let modifier = access.modifier
        lines.add(
            "\(modifier)func encode(to container: inout Rowan.PersistenceContainer) throws { try container._set(self) }"
        )
        lines.add("\(modifier)func _bind(to binder: inout Rowan.RecordBinder) throws {")
        for (index, column) in description.columns.enumerated() where !column.isGenerated {
            lines.add("try binder(\(index), self.\(column.property)\(storageArgument(column)))")
        }
        lines.add("}")
    }

    private func addRowID(to lines: inout Lines) {
        guard let key = description.rowIDKey else { return }
        lines.add(
            "\(access.modifier)mutating func _didInsert(rowID: Int64) "
                + "{ Rowan._keep(rowID, in: &self.\(key.property)\(storageArgument(key))) }")
    }
}
