// The columns of generated record types. Their Swift type is that of the property.

/// The column of a property. For generated code only: the overloads choose the kind of column by the type.
public func _column<Root, Value: SQLExpressible>(
    _ name: String, of property: KeyPath<Root, Value>
) -> TypedColumn<Value> {
    TypedColumn(name)
}

/// The column of a property that is stored as JSON.
@_disfavoredOverload
public func _column<Root, Value: Encodable>(_ name: String, of property: KeyPath<Root, Value>) -> JSONColumn {
    JSONColumn(name)
}

/// The column of a property whose type can't be stored. The compiler reports an error where it is read.
@_disfavoredOverload
public func _column<Root, Value>(_ name: String, of property: KeyPath<Root, Value>) -> Column { Column(name) }

/// The column of a property with its own storage. Values are compared, assigned and read in their stored form.
public func _column<Root, Value: SQLExpressible & SendableMetatype, Storage: ColumnStorage>(
    _ name: String, of property: KeyPath<Root, Value>, as storage: Storage
) -> TypedColumn<Value> {
    // The value type is that of the storage, or an optional of it.
    TypedColumn(name) { column in
        column.isNull ? nullValue(Value.self) : storage.value(from: column).flatMap { $0 as? Value }
    }
}

/// The column of a property with its own storage, whose type isn't an SQL value.
@_disfavoredOverload
public func _column<Root, Value>(
    _ name: String, of property: KeyPath<Root, Value>, as storage: some ColumnStorage
) -> Column {
    Column(name)
}

/// The column of a property that is stored as JSON.
public func _column<Root, Value>(
    _ name: String, of property: KeyPath<Root, Value>, as storage: JSONStorage
) -> JSONColumn {
    JSONColumn(name)
}

/// A column that refers to another table, for generated code.
///
/// - Parameter association: never called. Its type determines the destination, which the expansion can't name.
public func _reference<Origin, Destination: TableRecord>(
    _ column: String, _ association: () -> BelongsToAssociation<Origin, Destination>,
    onDelete: Database.ForeignKeyAction? = nil, onUpdate: Database.ForeignKeyAction? = nil
) -> RecordLayout.Reference {
    RecordLayout.Reference(
        column: column, table: { Destination.databaseTableName }, onDelete: onDelete?.rawValue,
        onUpdate: onUpdate?.rawValue)
}
