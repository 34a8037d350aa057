// Writes rows of one layout as JSON objects. Which column is written how is decided at the first row.

import Foundation

/// The writer of the rows of a request, of a scope, or of a prefetched association.
struct JSONRowWriter {
    /// A writer that is made for the first row it writes.
    final class Nested {
        let type: any Any.Type
        private var writer: JSONRowWriter?

        init(_ type: any Any.Type) { self.type = type }

        func write(_ row: Row, to text: TextBuffer) throws {
            if let writer { return try writer.write(row, to: text) }
            let writer = JSONRowWriter(type, row)
            self.writer = writer
            try writer.write(row, to: text)
        }
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
        case column(Int, Form)
        /// A scope, or the row itself for nil.
        case record(scope: String?, Nested)
        case rows(String, Nested)
        /// The column of a property does not exist.
        case missing(String)
    }

    /// How the value of a column is written.
    private enum Form {
        case plain, boolean, date, uuid, decimal, json

        init(_ type: any Any.Type, storage: (any Any.Type)?) {
            if storage is JSONStorage.Type {
                self = .json
                return
            }
            switch type {
            case is Bool.Type: self = .boolean
            case is Date.Type: self = .date
            case is UUID.Type: self = .uuid
            case is Decimal.Type: self = .decimal
            case is any DatabaseValueConvertible.Type: self = .plain
            default: self = .json
            }
        }
    }

    private let members: [Member]
    /// Whether the rows are single values.
    private let isValue: Bool

    private init(_ type: any Any.Type, _ row: Row) {
        var isValue = false
        if let properties = RecordShape.properties(readBy: type, columns: row.layout.names) {
            var claimsRow = false
            members = properties.map { Self.member($0, of: row, &claimsRow) }
        } else if let (type, isOptional) = Self.singleValue(type) {
            isValue = true
            let source = Source.column(0, Form(type, storage: nil))
            members = [Member(key: "", source: source, type: type, isOptional: isOptional)]
        } else {
            members = Self.members(of: row)
        }
        self.isValue = isValue
    }

    /// The type of rows that are values of one column; nil for rows and records.
    private static func singleValue(_ type: any Any.Type) -> (type: any Any.Type, isOptional: Bool)? {
        let wrapped = (type as? any OptionalType.Type)?.wrapped
        let value = wrapped ?? type
        guard value is any DatabaseValueConvertible.Type, !(value is any FetchableRecord.Type) else { return nil }
        return (value, wrapped != nil)
    }

    private static func key(_ name: String) -> String { JSONText.quoted(name, escapesSlashes: false) + ":" }

    /// The member of a property: prefetched rows, a scope, a column, or the row itself, as decoders look for them.
    private static func member(
        _ property: RecordShape.Property, of row: Row, _ claimsRow: inout Bool
    ) -> Member {
        let source: Source
        if let element = property.element, row.prefetchedTree?[property.key] != nil {
            source = .rows(property.key, Nested(element))
        } else if row.scopesTree[property.key] != nil {
            source = .record(scope: property.key, Nested(property.type))
        } else if let index = row.layout.index(ofColumn: property.column) {
            source = .column(index, Form(property.type, storage: property.storage))
        } else if property.isAssociation, property.element == nil, !claimsRow {
            // One property may be the record of the row itself.
            claimsRow = true
            source = .record(scope: nil, Nested(property.type))
        } else {
            source = .missing(property.column)
        }
        return Member(key: key(property.key), source: source, type: property.type, isOptional: property.isOptional)
    }

    /// All columns, scopes and prefetched rows of a row.
    private static func members(of row: Row) -> [Member] {
        func member(_ name: String, _ source: Source) -> Member {
            Member(key: key(name), source: source, type: nil, isOptional: true)
        }
        let columns = row.layout.names.enumerated().map { member($1, .column($0, .plain)) }
        let scopes = row.layout.scopes.keys.sorted().map { member($0, .record(scope: $0, Nested(Row.self))) }
        let groups = row.prefetchedTree?.tree.groups.keys.sorted() ?? []
        return columns + scopes + groups.map { member($0, .rows($0, Nested(Row.self))) }
    }

