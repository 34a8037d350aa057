// The methods that join requests. The conditions of later joins receive the aliases of all previous requests.

extension QueryInterfaceRequest {
    /// Joins the rows of another request, on a condition: `JOIN`.
    ///
    /// ```swift
    /// // SELECT "player".*, "team".* FROM "player" JOIN "team" ON "player"."teamId" = "team"."id"
    /// Player.all().join(Team.all()) { player, team in player.teamId == team.id }
    /// ```
    ///
    /// - Parameters:
    ///   - other: the request of the joined rows.
    ///   - key: the key of the joined rows when a struct decodes them; by default, the name of their table.
    ///   - condition: a closure that receives an alias of each request and returns the condition of the join.
    public func join<Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<RowDecoder>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<(RowDecoder, Other), (TableAlias<RowDecoder>, TableAlias<Other>)> {
        try joined(to: other, .inner, key, condition, JoinedElement.required, JoinedElement.required)
    }

    /// Joins the rows of another request, on a condition. Without a matching row, the joined element is nil:
    /// `LEFT JOIN`.
    public func leftJoin<Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<RowDecoder>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<(RowDecoder, Other?), (TableAlias<RowDecoder>, TableAlias<Other>)> {
        try joined(to: other, .left, key, condition, JoinedElement.required, JoinedElement.optional)
    }

    /// Joins the rows of another request, on a condition. Without a matching row, the first element is nil:
    /// `RIGHT JOIN`.
    ///
    /// - Note: at fetch, SQLite before 3.39 throws an error.
    public func rightJoin<Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<RowDecoder>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<(RowDecoder?, Other), (TableAlias<RowDecoder>, TableAlias<Other>)> {
        try joined(to: other, .right, key, condition, JoinedElement.optional, JoinedElement.required)
    }

    /// Joins the rows of another request, on a condition. Without a matching row, either element is nil: `FULL JOIN`.
    ///
    /// - Note: at fetch, SQLite before 3.39 throws an error.
    public func fullJoin<Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<RowDecoder>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<(RowDecoder?, Other?), (TableAlias<RowDecoder>, TableAlias<Other>)> {
        try joined(to: other, .full, key, condition, JoinedElement.optional, JoinedElement.optional)
    }

    /// Combines each row with each row of another request: `CROSS JOIN`.
    public func crossJoin<Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil
    ) -> JoinedRequest<(RowDecoder, Other), (TableAlias<RowDecoder>, TableAlias<Other>)> {
        joined(to: other, .cross, key, { _, _ in nil }, JoinedElement.required, JoinedElement.required)
    }

    /// Joins the rows that a table-valued function returns for each row: `JOIN json_each("player"."tags")`.
    public func join<Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil
    ) -> JoinedRequest<(RowDecoder, Other), (TableAlias<RowDecoder>, TableAlias<Other>)> {
        joined(to: other, .inner, key, { _, _ in nil }, JoinedElement.required, JoinedElement.required)
    }

    /// - Parameters:
    ///   - first: decodes the part of the first request.
    ///   - second: decodes the part of the other request.
    private func joined<Other, First, Second>(
        to other: QueryInterfaceRequest<Other>, _ kind: Join.Kind, _ key: String?,
        _ condition: (TableAlias<RowDecoder>, TableAlias<Other>) throws -> (any SQLExpressible)?,
        _ first: (JoinedPart<RowDecoder>) -> @Sendable (Row) throws -> First,
        _ second: (JoinedPart<Other>) -> @Sendable (Row) throws -> Second
    ) rethrows -> JoinedRequest<(First, Second), (TableAlias<RowDecoder>, TableAlias<Other>)> {
        let aliases = (TableAlias<RowDecoder>(), TableAlias<Other>())
        let joined = try relation.joining(other.relation, kind, key, first: aliases.0.id, alias: aliases.1.id) {
            try condition(aliases.0, aliases.1)
        }
        let (first, second) = (first(JoinedPart(key: nil)), second(JoinedPart(key: joined.key)))
        return JoinedRequest(relation: joined.relation, aliases: aliases) { (try first($0), try second($0)) }
    }
}

