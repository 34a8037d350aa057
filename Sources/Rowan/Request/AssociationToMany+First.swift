// One row of many, as an association of its own: the latest message of a chat, the best player of a team.

extension AssociationToMany {
    /// The association to the first of the associated rows, in an order.
    ///
    /// ```swift
    /// struct Chat: TableRecord {
    ///     static let messages = hasMany(Message.self)
    ///     static let latestMessage = messages.first(by: [Column("date").desc]).forKey("latestMessage")
    /// }
    /// // SELECT "chat".*, "message".* FROM "chat" LEFT JOIN "message" ON "message"."id" =
    /// //     (SELECT "id" FROM "message" AS "message1" WHERE "chatId" = "chat"."id" ORDER BY "date" DESC LIMIT 1)
    /// Chat.including(optional: Chat.latestMessage)
    /// ```
    ///
    /// It is an association to one row as any other: it can be included, joined, filtered, and nested. Filters before
    /// `first` choose among which rows it is the first, filters after it test the first one. Where the order leaves
    /// several rows, any of them is the first.
    ///
    /// - Complexity: an index on the foreign key and the order finds each row without a scan.
    public func first(by orderings: [any SQLOrderingTerm]) -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
        first(order: orderings.map(\.sqlOrdering))
    }

    /// The association to at most `limit` associated rows of each row, from an offset, in its order.
    ///
    /// ```swift
    /// // The three best players of each team.
    /// Team.including(all: Team.players.order(\.score.desc).limit(3))
    /// ```
    ///
    /// It serves `including(all:)`, `request(for:)`, and the aggregates `count` and `isEmpty`: joining it throws.
    ///
    /// - Complexity: each associated row looks for the first ones of its group, which an index on the foreign key and
    ///   the order makes quick.
    public func limit(_ limit: Int, offset: Int? = nil) -> Self {
        _mapRelation { $0.limit = Relation.Limit(count: limit, offset: offset) }
    }

    /// The association to the last of the associated rows, in an order.
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
    /// The association to the first of the associated rows: `messages.first(by: \.date.desc)`.
    public func first(
        by ordering: (RowDecoder.DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
        first(by: [try ordering(RowDecoder.databaseComponents)])
    }

    /// The association to the first of the associated rows: `files.first { [$0.size.desc, $0.name] }`.
    public func first(
        by orderings: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
        first(by: try orderings(RowDecoder.databaseComponents))
    }

    /// The association to the last of the associated rows: `files.last { [$0.size, $0.name] }`.
    public func last(
        by orderings: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
        last(by: try orderings(RowDecoder.databaseComponents))
    }

    /// The association to the last of the associated rows: `messages.last(by: \.date)`.
    public func last(
        by ordering: (RowDecoder.DatabaseComponents) throws -> any SQLOrderingTerm
    ) rethrows -> HasOneAssociation<OriginRowDecoder, RowDecoder> {
        last(by: [try ordering(RowDecoder.databaseComponents)])
    }
}
