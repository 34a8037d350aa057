// Typed columns with records, aliases and collations.

extension PersistenceContainer {
    /// The value of a typed column: `container[Columns.score] = score`. Setting nil stores NULL.
    public subscript<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) -> Value? {
        get { storedValue(column.name) }
        set { set(column.name, newValue?.databaseValue ?? .null) }
    }
}

extension TableAlias where RowDecoder: TableRecord {
    /// A column of the aliased table: `team.id`.
    public subscript<Value>(
        dynamicMember keyPath: KeyPath<DatabaseComponents, TypedColumn<Value>>
    ) -> TypedExpression<Value> {
        TypedExpression(self[RowDecoder.databaseComponents[keyPath: keyPath].sqlExpression])
    }
}

extension SQLTypedExpressible<String> {
    /// The text with a collation: `name COLLATE NOCASE`.
    public func collating(_ collation: Database.CollationName) -> TypedExpression<String> {
        TypedExpression(sqlExpression.collating(collation))
    }

    /// The text with a custom collation: `name COLLATE "by_length"`.
    public func collating(_ collation: DatabaseCollation) -> TypedExpression<String> {
        TypedExpression(sqlExpression.collating(collation))
    }
}

extension SQLTypedExpressible<String?> {
    /// The text with a collation: `name COLLATE NOCASE`.
    public func collating(_ collation: Database.CollationName) -> TypedExpression<String?> {
        TypedExpression(sqlExpression.collating(collation))
    }

    /// The text with a custom collation: `name COLLATE "by_length"`.
    public func collating(_ collation: DatabaseCollation) -> TypedExpression<String?> {
        TypedExpression(sqlExpression.collating(collation))
    }
}
