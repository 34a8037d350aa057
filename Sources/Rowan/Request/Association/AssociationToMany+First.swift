// Associations to one of many rows: the latest message of a chat, the best player of a team.

extension AssociationToMany {
    /// Turns the association into an association to the first of its rows in an order.
    ///
    /// ```swift
    /// struct Chat: TableRecord {
    ///     static let messages = hasMany(Message.self)
    ///     static let latestMessage = messages.first(by: [Column("date").desc]).forKey("latestMessage")
    /// }
    /// // SELECT "chat".*, "message".* FROM "chat" LEFT JOIN "message" ON "message"."id" =
    /// //     (SELECT "id" FROM "message" "message1" WHERE "chatId" = "chat"."id" ORDER BY "date" DESC LIMIT 1)
    /// Chat.including(optional: Chat.latestMessage)
    /// ```
    ///
    /// The result is an ordinary to-one association: it can be included, joined, filtered and nested. Filters before
    /// `first` limit the candidates. Filters after it test the first row. If several rows come first in the order, any
    /// of them is used.
    ///
    /// - Complexity: an index on the foreign key and the order finds each row without a scan.
    public func first(by orderings: [any SQLOrderingTerm]) -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
        first(order: orderings.map(\.sqlOrdering))
    }

    /// Limits the associated rows of each row, with an optional offset, in the order of the association.
    ///
    /// ```swift
    /// // The three best players of each team.
    /// Team.including(all: Team.players.order(\.score.desc).limit(3))
    /// ```
    ///
    /// Use it with `including(all:)`, `request(for:)`, and the aggregates `count` and `isEmpty`. Joining it throws an
    /// error.
    ///
    /// - Complexity: the first rows of each group are searched, which is fast with an index on the foreign key and the
    ///   order.
    public func limit(_ limit: Int, offset: Int? = nil) -> Self {
        _mapRelation { $0.limit = Relation.Limit(count: limit, offset: offset) }
    }

    /// Turns the association into an association to the last of its rows in an order.
    public func last(by orderings: [any SQLOrderingTerm]) -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
        first(order: orderings.map(\.sqlOrdering.reversed))
    }

    private func first(order: [SQLOrdering]) -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
        var population = path
        population.last.relation.orderings = order
        population.last.relation.isReversed = false
        population.last.relation.selection = []
        population.last.relation.prefetches = []
        for index in population.last.relation.joins.indices { population.last.relation.joins[index].excludeAll() }
        let many = path.last.relation
        var relation = Relation(many.source)
        (relation.storage, relation.selection) = (many.storage, many.selection)
        (relation.joins, relation.prefetches) = (many.joins, many.prefetches)
        return HasOneAssociation(
            AssociationPath([
                AssociationStep(key: path.last.key, condition: .first(population), relation: relation)
            ]))
    }
}

extension AssociationToMany where RowDecoder: TableRecord {
    /// The first of the associated rows, by one ordering term: `messages.first(by: \.date.desc)`.
    public func first(
        by ordering: (RowDecoder.DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
        first(by: [try ordering(RowDecoder.databaseComponents)])
    }

    /// The first of the associated rows, by several ordering terms: `files.first { [$0.size.desc, $0.name] }`.
    public func first(
        by orderings: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
        first(by: try orderings(RowDecoder.databaseComponents))
    }

    /// The last of the associated rows, by several ordering terms: `files.last { [$0.size, $0.name] }`.
    public func last(
        by orderings: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
        last(by: try orderings(RowDecoder.databaseComponents))
    }

    /// The last of the associated rows, by one ordering term: `messages.last(by: \.date)`.
    public func last(
        by ordering: (RowDecoder.DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
        last(by: [try ordering(RowDecoder.databaseComponents)])
    }
}
