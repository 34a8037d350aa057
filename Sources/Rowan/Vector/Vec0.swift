// Tables of sqlite-vec, which find the nearest vectors. The extension itself is not part of Rowan.
// Source: https://alexgarcia.xyz/sqlite-vec/features/vec0.html

/// The module `vec0` of the extension sqlite-vec: tables with vectors, and with columns to filter searches.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "document_vec" USING vec0(id INTEGER PRIMARY KEY, owner INTEGER PARTITION KEY,
/// //   embedding float[384] distance_metric=cosine, year INTEGER, +summary TEXT)
/// try db.create(virtualTable: "document_vec", using: Vec0()) { t in
///     t.primaryKey("id")
///     t.column("owner", .integer).partitionKey()
///     t.vector("embedding", dimension: 384, distance: .cosine)
///     t.column("year", .integer)
///     t.column("summary", .text).auxiliary()
/// }
///
/// let documents = try DocumentVector.nearest(to: embedding, k: 10).fetchAll(db)
/// ```
///
/// The connection must have loaded the extension: ``Database/loadExtension(path:entryPoint:)``.
///
/// Article: <doc:VectorSearch>.
public struct Vec0: VirtualTableModule, Sendable {
    /// The measure of the distance of two vectors. The nearest vectors have the smallest distance.
    public enum Distance: String, Hashable, Sendable {
        /// The length of the difference: the Euclidean distance.
        case l2
        /// The sum of the absolute differences.
        case l1
        /// 1 minus the cosine of the angle: 0 for the same direction, 2 for the opposite one. The zero vector has no
        /// direction and is never found.
        case cosine
    }

    /// The type of a column that isn't a vector. sqlite-vec does not convert values: it rejects those of another type.
    public enum ColumnType: String, Hashable, Sendable {
        /// Integers.
        case integer = "INTEGER"
        /// Numbers with a fraction.
        case float = "FLOAT"
        /// Text.
        case text = "TEXT"
        /// 0 and 1.
        case boolean = "BOOLEAN"
        /// Bytes, in auxiliary columns only.
        case blob = "BLOB"
    }

    /// Creates the module.
    public init() {}

    /// `vec0`
    public var moduleName: String { "vec0" }

    /// An empty definition.
    public func makeTableDefinition(configuration: VirtualTableConfiguration) -> Vec0TableDefinition {
        Vec0TableDefinition()
    }

    /// The columns, then the options.
    ///
    /// - Throws: SQLITE_MISUSE for a definition that sqlite-vec does not accept: no vector, a dimension that is not
    ///   from 1 to 8,192, a name with characters other than ASCII letters, digits and underscores, or a type that the
    ///   kind of column does not support.
    public func moduleArguments(for definition: Vec0TableDefinition, in db: Database) throws -> [String] {
        guard definition.columns.contains(where: \.isVector) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "a table of vec0 needs a vector: call t.vector(_:dimension:)")
        }
        var arguments = try definition.columns.map { try $0.argument() }
        if let chunkSize = definition.chunkSize {
            guard chunkSize > 0, chunkSize.isMultiple(of: 8) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "the size of chunks is \(chunkSize): choose a positive multiple of 8")
            }
            arguments.append("chunk_size=\(chunkSize)")
        }
        return arguments
    }
}

/// The definition of a ``Vec0`` table.
///
/// Article: <doc:VectorSearch>.
///
/// Source: <https://alexgarcia.xyz/sqlite-vec/features/vec0.html>
public final class Vec0TableDefinition {
    private(set) var columns: [Vec0ColumnDefinition] = []

    /// The number of vectors that are stored together, a multiple of 8; nil for sqlite-vec's default, 1,024. With a
    /// smaller number, small partitions waste less space.
    public var chunkSize: Int?

    /// Adds a vector of 32-bit floats.
    ///
    /// - Parameters:
    ///   - name: the name of the column.
    ///   - dimension: the number of elements, from 1 to 8,192. All vectors of the column have it.
    ///   - distance: how searches measure distances.
    public func vector(_ name: String, dimension: Int, distance: Vec0.Distance = .l2) {
        columns.append(Vec0ColumnDefinition(name, .vector(dimension, distance)))
    }

