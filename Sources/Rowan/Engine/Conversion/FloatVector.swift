// Vectors of numbers, such as the embeddings of texts and images, as blobs of 32-bit floats.

import RowanPlatform

/// A vector of 32-bit floats, stored as a blob with four little-endian bytes for each element, the format of
/// sqlite-vec.
///
/// ```swift
/// struct Document: Codable, FetchableRecord, PersistableRecord {
///     var id: Int64
///     var embedding: FloatVector
/// }
///
/// // INSERT INTO "document" ("id", "embedding") VALUES (1, x'0000803F00000040')
/// try Document(id: 1, embedding: [1, 2]).insert(db)
/// ```
///
/// A `[Float]` in a Codable record is stored as JSON text, like any other array. A record with `@Record` can have a
/// property of type `[Float]` stored as such a blob: `@Column(as: .vector)`.
///
/// A vector with an element that is infinite or not a number can't be stored: the statement throws SQLITE_MISMATCH.
///
/// Article: <doc:VectorSearch>.
public struct FloatVector: Hashable, Sendable {
    /// The elements.
    public var elements: [Float]

    /// Creates a vector from its elements.
    public init(_ elements: some Sequence<Float>) { self.elements = Array(elements) }
}

extension FloatVector: ExpressibleByArrayLiteral {
    /// Creates a vector from its elements.
    public init(arrayLiteral elements: Float...) { self.elements = elements }
}

extension FloatVector: Codable {
    /// Decodes an array of numbers. In a column of a record, a vector is a blob.
    public init(from decoder: any Decoder) throws { elements = try [Float](from: decoder) }

    /// Encodes an array of numbers. In a column of a record, a vector is a blob.
    public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension FloatVector: DatabaseValueConvertible {
    /// A blob with four bytes for each element.
    public var databaseValue: DatabaseValue { VectorStorage().databaseValue(of: elements) }

    /// The vector of a blob; nil for any other value and for a blob whose size is not a multiple of four.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FloatVector? {
        guard case .blob(let data) = dbValue.storage else { return nil }
        return VectorStorage.elements(of: data).map { FloatVector($0) }
    }
}

/// Vectors of 32-bit floats as blobs with four little-endian bytes for each element, the format of sqlite-vec.
///
/// ```swift
/// @Record struct Document {
///     var id: Int64?
///     @Column(as: .vector) var embedding: [Float]
/// }
/// ```
///
/// Article: <doc:VectorSearch>.
public struct VectorStorage: ColumnStorage {
    /// The blob. A statement that stores a vector with an element that is infinite or not a number throws
    /// SQLITE_MISMATCH.
    public func databaseValue(of value: [Float]) -> DatabaseValue {
        guard value.allSatisfy(\.isFinite) else { return .unstorableVector }
        var data = Data(capacity: 4 * value.count)
        for element in value {
            withUnsafeBytes(of: element.bitPattern.littleEndian) { data.append(contentsOf: $0) }
        }
        return data.databaseValue
    }

    /// The elements of a blob; nil for any other value and for a blob whose size is not a multiple of four.
    public func value(from column: ColumnValue) -> [Float]? {
        FloatVector.fromColumn(column)?.elements
    }

    static func elements(of data: Data) -> [Float]? {
        guard data.count.isMultiple(of: 4) else { return nil }
        return data.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: 4).map { offset in
                let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                return Float(bitPattern: UInt32(littleEndian: bits))
            }
        }
    }
}

extension ColumnStorage where Self == VectorStorage {
    /// Vectors of 32-bit floats as blobs.
    public static var vector: VectorStorage { VectorStorage() }
}
