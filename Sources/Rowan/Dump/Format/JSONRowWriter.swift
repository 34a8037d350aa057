// Writes rows of one layout as JSON objects. The form of each column is determined at the first row.

import RowanPlatform

/// The writer of the rows of a request, of a scope, or of a prefetched association.
struct JSONRowWriter {
    /// A writer that is created for the first row it writes.
    final class Nested {
        let type: any Any.Type
        private var writer: JSONRowWriter?

        init(_ type: any Any.Type) { self.type = type }

        func write(_ row: Row, to text: TextBuffer) throws {
            if let writer { return try writer.write(row, to: text) }
            let writer = try JSONRowWriter(type, row)
            self.writer = writer
            try writer.write(row, to: text)
        }
    }

    private enum Body {
        case object([Member])
        case value(JSONForm, any Any.Type, isOptional: Bool)
        /// The rows are decoded and the results encoded: what the type does is unknown.
        case encoded((Row) throws -> Data)
    }

    private struct Member {
        /// The key, quoted, with a colon.
        let key: String
        let source: Source
        /// The type of the property; nil for a column that no property reads.
        let type: (any Any.Type)?
        let isOptional: Bool
    }

    private enum Source {
        case column(Int, JSONForm)
        /// A scope, or the row itself for nil.
        case record(scope: String?, Nested)
        case rows(String, Nested)
    }

    private let body: Body

