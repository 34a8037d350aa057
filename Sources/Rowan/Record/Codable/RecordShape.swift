// What a record type reads and writes, as far as the type tells without a row: a Decodable type is decoded from
// placeholders, and an Encodable one stores the result.

import Foundation

/// What a record type reads and writes.
package struct RecordShape {
    /// A property that is decoded from a row.
    package struct Property {
        package let key: String
        /// The column, as the table spells it if it has it.
        package let column: String
        /// The type, without its optional. `Never` if the record has only asked whether the column is NULL.
        package internal(set) var type: any Any.Type
        package internal(set) var isOptional: Bool

        /// Whether the property is a record, or a collection of records: then it belongs to an association.
        package var isAssociation: Bool {
            type is any FetchableRecord.Type
                || (type as? any CollectionType.Type).map { $0.element is any FetchableRecord.Type } ?? false
        }
    }

    /// The properties that the type has asked for; nil if it was not decoded.
    package private(set) var properties: [Property]?
    /// The columns that the type stores, with placeholders; nil if it was not encoded.
    package private(set) var stored: PersistenceContainer?
    /// The names of enumerable `Columns`.
    package let columnNames: [String]
    /// Why the type is not examined, or only in part.
    package private(set) var refusal: String?

    package init(_ type: any TableRecord.Type, columns: [String]) {
        columnNames = type.enumerableColumns
        if let type = type as? any PositionalRecord.Type {
            examine(type, type._recordLayout, columns)
            return
        }
        var record: Any?
        if let type = type as? any (FetchableRecord & Decodable).Type {
            record = decode(type, columns)
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

    /// A generated type knows what it reads and stores.
    private mutating func examine(
        _ type: any PositionalRecord.Type, _ layout: RecordLayout, _ columns: [String]
    ) {
        let properties = zip(layout.names, type._properties).map { name, property in
            let value = Swift.type(of: property).valueType
            let wrapped = (value as? any OptionalType.Type)?.wrapped
            return Property(
                key: name, column: columns.first { $0.isSameDatabaseName(as: name) } ?? name,
                type: wrapped ?? value, isOptional: wrapped != nil)
        }
        if layout.writesColumns {
            var stored = PersistenceContainer()
            for (index, property) in properties.enumerated() where !layout.generated.contains(index) {
                stored.set(property.key, layout.storedSample(of: property))
            }
            self.stored = stored
        } else {
            refusal = "it encodes itself: what it stores is unknown"
        }
        // A storage of its own may read anything.
        let read = properties.map { property in
            var property = property
            if layout.hasStorage(forColumn: property.key) { property.type = Never.self }
            return property
        }
        if layout.readsRows { self.properties = read } else { refusal = "it has its own init(row:): what it reads is unknown" }
    }

    /// Decodes the record from placeholders. The first ones that it accepts count.
    private mutating func decode(_ type: any (FetchableRecord & Decodable).Type, _ columns: [String]) -> Any? {
        for guess in Placeholders.guesses {
            let recording = RecordRecording(type, columns: columns, guess: guess)
            do {
                let record: any Decodable = try type.init(from: RecordingDecoder(recording: recording))
                (properties, refusal) = (recording.properties, nil)
                return record
            } catch {
                (properties, refusal) = (recording.properties, "it refuses placeholder values: \(error)")
            }
        }
        return nil
    }
}

extension RecordLayout {
    /// What the column of a property stores for a placeholder; NULL if none is known.
    fileprivate func storedSample(of property: RecordShape.Property) -> DatabaseValue {
        // An empty text may be a value of a type that refuses other ones, and the other way round.
        let sample = Placeholders.guesses.lazy.compactMap { Placeholders(guess: $0).anyValue(of: property.type) }.first
        guard let sample else { return .null }
        if hasStorage(forColumn: property.key) { return storedValue(sample, forColumn: property.key) ?? .null }
        // Other types are stored as JSON.
        return (sample as? any DatabaseValueConvertible)?.databaseValue ?? "{}".databaseValue
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
