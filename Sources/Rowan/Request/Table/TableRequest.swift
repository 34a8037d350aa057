// The methods of requests that need a table, for aliases and keys, and the methods of derivable requests. Like the
// others, they consume their request.

extension Relation {
    /// The type of a parameter to which trailing closures bind instead of a key. Never pass it.
    ///
    /// A trailing closure has no label: for the compiler, `filter { $0.nmae == "x" }` may also mean `filter(key:)`.
    /// Rejecting a generic parameter would take seconds (Tests/DoesNotCompile/Misspelt).
    public typealias NoClosure = ((Never) -> Never)?
}

extension TableRequest {
    /// Gives the table an alias, which subqueries can refer to.
    public consuming func aliased<RowDecoder>(_ alias: TableAlias<RowDecoder>) -> Self {
        _mapRelation { $0.aliases.append(alias.id) }
    }

    /// Keeps the row with a primary key. For nil, keeps no row.
    @_disfavoredOverload
    public consuming func filter(key: (some DatabaseValueConvertible)?, _: Relation.NoClosure = nil) -> Self {
        filter(primaryKey: key.map { [$0] } ?? [])
    }

    /// Keeps the rows with some primary keys.
    @_disfavoredOverload
    public consuming func filter<Keys: Collection>(keys: Keys, _: Relation.NoClosure = nil) -> Self
    where Keys.Element: DatabaseValueConvertible {
        filter(primaryKey: keys)
    }

    /// Keeps the row with a primary or unique key: `filter(key: ["email": email])`. For nil, keeps no row.
    public consuming func filter(key: [String: (any DatabaseValueConvertible)?]?) -> Self {
        filter(keys: key.map { [$0] } ?? [])
    }

    /// Keeps the rows with some primary or unique keys.
    ///
    /// - Note: the fetch throws an error if the columns are not those of a primary or unique key.
    public consuming func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> Self {
        let keys = keys.map { key in
            key.mapValues { value -> SQLExpression in if let value { value.sqlExpression } else { .null } }
        }
        return _mapRelation { relation in
            let (source, storage) = (relation.source, relation.storage)
            relation.addFilter(
                // Several rows of a unique index may contain NULL.
                deferred(leavesOneRow: keys.count == 1 && !keys[0].values.contains(.null)) { db in
                    guard let table = source.keyTable else { throw RequestError.noPrimaryKey(source.name) }
                    return [try KeyPredicate(table: table, storage: storage, keys: keys).expression(db)]
                })
        }
    }

    /// Orders the rows by primary key.
    public consuming func orderByPrimaryKey() -> Self {
        _mapRelation {
            $0.orderings = [SQLOrdering(.symbol(.primaryKey(.none)))]
            $0.isReversed = false
        }
    }

    /// Groups the rows by primary key.
    public consuming func groupByPrimaryKey() -> Self {
        _mapRelation {
            $0.groups = []
            $0.groupsByPrimaryKey = true
        }
    }

    private func filter<Keys: Collection>(primaryKey keys: Keys) -> Self
    where Keys.Element: DatabaseValueConvertible {
        // Not a key path: generic key paths are created at run time and cost more than the whole filter.
        _mapRelation { $0.addFilter(SQLExpression(.symbol(.primaryKey(isIn: keys.map { $0.sqlExpression })))) }
    }
}

extension TableRequest where Self: TypedRequest, RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// Keeps the row with an id.
    public consuming func filter(id: RowDecoder.ID) -> Self { filter(key: id) }

    /// Keeps the rows with some ids.
    @_disfavoredOverload
    public consuming func filter<IDS: Collection>(ids: IDS, _: Relation.NoClosure = nil) -> Self
    where IDS.Element == RowDecoder.ID {
        filter(keys: ids)
    }
}

extension DerivableRequest {
    /// Removes duplicate rows: `SELECT DISTINCT`.
    public consuming func distinct() -> Self { _mapRelation { $0.isDistinct = true } }

    /// Defines a window that functions refer to by name.
    ///
    /// ```swift
    /// // SELECT *, RANK() OVER "w" FROM "player" WINDOW "w" AS (PARTITION BY "team" ORDER BY "score" DESC)
    /// Player.annotated(with: rank().over("w"))
    ///     .window("w", Window(partitionBy: [Column("team")], orderBy: [Column("score").desc]))
    /// ```
    ///
    /// Source: <https://sqlite.org/windowfunctions.html>
    public consuming func window(_ name: String, _ window: Window) -> Self {
        _mapRelation { $0.windows.append(WindowDefinition(name: name, window: window)) }
    }

    /// Adds a common table expression. Replaces another one with the same name.
    public consuming func with<T>(_ cte: CommonTableExpression<T>) -> Self {
        _mapRelation { $0.commonTables.add(cte.table) }
    }
}
