// What a record type reads and writes, as far as the type reveals it without a row: a Decodable type is decoded from
// placeholders, and an Encodable type stores the result.

/// What a record type reads and writes.
package struct RecordShape {
    /// A property that is decoded from a row.
    package struct Property {
        package let key: String
        /// The column, spelled as in the table if the table has it.
        package let column: String
        /// The type, without its optional. `Never` if the record only checked whether the column is NULL.
        package internal(set) var type: any Any.Type
        package internal(set) var isOptional: Bool
        /// The storage chosen by a generated type; nil for the storage of the property's type.
        package internal(set) var storage: (any Any.Type)?

        /// Whether the property is a record or a collection of records, and so belongs to an association.
        package var isAssociation: Bool {
            type is any FetchableRecord.Type
                || element is any FetchableRecord.Type
        }

        /// The type of the elements, if the property is an array or a set.
        package var element: (any Any.Type)? { (type as? any CollectionType.Type)?.element }
    }

    /// Whether a macro has generated what the type reads and stores.
    package let isGenerated: Bool
    /// The properties that the type decodes; nil if it was not decoded.
    package private(set) var properties: [Property]?
    /// The columns that the type stores, with placeholders; nil if it was not encoded.
    package private(set) var stored: PersistenceContainer?
    /// The names of enumerable `Columns`.
    package let columnNames: [String]
    /// The reason why the type is not examined, or only in part.
    package private(set) var refusal: String?

    package init(_ type: any TableRecord.Type, columns: [String]) {
        columnNames = type.enumerableColumns
        isGenerated = type is any PositionalRecord.Type
        if let type = type as? any PositionalRecord.Type {
            examine(type, type._recordLayout, columns)
            return
        }
        var record: Any?
        if let type = type as? any (FetchableRecord & Decodable).Type {
            let decoded = Self.decoded(type, columns)
            (record, properties, refusal) = (decoded?.record, decoded?.properties, decoded?.refusal)
        } else if type is any FetchableRecord.Type {
            refusal = "it is not Decodable: what init(row:) reads is unknown"
        }
        guard type is any EncodableRecord.Type, refusal == nil else { return }
        guard let record = record as? any EncodableRecord else {
            refusal = "it is not Decodable: what it stores is unknown"
            return
        }
        do { stored = try PersistenceContainer(record) } catch {
            refusal = "it could not be encoded: \(error)"
        }
    }

    /// The properties that a type reads if it is Decodable or generated and accepts placeholders; nil for other types.
    package static func properties(readBy type: any Any.Type, columns: [String]) -> [Property]? {
        if let type = type as? any PositionalRecord.Type {
            let layout = type._recordLayout
            return layout.readsRows ? properties(type, layout, columns) : nil
        }
        guard let type = type as? any (FetchableRecord & Decodable).Type else { return nil }
        return decoded(type, columns).flatMap { $0.record == nil ? nil : $0.properties }
    }

    private static func properties(
        _ type: any PositionalRecord.Type, _ layout: RecordLayout, _ columns: [String]
    ) -> [Property] {
        zip(layout.names, type._properties).enumerated().map { index, property in
            let (name, value) = (property.0, Swift.type(of: property.1).valueType)
            let wrapped = (value as? any OptionalType.Type)?.wrapped
            return Property(
                key: name, column: columns.first { $0.isSameDatabaseName(as: name) } ?? name, type: wrapped ?? value,
                // A DatabaseValue may be NULL.
                isOptional: wrapped != nil || value is DatabaseValue.Type,
                storage: layout.storesJSON(index) ? JSONStorage.self : layout.storageType(ofColumn: name))
        }
    }

    /// A generated type declares what it reads and stores, so no code of the program runs.
    private mutating func examine(
        _ type: any PositionalRecord.Type, _ layout: RecordLayout, _ columns: [String]
    ) {
        let properties = Self.properties(type, layout, columns)
        if layout.writesColumns {
            var stored = PersistenceContainer()
            for (index, property) in properties.enumerated() where !layout.generated.contains(index) {
                stored.set(property.key, .null)
            }
            self.stored = stored
        } else {
            refusal = "it encodes itself: what it stores is unknown"
        }
        if layout.readsRows {
            self.properties = properties
        } else {
            refusal = "it has its own init(row:): what it reads is unknown"
        }
    }

    /// What a type decodes from placeholders.
    private struct Decoded {
        var record: Any?
        var properties: [Property]
        var refusal: String?
    }

    /// Decodes a record from the first placeholders that it accepts.
    private static func decoded(_ type: any (FetchableRecord & Decodable).Type, _ columns: [String]) -> Decoded? {
        var decoded: Decoded?
        for guess in Placeholders.guesses {
            let recording = RecordRecording(type, columns: columns, guess: guess)
            do {
                let record: any Decodable = try type.init(from: RecordingDecoder(recording: recording))
                return Decoded(record: record, properties: recording.properties)
            } catch {
                decoded = Decoded(
                    properties: recording.properties, refusal: "it refuses placeholder values: \(error)")
            }
        }
        return decoded
    }
}

/// A collection that prefetched rows are decoded to.
private protocol CollectionType {
    static var element: any Any.Type { get }
}

extension Array: CollectionType { fileprivate static var element: any Any.Type { Element.self } }
extension Set: CollectionType { fileprivate static var element: any Any.Type { Element.self } }

extension TableRecord {
    /// The names of the columns, if `Columns` is an enum that lists its cases.
    fileprivate static var enumerableColumns: [String] {
        (Columns.self as? any CaseIterable.Type)?.names ?? []
    }
}

extension CaseIterable {
    fileprivate static var names: [String] {
        allCases.compactMap { ($0 as? any ColumnExpression)?.name ?? ($0 as? any CodingKey)?.stringValue }
    }
}