    /// - Throws: SQLITE_MISUSE for a type whose JSON only its code can determine and that is not Encodable.
    private init(_ type: any Any.Type, _ row: Row) throws {
        let wrapped = (type as? any OptionalType.Type)?.wrapped
        if let members = Self.members(of: type, row) {
            body = .object(members)
        } else if let record = type as? any (FetchableRecord & Encodable).Type {
            let encoder = JSONEncoder.forRows()
            body = .encoded { try record.encodedJSON(of: $0, encoder) }
        } else if let record = type as? any FetchableRecord.Type,
            type is any Decodable.Type || type is any PositionalRecord.Type
        {
            // A row from which the record can't be decoded is reported first.
            _ = try record.init(row: row)
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the JSON of \(type) depends on its code: make it Encodable, so that its values can be encoded"
            )
        } else if let value = (wrapped ?? type) as? any DatabaseValueConvertible.Type,
            !(type is any FetchableRecord.Type)
        {
            if let form = JSONForm(value, storage: nil, record: nil, column: "") {
                body = .value(form, value, isOptional: wrapped != nil)
            } else if let value = value as? any (DatabaseValueConvertible & Encodable).Type {
                let (encoder, isOptional) = (JSONEncoder.forRows(), wrapped != nil)
                body = .encoded { try value.encodedJSON(of: $0, encoder, isOptional: isOptional) }
            } else {
                body = .value(.stored, value, isOptional: wrapped != nil)
            }
        } else {
            body = .object(Self.members(of: row))
        }
    }

    private static func key(_ name: String) -> String { JSONText.quoted(name, escapesSlashes: false) + ":" }

    /// The members of a record whose properties can be written from columns; nil for other records, and for a record
    /// whose row lacks something that the record needs.
    private static func members(of type: any Any.Type, _ row: Row) -> [Member]? {
        guard let properties = RecordShape.properties(readBy: type, columns: row.layout.names) else { return nil }
        let record = type as? any FetchableRecord.Type
        let columns = Set(properties.compactMap { row.layout.index(ofColumn: $0.column) })
        var members: [Member] = []
        var isRowClaimed = false
        for property in properties {
            let source: Source
            // In the order in which decoders search.
            if let index = row.layout.index(ofColumn: property.column) {
                let form = JSONForm(property.type, storage: property.storage, record: record, column: property.column)
                guard let form else { return nil }
                source = .column(index, form)
            } else if row.scopesTree[property.key] != nil {
                guard property.type is any FetchableRecord.Type else { return nil }
                source = .record(scope: property.key, Nested(property.type))
            } else if row.prefetchedTree?[property.key] != nil {
                guard let element = property.element, element is any FetchableRecord.Type else { return nil }
                source = .rows(property.key, Nested(element))
            } else if property.isOptional {
                continue
            } else {
                guard !isRowClaimed, isRow(row, property.type, without: columns) else { return nil }
                isRowClaimed = true
                source = .record(scope: nil, Nested(property.type))
            }
            members.append(
                Member(key: key(property.key), source: source, type: property.type, isOptional: property.isOptional))
        }
        return members
    }

    /// Whether a part of a record decodes from the row itself, and from no column of the record.
    private static func isRow(_ row: Row, _ type: any Any.Type, without columns: Set<Int>) -> Bool {
        guard type is any FetchableRecord.Type,
            let properties = RecordShape.properties(readBy: type, columns: row.layout.names)
        else { return false }
        let own = properties.compactMap { row.layout.index(ofColumn: $0.column) }
        return !own.isEmpty && columns.isDisjoint(with: own)
    }

    /// All columns, scopes and prefetched rows of a row.
    private static func members(of row: Row) -> [Member] {
        func member(_ name: String, _ source: Source) -> Member {
            Member(key: key(name), source: source, type: nil, isOptional: true)
        }
        let columns = row.layout.names.enumerated().map { member($1, .column($0, .stored)) }
        let scopes = row.layout.scopes.keys.sorted().map { member($0, .record(scope: $0, Nested(Row.self))) }
        let groups = row.prefetchedTree?.tree.groups.keys.sorted() ?? []
        return columns + scopes + groups.map { member($0, .rows($0, Nested(Row.self))) }
    }

    // MARK: Rows

    func write(_ row: Row, to text: TextBuffer) throws {
        switch body {
        case .encoded(let encode): try text.append(encode(row))
        case .value(let form, let type, let isOptional):
            guard row.count > 0 else { throw row.missingColumnError("") }
            let value = row.storedColumn(0)
            if case .null = value {
                guard isOptional else { throw row.decodingError(type, at: 0) }
                return text.append(literal: "null")
            }
            try form.write(value, of: row, 0, type, to: text)
        case .object(let members):
            text.append(byte: UInt8(ascii: "{"))
            var separator = ""
            for member in members where try write(member, of: row, to: text, separator: separator) { separator = "," }
            text.append(byte: UInt8(ascii: "}"))
        }
    }

    /// - Returns: false for an optional property that is nil, which is left out.
    private func write(
        _ member: Member, of row: Row, to text: TextBuffer, separator: String
    ) throws -> Bool {
        func begin() {
            text.append(separator)
            text.append(member.key)
        }
        switch member.source {
        case .column(let index, let form):
            let value = row.storedColumn(index)
            if case .null = value {
                guard let type = member.type else {
                    begin()
                    text.append(literal: "null")
                    return true
                }
                guard member.isOptional else { throw row.decodingError(type, at: index) }
                return false
            }
            begin()
            try form.write(value, of: row, index, member.type, to: text)
        case .record(let scope, let nested):
            guard let record = scope.map({ row.scopesTree[$0] }) ?? row else { return false }
            if scope != nil, !record.containsNonNullValue, member.isOptional {
                guard member.type == nil else { return false }
                begin()
                text.append(literal: "null")
                return true
            }
            begin()
            try nested.write(record, to: text)
        case .rows(let name, let nested):
            begin()
            try write(row.prefetchedTree?[name], of: row, nested, to: text)
        }
        return true
    }

    private func write(_ rows: PrefetchedGroup.Rows?, of row: Row, _ nested: Nested, to text: TextBuffer) throws {
        text.append(byte: UInt8(ascii: "["))
        if let rows {
            let walk = PrefetchedGroup.Walk(rows, of: row)
            for index in 0..<rows.count {
                if index > 0 { text.append(byte: UInt8(ascii: ",")) }
                try nested.write(walk.row(at: index), to: text)
            }
        }
        text.append(byte: UInt8(ascii: "]"))
    }
}