extension JoinedRequest {
    /// Joins the request to another one.
    private func joined<Other, Part, Joined, JoinedAliases>(
        to other: QueryInterfaceRequest<Other>, _ kind: Join.Kind, _ key: String?,
        _ condition: (TableAlias<Other>) throws -> (any SQLExpressible)?,
        _ part: (JoinedPart<Other>) -> @Sendable (Row) throws -> Part,
        aliases: (TableAlias<Other>) -> JoinedAliases,
        elements: @escaping @Sendable (Element, Part) -> Joined
    ) rethrows -> JoinedRequest<Joined, JoinedAliases> {
        let alias = TableAlias<Other>()
        let joined = try relation.joining(other.relation, kind, key, first: nil, alias: alias.id) {
            try condition(alias)
        }
        let (decode, part) = (decode, part(JoinedPart(key: joined.key)))
        return JoinedRequest<Joined, JoinedAliases>(relation: joined.relation, aliases: aliases(alias)) {
            elements(try decode($0), try part($0))
        }
    }
}

// MARK: Joins of three requests

extension JoinedRequest {
    /// Joins the rows of a third request, on a condition: `JOIN`.
    public func join<E1, E2, A1, A2, Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<A1>, TableAlias<A2>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<(E1, E2, Other), (TableAlias<A1>, TableAlias<A2>, TableAlias<Other>)>
    where Element == (E1, E2), Aliases == (TableAlias<A1>, TableAlias<A2>) {
        try joined(
            to: other, .inner, key, { try condition(aliases.0, aliases.1, $0) }, JoinedElement.required,
            aliases: { (aliases.0, aliases.1, $0) }, elements: { ($0.0, $0.1, $1) })
    }

    /// Joins the rows of a third request, or nil, on a condition: `LEFT JOIN`.
    public func leftJoin<E1, E2, A1, A2, Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<A1>, TableAlias<A2>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<(E1, E2, Other?), (TableAlias<A1>, TableAlias<A2>, TableAlias<Other>)>
    where Element == (E1, E2), Aliases == (TableAlias<A1>, TableAlias<A2>) {
        try joined(
            to: other, .left, key, { try condition(aliases.0, aliases.1, $0) }, JoinedElement.optional,
            aliases: { (aliases.0, aliases.1, $0) }, elements: { ($0.0, $0.1, $1) })
    }

    /// Joins the rows that a table-valued function returns for each row: `JOIN json_each("player"."tags")`.
    public func join<E1, E2, A1, A2, Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil
    ) -> JoinedRequest<(E1, E2, Other), (TableAlias<A1>, TableAlias<A2>, TableAlias<Other>)>
    where Element == (E1, E2), Aliases == (TableAlias<A1>, TableAlias<A2>) {
        joined(
            to: other, .inner, key, { _ in nil }, JoinedElement.required,
            aliases: { (aliases.0, aliases.1, $0) }, elements: { ($0.0, $0.1, $1) })
    }
}

// MARK: Joins of four requests

extension JoinedRequest {
    /// Joins the rows of a fourth request, on a condition: `JOIN`.
    public func join<E1, E2, E3, A1, A2, A3, Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<
        (E1, E2, E3, Other), (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<Other>)
    >
    where Element == (E1, E2, E3), Aliases == (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>) {
        try joined(
            to: other, .inner, key, { try condition(aliases.0, aliases.1, aliases.2, $0) }, JoinedElement.required,
            aliases: { (aliases.0, aliases.1, aliases.2, $0) }, elements: { ($0.0, $0.1, $0.2, $1) })
    }

    /// Joins the rows of a fourth request, or nil, on a condition: `LEFT JOIN`.
    public func leftJoin<E1, E2, E3, A1, A2, A3, Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<Other>) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<
        (E1, E2, E3, Other?), (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<Other>)
    >
    where Element == (E1, E2, E3), Aliases == (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>) {
        try joined(
            to: other, .left, key, { try condition(aliases.0, aliases.1, aliases.2, $0) }, JoinedElement.optional,
            aliases: { (aliases.0, aliases.1, aliases.2, $0) }, elements: { ($0.0, $0.1, $0.2, $1) })
    }

    /// Joins the rows that a table-valued function returns for each row: `JOIN json_each("player"."tags")`.
    public func join<E1, E2, E3, A1, A2, A3, Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil
    ) -> JoinedRequest<(E1, E2, E3, Other), (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<Other>)>
    where Element == (E1, E2, E3), Aliases == (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>) {
        joined(
            to: other, .inner, key, { _ in nil }, JoinedElement.required,
            aliases: { (aliases.0, aliases.1, aliases.2, $0) }, elements: { ($0.0, $0.1, $0.2, $1) })
    }
}

// MARK: Joins of five requests

