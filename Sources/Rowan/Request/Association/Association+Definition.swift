// The definitions of associations: for record types, for tables without a record type, and for common table
// expressions.

extension TableRecord {
    /// Defines the association to the record that this record refers to.
    ///
    /// ```swift
    /// struct Book: TableRecord {
    ///     static let author = belongsTo(Author.self)
    /// }
    /// ```
    ///
    /// - Parameter destination: the type of the associated record.
    /// - Parameter key: the key of the associated row; by default, the name of its table.
    /// - Parameter foreignKey: the foreign key of this record; by default, the only foreign key to the other table.
    public static func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .origin, to: Destination.databaseRelation, key: key))
    }

    /// Defines the association to the row that this record refers to, in a table without a record type.
    public static func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .origin, to: destination.relation, key: key))
    }

    /// Defines the association to the records that refer to this record.
    ///
    /// ```swift
    /// struct Author: TableRecord {
    ///     static let books = hasMany(Book.self)
    /// }
    /// ```
    ///
    /// - Parameter destination: the type of the associated records.
    /// - Parameter key: the key of the associated rows; by default, the plural of the name of their table.
    /// - Parameter foreignKey: the foreign key of the other record; by default, its only foreign key to this table.
    public static func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, to: Destination.databaseRelation, key: key))
    }

    /// Defines the association to the rows that refer to this record, in a table without a record type.
    public static func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, to: destination.relation, key: key))
    }

    /// Defines the association to the single record that refers to this record.
    public static func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, isToOne: true, to: Destination.databaseRelation, key: key))
    }

    /// Defines the association to the single row that refers to this record, in a table without a record type.
    public static func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, isToOne: true, to: destination.relation, key: key))
    }

    /// Defines the association to many records through other records.
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

    /// Defines the association to one record through other records.
    public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        .init(pivot.path.followed(by: target.path, key: key.map { AssociationKey($0, .one) }))
    }

    /// Defines the association to a common table expression, on a condition.
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

    /// Defines the association to all rows of a common table expression, without a condition.
    public static func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<Self, Destination> {
        .init(to: cte.relation)
    }

    /// Defines the association to another record type, on a condition.
    public static func association<Destination: TableRecord>(
        to destination: Destination.Type, key: String? = nil,
        on condition: @escaping @Sendable (TableAlias<Self>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        .init(on: condition, to: Destination.databaseRelation, key: key)
    }
}

extension Table {
    /// Defines the association from a row to the record that it refers to.
    public func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .origin, to: Destination.databaseRelation, key: key))
    }

    /// Defines the association from a row to the row that it refers to, in a table without a record type.
    public func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .origin, to: destination.relation, key: key))
    }

    /// Defines the association from a row to the records that refer to it.
    public func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, to: Destination.databaseRelation, key: key))
    }

    /// Defines the association from a row to the rows that refer to it, in a table without a record type.
    public func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, to: destination.relation, key: key))
    }

    /// Defines the association from a row to the single record that refers to it.
    public func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, isToOne: true, to: Destination.databaseRelation, key: key))
    }

    /// Defines the association from a row to the single row that refers to it, in a table without a record type.
    public func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        .init(.foreignKey(foreignKey, heldBy: .destination, isToOne: true, to: destination.relation, key: key))
    }

    /// Defines the association from a row to many rows through other rows.
    public func hasMany<Pivot: Association, Target: Association>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        .init(pivot.path.followed(by: target.path, key: key.map { AssociationKey($0, .many) }))
    }

    /// Defines the association from a row to one row through other rows.
    public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        .init(pivot.path.followed(by: target.path, key: key.map { AssociationKey($0, .one) }))
    }

    /// Defines the association to a common table expression, on a condition.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(on: condition, to: cte.relation)
    }

    /// Defines the association to all rows of a common table expression, without a condition.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(to: cte.relation)
    }

    var relation: Relation { all().relation }
}

extension CommonTableExpression {
    /// Defines the association to another common table expression, on a condition.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(on: condition, to: cte.relation)
    }

    /// Defines the association to all rows of another common table expression, without a condition.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(to: cte.relation)
    }

    /// Defines the association to a record type, on a condition.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(on: condition, to: Destination.databaseRelation)
    }

    /// Defines the association to all rows of a record type, without a condition.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(to: Destination.databaseRelation)
    }

    /// Defines the association to a table, on a condition.
    public func association<Destination>(
        to destination: Table<Destination>,
        on condition: @escaping @Sendable (TableAlias<RowDecoder>, TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        .init(on: condition, to: destination.relation)
    }

    /// Defines the association to all rows of a table, without a condition.
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
        // The key of a common table is its unchanged name.
        let step = AssociationStep(
            key: .fixed(key ?? relation.source.name), condition: condition, relation: relation)
        self.init(AssociationPath([step]))
    }
}