    /// Adds the primary key: integers, which are the rowids, or text. Without one, the table has the column `rowid`.
    public func primaryKey(_ name: String, _ type: Vec0.ColumnType = .integer) {
        columns.append(Vec0ColumnDefinition(name, .primaryKey(type)))
    }

    /// Adds a metadata column, by which searches can be filtered. Its values can't be NULL.
    ///
    /// ```swift
    /// t.column("year", .integer)
    /// t.column("owner", .integer).partitionKey()
    /// t.column("summary", .text).auxiliary()
    /// ```
    @discardableResult
    public func column(_ name: String, _ type: Vec0.ColumnType) -> Vec0ColumnDefinition {
        let column = Vec0ColumnDefinition(name, .metadata(type))
        columns.append(column)
        return column
    }
}

/// The definition of a column of a ``Vec0`` table.
public final class Vec0ColumnDefinition {
    enum Kind {
        case vector(Int, Vec0.Distance)
        case primaryKey(Vec0.ColumnType)
        case partitionKey(Vec0.ColumnType)
        case metadata(Vec0.ColumnType)
        case auxiliary(Vec0.ColumnType)
    }

    let name: String
    private var kind: Kind
    private let type: Vec0.ColumnType

    init(_ name: String, _ kind: Kind) {
        (self.name, self.kind) = (name, kind)
        switch kind {
        case .vector: type = .blob
        case .primaryKey(let type), .partitionKey(let type), .metadata(let type), .auxiliary(let type): self.type = type
        }
    }

    /// Stores the vectors of each value together, so that searches for one value read no other vectors. A hundred or
    /// more vectors should share a value. Integers and text only.
    @discardableResult
    public func partitionKey() -> Self {
        kind = .partitionKey(type)
        return self
    }

    /// Stores the column next to the vectors. Searches can select it but not filter by it.
    @discardableResult
    public func auxiliary() -> Self {
        kind = .auxiliary(type)
        return self
    }

    var isVector: Bool { if case .vector = kind { true } else { false } }

    /// The types that sqlite-vec supports for a kind of column.
    private var allowedTypes: [Vec0.ColumnType] {
        switch kind {
        case .vector: [.blob]
        case .primaryKey, .partitionKey: [.integer, .text]
        case .metadata: [.integer, .float, .text, .boolean]
        case .auxiliary: [.integer, .float, .text, .blob]
        }
    }

    /// The column in the arguments of the module.
    func argument() throws -> String {
        guard name.isVec0Name else {
            throw refusal(
                "sqlite-vec does not understand this name: use ASCII letters, digits and underscores, no digit at the start, "
                    + "and none of its own names: distance, k, rowid")
        }
        guard allowedTypes.contains(type) else {
            let types = allowedTypes.map { $0.rawValue.lowercased() }
            throw refusal(
                "such a column can't have the type \(type.rawValue.lowercased()): use \(types.joined(separator: ", "))")
        }
        switch kind {
        case .vector(let dimension, let distance):
            guard (1...8_192).contains(dimension) else {
                throw refusal("the dimension is \(dimension): it must be from 1 to 8192")
            }
            // The default is omitted.
            return "\(name) float[\(dimension)]" + (distance == .l2 ? "" : " distance_metric=\(distance.rawValue)")
        case .primaryKey: return "\(name) \(type.rawValue) PRIMARY KEY"
        case .partitionKey: return "\(name) \(type.rawValue) PARTITION KEY"
        case .metadata: return "\(name) \(type.rawValue)"
        case .auxiliary: return "+\(name) \(type.rawValue)"
        }
    }

    private func refusal(_ reason: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "column \(name) of a table of vec0: \(reason)")
    }
}

extension String {
    /// Whether sqlite-vec accepts a name, which it does not read as SQL.
    fileprivate var isVec0Name: Bool {
        guard let first = utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isPlain && !["distance", "k", "rowid"].contains(where: isSameDatabaseName)
    }
}
