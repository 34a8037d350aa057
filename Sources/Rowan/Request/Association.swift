// Associations: typed paths from a record to others. All of them are one value, the path; their types tell the compiler
// where they start, where they lead, and to how many rows.

/// A link from a record type to another: ``BelongsToAssociation``, ``HasManyAssociation``...
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
/// The schema is asked when a request is fetched: a foreign key that is missing or ambiguous is a thrown error.
public protocol Association<OriginRowDecoder, RowDecoder>: DerivableRequest, Sendable {
    /// The record type that the association starts from.
    associatedtype OriginRowDecoder

    /// The path. Not for users.
    var _path: AssociationPathBox { get }

    /// An association from a path. Not for users.
    init(_path: AssociationPathBox)
}

/// An association that leads to one row at most.
public protocol AssociationToOne: Association {}

/// An association that leads to any number of rows.
public protocol AssociationToMany: Association {}

/// The path of an association. Its parts are not public.
public struct AssociationPathBox: Hashable, Sendable {
    package var path: AssociationPath
}

extension Association {
    init(_ path: AssociationPath) { self.init(_path: AssociationPathBox(path: path)) }

    package var path: AssociationPath { _path.path }

    public func _mapRelation(_ change: (inout Relation) -> Void) -> Self {
        var path = path
        change(&path.last.relation)
        return Self(path)
    }

    /// The name of the associated table.
    public var databaseTableName: String { path.last.relation.source.name }

    /// The association with another key: the name of its rows in the fetched ones, and in those of its aggregates.
    ///
    /// ```swift
    /// // novelCount
    /// Author.annotated(with: Author.books.filter { $0.kind == "novel" }.forKey("novels").count)
    /// ```
    ///
    /// The key of an association to many rows names many of them: where one is joined, as in `including(required:)`, its
    /// name is the singular.
    public func forKey(_ key: String) -> Self {
        var path = path
        path.last.key = AssociationKey(key, Self.self is any AssociationToMany.Type ? .many : .one)
        return Self(path)
    }

    /// The association with the name of a coding key.
    public func forKey(_ codingKey: some CodingKey) -> Self { forKey(codingKey.stringValue) }
}

/// The association of the record that has the foreign key: the book of an author has `authorId`.
///
/// ```swift
/// static let author = Book.belongsTo(Author.self)
/// ```
public struct BelongsToAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin
    public typealias RowDecoder = Destination
    public let _path: AssociationPathBox
    public init(_path: AssociationPathBox) { self._path = _path }
}

/// The association to the records that have the foreign key: the books of an author.
///
/// ```swift
/// static let books = Author.hasMany(Book.self)
/// ```
public struct HasManyAssociation<Origin, Destination>: AssociationToMany {
    public typealias OriginRowDecoder = Origin
    public typealias RowDecoder = Destination
    public let _path: AssociationPathBox
    public init(_path: AssociationPathBox) { self._path = _path }
}

/// The association to the one record that has the foreign key: the demographics of a country.
///
/// ```swift
/// static let demographics = Country.hasOne(Demographics.self)
/// ```
public struct HasOneAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin
    public typealias RowDecoder = Destination
    public let _path: AssociationPathBox
    public init(_path: AssociationPathBox) { self._path = _path }
}

/// The association to many records through others: the citizens of a country, through passports.
///
/// ```swift
/// static let citizens = Country.hasMany(Citizen.self, through: passports, using: Passport.citizen)
/// ```
public struct HasManyThroughAssociation<Origin, Destination>: AssociationToMany {
    public typealias OriginRowDecoder = Origin
    public typealias RowDecoder = Destination
    public let _path: AssociationPathBox
    public init(_path: AssociationPathBox) { self._path = _path }
}

/// The association to one record through others: the address of a book's library.
///
/// ```swift
/// static let address = Book.hasOne(Address.self, through: library, using: Library.address)
/// ```
public struct HasOneThroughAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin
    public typealias RowDecoder = Destination
    public let _path: AssociationPathBox
    public init(_path: AssociationPathBox) { self._path = _path }
}

/// The association on any condition, to a common table expression, a table or a subquery.
///
/// ```swift
/// // ... JOIN "latest" ON "chat"."id" = "latest"."chatId"
/// let latest = Chat.association(to: latestMessages) { chat, message in chat.id == message.chatId }
/// ```
public struct JoinAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin
    public typealias RowDecoder = Destination
    public let _path: AssociationPathBox
    public init(_path: AssociationPathBox) { self._path = _path }
}

/// The columns that refer to another table.
///
/// ```swift
/// static let authorForeignKey = ForeignKey(["authorId"])
/// static let author = belongsTo(Person.self, using: authorForeignKey)
/// ```
///
/// The columns that they refer to are those of the schema's foreign key, or else the primary key of the other table.
public struct ForeignKey: Hashable, Sendable {
    let originColumns: [String]
    let destinationColumns: [String]?

    /// A foreign key from columns to columns.
    public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
        self.originColumns = originColumns
        self.destinationColumns = destinationColumns
    }

    /// A foreign key from columns to columns.
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

    /// This path, then another one, with the key of the other one by default.
    func followed(by other: AssociationPath, key: AssociationKey?) -> AssociationPath {
        var result = AssociationPath(steps + other.steps)
        if let key { result.last.key = key }
        return result
    }
}