    // MARK: Rows

    func write(_ row: Row, to text: TextBuffer) throws {
        if isValue {
            if try write(members[0], of: row, to: text, separator: "") == false { text.append(literal: "null") }
            return
        }
        text.append(byte: UInt8(ascii: "{"))
        var separator = ""
        for member in members where try write(member, of: row, to: text, separator: separator) { separator = "," }
        text.append(byte: UInt8(ascii: "}"))
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
            try write(value, form, of: row, index, member.type, to: text)
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
        case .missing(let column):
            guard member.isOptional else { throw row.missingColumnError(column) }
            return false
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

    // MARK: Values

    private func write(
        _ value: StoredColumn, _ form: Form, of row: Row, _ index: Int, _ type: (any Any.Type)?, to text: TextBuffer
    ) throws {
        func error() -> any Error { row.decodingError(type ?? String.self, at: index) }
        switch (form, value) {
        case (.boolean, .integer(let integer)): text.append(integer != 0 ? "true" : "false")
        case (.date, .text(let bytes)) where DefaultDateText.matches(bytes): DefaultDateText.write(bytes, to: text)
        case (.uuid, .blob(let bytes)) where bytes.count == 16:
            var uuid = UUID_NULL
            withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
            text.append("\"\(UUID(uuid: uuid).uuidString)\"")
        case (.uuid, .text(let bytes)):
            guard let uuid = UUID(uuidString: String(decoding: bytes, as: UTF8.self)) else { throw error() }
            text.append("\"\(uuid.uuidString)\"")
        case (.decimal, .text(let bytes)), (.json, .text(let bytes)), (.json, .blob(let bytes)):
            var parser = JSONParser(bytes)
            let isNumber = bytes.first.map { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) } ?? false
            guard form == .json || isNumber, parser.parse() else { throw error() }
            text.append(bytes)
        case (_, .integer(let integer)): text.append(integer)
        case (_, .real(let double)):
            guard double.isFinite else {
                throw RowDecodingError(
                    reason: "JSON has no infinite numbers", column: row.layout.names[index], columnIndex: index,
                    row: row)
            }
            let digits = double.description
            text.append(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
        case (_, .text(let bytes)): JSONText.write(bytes, to: text, escapesSlashes: false)
        case (_, .blob(let bytes)):
            text.append(byte: UInt8(ascii: "\""))
            text.append(base64: bytes)
            text.append(byte: UInt8(ascii: "\""))
        case (_, .null): break
        }
    }
}

private let UUID_NULL: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

/// The texts of dates in UTC that name no time zone: `2024-01-31 10:00:00.000`, and the same without milliseconds, as
/// SQLite's functions make them.
private enum DefaultDateText {
    static func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == 23 || bytes.count == 19 else { return false }
        for (index, byte) in bytes.enumerated() {
            let isExpected =
                switch index {
                case 4, 7: byte == UInt8(ascii: "-")
                case 10: byte == UInt8(ascii: " ")
                case 13, 16: byte == UInt8(ascii: ":")
                case 19: byte == UInt8(ascii: ".")
                default: (0x30...0x39).contains(byte)
                }
            guard isExpected else { return false }
        }
        return true
    }

    static func write(_ bytes: UnsafeBufferPointer<UInt8>, to text: TextBuffer) {
        text.append(byte: UInt8(ascii: "\""))
        text.append(UnsafeBufferPointer(rebasing: bytes[..<10]))
        text.append(byte: UInt8(ascii: "T"))
        text.append(UnsafeBufferPointer(rebasing: bytes[11...]))
        text.append(literal: "Z\"")
    }
}
