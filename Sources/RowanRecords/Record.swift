// The macros of record types.

@_exported public import Rowan

/// Makes a struct a record: it is read from rows, inserted, updated and requested, with a column for each stored property.
@attached(
    extension, conformances: _GeneratedRecord, _MutableGeneratedRecord, Identifiable,
    names: named(Columns), named(databaseComponents), named(databaseTableName), named(databaseSelection),
    named(_recordLayout), named(init(row:)), named(init(_columns:)), named(_element), named(encode), named(_bind),
    named(_didInsert))
public macro Record(_ tableName: String? = nil) = #externalMacro(module: "RowanRecordsPlugin", type: "RecordMacro")

/// Makes a struct the result of a query.
@attached(extension, conformances: FetchableRecord, names: named(_members), named(init(row:)))
public macro Selection() = #externalMacro(module: "RowanRecordsPlugin", type: "SelectionMacro")

/// The column of a property.
@attached(peer, names: prefixed(_storage_))
public macro Column<Storage: ColumnStorage>(_ name: String? = nil, as storage: Storage, generated: Bool = false) =
    #externalMacro(module: "RowanRecordsPlugin", type: "StorageMacro")

@attached(peer)
public macro Column(_ name: String? = nil, as storage: JSONStorage, generated: Bool = false) =
    #externalMacro(module: "RowanRecordsPlugin", type: "MarkerMacro")

@attached(peer)
public macro Column(_ name: String? = nil, generated: Bool = false) =
    #externalMacro(module: "RowanRecordsPlugin", type: "MarkerMacro")

@attached(peer)
public macro PrimaryKey() = #externalMacro(module: "RowanRecordsPlugin", type: "MarkerMacro")

@attached(peer)
public macro Ignored() = #externalMacro(module: "RowanRecordsPlugin", type: "MarkerMacro")

@attached(peer, names: arbitrary)
public macro References<Destination: TableRecord>(
    _ destination: Destination.Type, onDelete: Database.ForeignKeyAction? = nil,
    onUpdate: Database.ForeignKeyAction? = nil
) = #externalMacro(module: "RowanRecordsPlugin", type: "ReferencesMacro")
