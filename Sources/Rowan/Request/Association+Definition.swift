// How associations are defined: on record types, on tables without record type, on common table expressions.

extension TableRecord {
    /// The association to the record that this one refers to.
    ///
    /// ```swift
    /// struct Book: TableRecord {
    ///     static let author = belongsTo(Author.self)
    /// }
    /// ```
    ///
    /// - Parameter key: the name in the fetched rows; the name of the table by default.
    /// - Parameter foreignKey: the columns of this record; those of the only foreign key by default.
    public static func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .origin, to: Destination.databaseRelation, key: key))
    }

    /// The association to a row of a table that this record refers to.
    public static func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .origin, to: destination.relation, key: key))
    }

    /// The association to the records that refer to this one.
    ///
    /// ```swift
    /// struct Author: TableRecord {
    ///     static let books = hasMany(Book.self)
    /// }
    /// ```
    ///
    /// - Parameter key: the name in the fetched rows; the plural of the name of the table by default.
    /// - Parameter foreignKey: the columns of the other record; those of the only foreign key by default.
    public static func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, to: Destination.databaseRelation, key: key))
    }

    /// The association to the rows of a table that refer to this record.
    public static func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, to: destination.relation, key: key))
    }

    /// The association to the one record that refers to this one.
    public static func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, isToOne: true, to: Destination.databaseRelation, key: key))
    }

    /// The association to the one row of a table that refers to this record.
    public static func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, isToOne: true, to: destination.relation, key: key))
    }

    /// The association to many records through others.
    ///
    /// ```swift
    /// struct Country: TableRecord {
    ///     static let passports = hasMany(Passport.self)
    ///     static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
    /// }
    /// ```
    public static func hasMany<Pivot: Association, Target: Association>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        .init(pivot.path.followed(by: target.path, key: key.map { AssociationKey($0, .many) }))
    }

    /// The association to one record through others.
    public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        .init(pivot.path.followed(by: target.path, key: key.map { AssociationKey($0, .one) }))
    }

    /// The association to a common table expression, on a condition.
    ///
    /// ```swift
    /// // ... JOIN "latest" ON "chat"."id" = "latest"."chatId"
    /// let latest = Chat.association(to: latestMessages, on: { chat, latest in chat.id == latest.chatId })
    /// ```
    public static func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (TableAlias<Self>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        .init(on: condition, to: cte.relation)
    }

    /// The association to a common table expression, without condition: to all its rows.
    public static func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<Self, Destination> {
        .init(to: cte.relation)
    }

    /// The association to another record type, on a condition.
    public static func association<Destination: TableRecord>(
        to destination: Destination.Type, key: String? = nil,
        on condition: @escaping @Sendable (TableAlias<Self>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        .init(on: condition, to: Destination.databaseRelation, key: key)
    }
}

extension Table {
    /// The association to the record that a row refers to.
    public func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .origin, to: Destination.databaseRelation, key: key))
    }

    /// The association to the row that a row refers to.
    public func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .origin, to: destination.relation, key: key))
    }

    /// The association to the records that refer to a row.
    public func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, to: Destination.databaseRelation, key: key))
    }

    /// The association to the rows that refer to a row.
    public func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, to: destination.relation, key: key))
    }

    /// The association to the one record that refers to a row.
    public func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, isToOne: true, to: Destination.databaseRelation, key: key))
    }

    /// The association to the one row that refers to a row.
    public func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, isToOne: true, to: destination.relation, key: key))
    }

    /// The association to many rows through others.
    public func hasMany<Pivot: Association, Target: Association>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        .init(pivot.path.followed(by: target.path, key: key.map { AssociationKey($0, .many) }))
    }

    /// The association to one row through others.
    public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        .init(pivot.path.followed(by: target.path, key: key.map { AssociationKey($0, .one) }))
    }

    /// The association to a common table expression, on a condition.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(on: condition, to: cte.relation)
    }

    /// The association to a common table expression, without condition: to all its rows.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(to: cte.relation)
    }

    var relation: Relation { all().relation }
}

extension CommonTableExpression {
    /// The association to another common table expression, on a condition.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(on: condition, to: cte.relation)
    }

    /// The association to another common table expression, without condition: to all its rows.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(to: cte.relation)
    }

    /// The association to a record type, on a condition.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(on: condition, to: Destination.databaseRelation)
    }

    /// The association to a record type, without condition: to all its rows.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(to: Destination.databaseRelation)
    }

    /// The association to a table, on a condition.
    public func association<Destination>(
        to destination: Table<Destination>,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(on: condition, to: destination.relation)
    }

    /// The association to a table, without condition: to all its rows.
    public func association<Destination>(
        to destination: Table<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(to: destination.relation)
    }

    var relation: Relation { all().relation }
}

extension JoinAssociation {
    init(
        on condition: (TableAlias<Origin>, TableAlias<Destination>) -> any SQLExpressible, to relation: Relation,
        key: String? = nil
    ) {
        let (origin, destination) = (TableAlias<Origin>(), TableAlias<Destination>())
        let expression = condition(origin, destination).sqlExpression
        self.init(
            .expression(expression, origin: origin.id, destination: destination.id), relation, key: key)
    }

    init(to relation: Relation) { self.init(.always, relation, key: nil) }

    private init(_ condition: JoinCondition, _ relation: Relation, key: String?) {
        // The key of a common table is its name, as it is.
        let step = AssociationStep(
            key: .fixed(key ?? relation.source.name), condition: condition, relation: relation)
        self.init(AssociationPath([step]))
    }
}
