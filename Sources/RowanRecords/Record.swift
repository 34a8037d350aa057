// The macros of record types. The article "Records by macro" describes them.

@_exported public import Rowan

/// Makes a struct a record that can be read from rows, inserted, updated and requested, with a column for each stored
/// property.
///
/// ```swift
/// @Record("place") struct Place {
///     var id: Int64?
///     var title: String
///     @Column(as: .unixTime) var created: Date
///     @Ignored var isSelected = false
/// }
///
/// // INSERT INTO "place" ("id", "title", "created") VALUES (?,?,?)
/// try place.insert(db)
/// // SELECT "id", "title", "created" FROM "place" WHERE "title" = ?
/// let places = try Place.filter { $0.title == "Minster" }.fetchAll(db)
/// ```
///
/// The key is the property `id`, or each property with ``PrimaryKey()``. Members that the struct's body declares are
/// not generated.
///
/// Article: <doc:RecordsByMacro>.
///
/// - Parameter tableName: a string literal; nil for the name derived from the type.
@attached(
    extension,
    conformances: FetchableRecord, TableRecord, EncodableRecord, MutablePersistableRecord, PersistableRecord,
    PositionalRecord, Identifiable,
    names: named(Columns), named(databaseComponents), named(databaseTableName), named(_recordLayout),
    named(_properties), named(init(row:)), named(init(_columns:)), named(_element), named(encode),
    named(_bind),
    named(_didInsert))
public macro Record(_ tableName: String? = nil) = #externalMacro(module: "RowanRecordsPlugin", type: "RecordMacro")

/// Makes a struct a record with a memberwise initializer that has the access level of the struct: the compiler's is
/// internal.
///
/// ```swift
/// @Record("place", memberwise: true) public struct Place {
///     public var id: Int64?
///     public var title: String
///     public var rating = 0
/// }
///
/// // In another module:
/// // INSERT INTO "place" ("id", "title", "rating") VALUES (?,?,?)
/// var place = Place(title: "Minster")
/// try place.insert(db)
/// ```
///
/// The initializer has a parameter for each stored property, with its initial value as the default. A private property with
/// an initial value keeps that value. A property whose initial value isn't a literal needs an explicit type.
///
/// Article: <doc:RecordsByMacro>.
///
/// - Parameters:
///   - tableName: a string literal; nil for the name derived from the type.
///   - memberwise: `true` for the initializer.
@attached(
    extension,
    conformances: FetchableRecord, TableRecord, EncodableRecord, MutablePersistableRecord, PersistableRecord,
    PositionalRecord, Identifiable,
    names: named(Columns), named(databaseComponents), named(databaseTableName), named(_recordLayout),
    named(_properties), named(init(row:)), named(init(_columns:)), named(_element), named(encode),
    named(_bind),
    named(_didInsert))
@attached(member, names: named(init))
public macro Record(_ tableName: String? = nil, memberwise: Bool) =
    #externalMacro(module: "RowanRecordsPlugin", type: "RecordMacro")

/// Makes a struct the result of a query: its members are columns, aggregates, records, optional records, and arrays or sets
/// of prefetched records.
///
/// ```swift
/// @Selection struct BookInfo {
///     var book: Book       // the row itself
///     var author: Author?  // the scope "author"
///     var reviews: [Review]
/// }
/// let infos = try Book.including(optional: Book.author).including(all: Book.reviews)
///     .asRequest(of: BookInfo.self).fetchAll(db)
/// ```
///
/// Article: <doc:RecordsByMacro>.
@attached(extension, conformances: FetchableRecord, names: named(_members), named(init(row:)))
public macro Selection() = #externalMacro(module: "RowanRecordsPlugin", type: "SelectionMacro")

/// The name of a property's column, and the storage of its values.
///
/// ```swift
/// @Column("remark", as: .unixTime) var noted: Date?
/// ```
///
/// Article: <doc:StoringValues>.
///
/// - Parameters:
///   - name: a string literal; nil for the name of the property.
///   - storage: `.unixTime`, `.milliseconds`, `.iso8601`, `.uuidText`, `.vector`, or a `ColumnStorage` of your own.
///   - generated: whether the database computes the column, which is then read but never written.
@attached(peer, names: prefixed(_storage_))
public macro Column<Storage: ColumnStorage>(_ name: String? = nil, as storage: Storage, generated: Bool = false) =
    #externalMacro(module: "RowanRecordsPlugin", type: "StorageMacro")

/// The name of a property's column, which stores JSON: `@Column(as: .json) var sizes: [Int]`.
///
/// Article: <doc:StoringValues>.
///
/// - Parameters:
///   - name: a string literal; nil for the name of the property.
///   - storage: `.json`.
///   - generated: whether the database computes the column, which is then read but never written.
@attached(peer)
public macro Column(_ name: String? = nil, as storage: JSONStorage, generated: Bool = false) =
    #externalMacro(module: "RowanRecordsPlugin", type: "MarkerMacro")

/// The name of a property's column: `@Column("remark") var note: String?`.
///
/// Article: <doc:StoringValues>.
///
/// - Parameters:
///   - name: a string literal; nil for the name of the property.
///   - generated: whether the database computes the column, which is then read but never written.
@attached(peer)
public macro Column(_ name: String? = nil, generated: Bool = false) =
    #externalMacro(module: "RowanRecordsPlugin", type: "MarkerMacro")

/// Marks a property of the key. Without any, the key is the property `id`.
///
/// ```swift
/// @PrimaryKey var townID: Int64
/// @PrimaryKey var person: String
/// ```
///
/// Article: <doc:PrimaryKeys>.
@attached(peer)
public macro PrimaryKey() = #externalMacro(module: "RowanRecordsPlugin", type: "MarkerMacro")

/// Marks a stored property without a column. It needs an initial value: `@Ignored var isSelected = false`.
@attached(peer)
public macro Ignored() = #externalMacro(module: "RowanRecordsPlugin", type: "MarkerMacro")

/// Declares the association to the record that a foreign key refers to: `town` for the property `townID`, `townId` or
/// `town_id`.
///
/// ```swift
/// @References(Town.self, onDelete: .cascade) var townID: Int64
///
/// // SELECT ... FROM "place" JOIN "town" ON "town"."id" = "place"."townID"
/// Place.including(required: Place.town)
/// ```
///
/// The database enforces foreign keys and their actions: define them in a migration.
///
/// Article: <doc:RecordsByMacro>.
///
/// - Parameters:
///   - destination: the record type.
///   - onDelete: the action that the migration defines, which `checkSchema(of:)` compares; nil for any.
///   - onUpdate: the action that the migration defines, which `checkSchema(of:)` compares; nil for any.
@attached(peer, names: arbitrary)
public macro References<Destination>(
    _ destination: Destination.Type, onDelete: Database.ForeignKeyAction? = nil,
    onUpdate: Database.ForeignKeyAction? = nil
) = #externalMacro(module: "RowanRecordsPlugin", type: "ReferencesMacro")
