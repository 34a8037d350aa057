// Associations: typed paths from one record type to another. Their only value is the path. Their types give the
// compiler the origin, the destination, and the number of associated rows.

/// A link from one record type to another: ``BelongsToAssociation``, ``HasManyAssociation``...
///
/// ```swift
/// struct Book: TableRecord {
///     static let author = belongsTo(Author.self)
/// }
/// struct Author: TableRecord {
///     static let books = hasMany(Book.self)
/// }
/// // SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
/// Book.including(required: Book.author)
/// ```
///
/// The schema is read when a request is fetched; the fetch throws an error for a missing or ambiguous foreign key.
///
/// Article: <doc:AssociationsInDepth>.
public protocol Association<OriginRowDecoder, RowDecoder>: DerivableRequest, Sendable {
    /// The record type that the association starts from.
    associatedtype OriginRowDecoder

    /// The path. Not for users.
    var _path: AssociationPath { get }

    /// Creates an association from a path. Not for users.
    init(_path: AssociationPath)
}

/// An association to at most one row.
public protocol AssociationToOne: Association {}

/// An association to any number of rows.
public protocol AssociationToMany: Association {}

extension Association {
    init(_ path: AssociationPath) { self.init(_path: path) }

    package var path: AssociationPath { _path }

    /// The association with a changed relation. Not for users.
    public func _mapRelation(_ change: (inout Relation) -> Void) -> Self {
        var path = path
        change(&path.last.relation)
        return Self(path)
    }

    /// The name of the associated table.
    public var databaseTableName: String { path.last.relation.source.name }

    /// Changes the key of the association, which names its aggregates and its rows in the fetched rows.
    ///
    /// ```swift
    /// // novelCount
    /// Author.annotated(with: Author.books.filter { $0.kind == "novel" }.forKey("novels").count)
    /// ```
    ///
    /// The key of a to-many association is plural. If its rows are joined, as with `including(required:)`, the singular
    /// is used.
    public func forKey(_ key: String) -> Self {
        var path = path
        path.last.key = AssociationKey(key, Self.self is any AssociationToMany.Type ? .many : .one)
        return Self(path)
    }

    /// Changes the key of the association to that of a coding key.
    public func forKey(_ codingKey: some CodingKey) -> Self { forKey(codingKey.stringValue) }
}

/// An association to the record that the foreign key of this record refers to: a book's `authorId` refers to its
/// author.
///
/// ```swift
/// static let author = Book.belongsTo(Author.self)
/// ```
///
/// Article: <doc:AssociationsInDepth>.
public struct BelongsToAssociation<Origin, Destination>: AssociationToOne {
    /// The record type with the foreign key.
    public typealias OriginRowDecoder = Origin
    /// The associated record type.
    public typealias RowDecoder = Destination
    /// The path. Not for users.
    public let _path: AssociationPath
    /// Creates an association from a path. Not for users.
    public init(_path: AssociationPath) { self._path = _path }
}

/// An association to the records with the foreign key: the books of an author.
///
/// ```swift
/// static let books = Author.hasMany(Book.self)
/// ```
///
/// Article: <doc:AssociationsInDepth>.
public struct HasManyAssociation<Origin, Destination>: AssociationToMany {
    /// The record type that the foreign key refers to.
    public typealias OriginRowDecoder = Origin
    /// The associated record type.
    public typealias RowDecoder = Destination
    /// The path. Not for users.
    public let _path: AssociationPath
    /// Creates an association from a path. Not for users.
    public init(_path: AssociationPath) { self._path = _path }
}

/// An association to the single record with the foreign key: the demographics of a country.
///
/// ```swift
/// static let demographics = Country.hasOne(Demographics.self)
/// ```
///
/// Article: <doc:AssociationsInDepth>.
public struct HasOneAssociation<Origin, Destination>: AssociationToOne {
    /// The record type that the foreign key refers to.
    public typealias OriginRowDecoder = Origin
    /// The associated record type.
    public typealias RowDecoder = Destination
    /// The path. Not for users.
    public let _path: AssociationPath
    /// Creates an association from a path. Not for users.
    public init(_path: AssociationPath) { self._path = _path }
}

