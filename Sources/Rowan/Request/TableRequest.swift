// The request verbs that need a table: aliases and keys; and those of requests that can be derived in all ways. Like the
// others, they consume their request.

/// What a trailing closure binds to, so that the compiler does not check its body against a key. Never pass it.
///
/// A trailing closure has no label: `filter { $0.nmae == "x" }` is `filter(key:)` too, for a compiler that looks for what
/// may be meant. A generic parameter would take seconds to rule out (Tests/DoesNotCompile/Misspelt).
public typealias NoClosure = ((Never) -> Never)?

extension TableRequest {
    /// The request with an alias for its table, for subqueries that refer to it.
    public consuming func aliased<RowDecoder>(_ alias: TableAlias<RowDecoder>) -> Self {
        _mapRelation { $0.aliases.append(alias.id) }
    }

    /// The row of a primary key; no row for nil.
    @_disfavoredOverload
    public consuming func filter(key: (some DatabaseValueConvertible)?, _: NoClosure = nil) -> Self {
        filter(primaryKey: key.map { [$0] } ?? [])
    }

    /// The rows of primary keys.
    @_disfavoredOverload
    public consuming func filter<Keys: Collection>(keys: Keys, _: NoClosure = nil) -> Self
    where Keys.Element: DatabaseValueConvertible {
        filter(primaryKey: keys)
    }

    /// The row of a primary or unique key: `filter(key: ["email": email])`; no row for nil.
    public consuming func filter(key: [String: (any DatabaseValueConvertible)?]?) -> Self {
        filter(keys: key.map { [$0] } ?? [])
    }

    /// The rows of primary or unique keys.
    ///
    /// - Note: fetching throws if the columns are not those of a primary or unique key.
    public consuming func filter(keys: [[String: (any DatabaseValueConvertible)?]]) -> Self {
        let keys = keys.map { key in
            key.mapValues { value -> SQLExpression in if let value { value.sqlExpression } else { .null } }
        }
        return _mapRelation { relation in
            let (source, storage) = (relation.source, relation.storage)
            relation.filters.append(
                // NULL may be in several rows of a unique index.
                deferred(leavesOneRow: keys.count == 1 && !keys[0].values.contains(.null)) { db in
                    guard case .table(let table) = source else { throw RequestError.noPrimaryKey(source.name) }
                    return [try KeyPredicate(table: table, storage: storage, keys: keys).expression(db)]
                })
        }
    }

    /// The request ordered by primary key.
    public consuming func orderByPrimaryKey() -> Self {
        _mapRelation {
            $0.orderings = [SQLOrdering(.symbol(.primaryKey(.none)))]
            $0.isReversed = false
        }
    }

    /// The rows grouped by primary key.
    public consuming func groupByPrimaryKey() -> Self {
        _mapRelation {
            $0.groups = []
            $0.groupsByPrimaryKey = true
        }
    }

    private func filter<Keys: Collection>(primaryKey keys: Keys) -> Self
    where Keys.Element: DatabaseValueConvertible {
        // Not a key path: generic ones are made at run time, and cost more than the whole filter.
        _mapRelation { $0.filters.append(SQLExpression(.symbol(.primaryKey(isIn: keys.map { $0.sqlExpression })))) }
    }
}

extension TableRequest where Self: TypedRequest, RowDecoder: Identifiable, RowDecoder.ID: DatabaseValueConvertible {
    /// The row of an id.
    public consuming func filter(id: RowDecoder.ID) -> Self { filter(key: id) }

    /// The rows of ids.
    @_disfavoredOverload
    public consuming func filter<IDS: Collection>(ids: IDS, _: NoClosure = nil) -> Self
    where IDS.Element == RowDecoder.ID {
        filter(keys: ids)
    }
}

extension DerivableRequest {
    /// The request without duplicate rows.
    public consuming func distinct() -> Self { _mapRelation { $0.isDistinct = true } }

    /// The request with a window that functions refer to by its name.
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

    /// The request with a common table expression, which replaces another one of the same name.
    public consuming func with<T>(_ cte: CommonTableExpression<T>) -> Self {
        _mapRelation { $0.commonTables.add(cte.table) }
    }
}