extension JoinedRequest {
    /// Joins the rows of a fifth request, on a condition: `JOIN`.
    public func join<E1, E2, E3, E4, A1, A2, A3, A4, Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<Other>) throws ->
            any SQLExpressible
    ) rethrows -> JoinedRequest<
        (E1, E2, E3, E4, Other), (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<Other>)
    >
    where Element == (E1, E2, E3, E4), Aliases == (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>) {
        try joined(
            to: other, .inner, key, { try condition(aliases.0, aliases.1, aliases.2, aliases.3, $0) },
            JoinedElement.required,
            aliases: { (aliases.0, aliases.1, aliases.2, aliases.3, $0) }, elements: { ($0.0, $0.1, $0.2, $0.3, $1) })
    }

    /// Joins the rows of a fifth request, or nil, on a condition: `LEFT JOIN`.
    public func leftJoin<E1, E2, E3, E4, A1, A2, A3, A4, Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<Other>) throws ->
            any SQLExpressible
    ) rethrows -> JoinedRequest<
        (E1, E2, E3, E4, Other?), (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<Other>)
    >
    where Element == (E1, E2, E3, E4), Aliases == (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>) {
        try joined(
            to: other, .left, key, { try condition(aliases.0, aliases.1, aliases.2, aliases.3, $0) },
            JoinedElement.optional,
            aliases: { (aliases.0, aliases.1, aliases.2, aliases.3, $0) }, elements: { ($0.0, $0.1, $0.2, $0.3, $1) })
    }

    /// Joins the rows that a table-valued function returns for each row: `JOIN json_each("player"."tags")`.
    public func join<E1, E2, E3, E4, A1, A2, A3, A4, Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil
    ) -> JoinedRequest<
        (E1, E2, E3, E4, Other), (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<Other>)
    >
    where Element == (E1, E2, E3, E4), Aliases == (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>) {
        joined(
            to: other, .inner, key, { _ in nil }, JoinedElement.required,
            aliases: { (aliases.0, aliases.1, aliases.2, aliases.3, $0) }, elements: { ($0.0, $0.1, $0.2, $0.3, $1) })
    }
}

// MARK: Joins of six requests

extension JoinedRequest {
    /// Joins the rows of a sixth request, on a condition: `JOIN`.
    public func join<E1, E2, E3, E4, E5, A1, A2, A3, A4, A5, Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (
            TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<A5>, TableAlias<Other>
        ) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<
        (E1, E2, E3, E4, E5, Other),
        (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<A5>, TableAlias<Other>)
    >
    where
        Element == (E1, E2, E3, E4, E5),
        Aliases == (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<A5>)
    {
        try joined(
            to: other, .inner, key, { try condition(aliases.0, aliases.1, aliases.2, aliases.3, aliases.4, $0) },
            JoinedElement.required,
            aliases: { (aliases.0, aliases.1, aliases.2, aliases.3, aliases.4, $0) },
            elements: { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) })
    }

    /// Joins the rows of a sixth request, or nil, on a condition: `LEFT JOIN`.
    public func leftJoin<E1, E2, E3, E4, E5, A1, A2, A3, A4, A5, Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil,
        on condition: (
            TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<A5>, TableAlias<Other>
        ) throws -> any SQLExpressible
    ) rethrows -> JoinedRequest<
        (E1, E2, E3, E4, E5, Other?),
        (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<A5>, TableAlias<Other>)
    >
    where
        Element == (E1, E2, E3, E4, E5),
        Aliases == (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<A5>)
    {
        try joined(
            to: other, .left, key, { try condition(aliases.0, aliases.1, aliases.2, aliases.3, aliases.4, $0) },
            JoinedElement.optional,
            aliases: { (aliases.0, aliases.1, aliases.2, aliases.3, aliases.4, $0) },
            elements: { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) })
    }

    /// Joins the rows that a table-valued function returns for each row: `JOIN json_each("player"."tags")`.
    public func join<E1, E2, E3, E4, E5, A1, A2, A3, A4, A5, Other>(
        _ other: QueryInterfaceRequest<Other>, key: String? = nil
    ) -> JoinedRequest<
        (E1, E2, E3, E4, E5, Other),
        (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<A5>, TableAlias<Other>)
    >
    where
        Element == (E1, E2, E3, E4, E5),
        Aliases == (TableAlias<A1>, TableAlias<A2>, TableAlias<A3>, TableAlias<A4>, TableAlias<A5>)
    {
        joined(
            to: other, .inner, key, { _ in nil }, JoinedElement.required,
            aliases: { (aliases.0, aliases.1, aliases.2, aliases.3, aliases.4, $0) },
            elements: { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) })
    }
}