/// An association to many records through other records: the citizens of a country, through passports.
///
/// ```swift
/// static let citizens = Country.hasMany(Citizen.self, through: passports, using: Passport.citizen)
/// ```
///
/// Article: <doc:AssociationsInDepth>.
public struct HasManyThroughAssociation<Origin, Destination>: AssociationToMany {
    /// The record type at the start.
    public typealias OriginRowDecoder = Origin
    /// The associated record type.
    public typealias RowDecoder = Destination
    /// The path. Not for users.
    public let _path: AssociationPath
    /// Creates an association from a path. Not for users.
    public init(_path: AssociationPath) { self._path = _path }
}

/// An association to one record through other records: the address of a book's library.
///
/// ```swift
/// static let address = Book.hasOne(Address.self, through: library, using: Library.address)
/// ```
///
/// Article: <doc:AssociationsInDepth>.
public struct HasOneThroughAssociation<Origin, Destination>: AssociationToOne {
    /// The record type at the start.
    public typealias OriginRowDecoder = Origin
    /// The associated record type.
    public typealias RowDecoder = Destination
    /// The path. Not for users.
    public let _path: AssociationPath
    /// Creates an association from a path. Not for users.
    public init(_path: AssociationPath) { self._path = _path }
}

/// An association on any condition, to a common table expression, a table or a subquery.
///
/// ```swift
/// // ... JOIN "latest" ON "chat"."id" = "latest"."chatId"
/// let latest = Chat.association(to: latestMessages) { chat, message in chat.id == message.chatId }
/// ```
public struct JoinAssociation<Origin, Destination>: AssociationToOne {
    /// The record type at the start.
    public typealias OriginRowDecoder = Origin
    /// The associated record type.
    public typealias RowDecoder = Destination
    /// The path. Not for users.
    public let _path: AssociationPath
    /// Creates an association from a path. Not for users.
    public init(_path: AssociationPath) { self._path = _path }
}

/// The columns that refer to another table.
///
/// ```swift
/// static let authorForeignKey = ForeignKey(["authorId"])
/// static let author = belongsTo(Person.self, using: authorForeignKey)
/// ```
///
/// The referenced columns are those of the schema's foreign key. Without one, they are the primary key of the other
/// table.
public struct ForeignKey: Hashable, Sendable {
    let originColumns: [String]
    let destinationColumns: [String]?

    /// Creates a foreign key from columns to columns. If the destination columns are nil, the schema defines them.
    public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
        self.originColumns = originColumns
        self.destinationColumns = destinationColumns
    }

    /// Creates a foreign key from column expressions.
    public init(_ originColumns: [any ColumnExpression], to destinationColumns: [any ColumnExpression]? = nil) {
        self.init(originColumns.map(\.name), to: destinationColumns?.map(\.name))
    }
}

extension AssociationPath {
    /// The path of a foreign key.
    static func foreignKey(
        _ foreignKey: ForeignKey?, heldBy holder: ForeignKeyLink.Holder, isToOne: Bool = false, to relation: Relation,
        key: String?
    ) -> AssociationPath {
        let link = ForeignKeyLink(
            holder: holder, columns: foreignKey?.originColumns, referredColumns: foreignKey?.destinationColumns,
            isToOne: isToOne || holder == .origin)
        return AssociationPath([
            AssociationStep(
                key: key.map { AssociationKey($0, link.isToOne ? .one : .many) } ?? .table(relation.source.name),
                condition: .foreignKey(link),
                relation: relation)
        ])
    }

    /// This path followed by another one. By default, the result has the key of the other path.
    func followed(by other: AssociationPath, key: AssociationKey?) -> AssociationPath {
        var result = AssociationPath(steps + other.steps)
        if let key { result.last.key = key }
        return result
    }
}
