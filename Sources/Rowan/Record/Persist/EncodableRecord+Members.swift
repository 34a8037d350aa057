// Many-to-many writes: the members of an association through a pivot are rows of the pivot table.

extension TableRecord where Self: EncodableRecord {
    /// Adds members to an association through a pivot. Existing members are unchanged.
    ///
    /// ```swift
    /// struct Team: TableRecord, EncodableRecord {
    ///     static let roles = hasMany(Role.self)
    ///     static let players = hasMany(Player.self, through: roles, using: Role.player)
    /// }
    /// // INSERT INTO "role" ("teamId", "playerId", "position") SELECT ?, ?, ? WHERE NOT EXISTS (...)
    /// try team.add(db, [arthur, barbara], to: Team.players, pivot: [Column("position").set(to: 1)])
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection that can write.
    ///   - members: the records to add, which must already be inserted.
    ///   - association: the association between this record and its members.
    ///   - assignments: the values of the other pivot columns.
    /// - Returns: the number of added members.
    /// - Throws: a ``DatabaseError``, in which case nothing is added; its code is SQLITE_MISUSE unless the association
    ///   has exactly one pivot, with foreign keys to both sides.
    @discardableResult
    public func add<Member: TableRecord & EncodableRecord>(
        _ db: Database, _ members: some Sequence<Member>, to association: HasManyThroughAssociation<Self, Member>,
        pivot assignments: [ColumnAssignment] = []
    ) throws -> Int {
        let pivot = try PivotTable(db, association.path, of: self)
        var count = 0
        try db.inSavepoint {
            for member in members { count += try pivot.add(db, member, assignments) ? 1 : 0 }
            return .commit
        }
        return count
    }

    /// Removes members from an association through a pivot: deletes their pivot rows.
    ///
    /// ```swift
    /// // DELETE FROM "role" WHERE ("teamId" = ?) AND ("playerId" IN (?, ?))
    /// try team.remove(db, [arthur, barbara], from: Team.players)
    /// ```
    ///
    /// - Returns: the number of deleted pivot rows.
    /// - Throws: a ``DatabaseError``, in which case nothing is removed.
    @discardableResult
    public func remove<Member: TableRecord & EncodableRecord>(
        _ db: Database, _ members: some Sequence<Member>, from association: HasManyThroughAssociation<Self, Member>
    ) throws -> Int {
        try PivotTable(db, association.path, of: self).remove(db, members, isNegated: false)
    }

    /// Replaces the members of an association through a pivot: removes all other members and adds the missing ones.
    ///
    /// ```swift
    /// try team.set(db, [craig], in: Team.players)
    /// ```
    ///
    /// - Parameters:
    ///   - db: a connection that can write.
    ///   - members: the records that stay or become members, which must already be inserted.
    ///   - association: the association between this record and its members.
    ///   - assignments: the values of the other columns of new pivot rows.
    /// - Throws: a ``DatabaseError``, in which case nothing is changed.
    public func set<Member: TableRecord & EncodableRecord>(
        _ db: Database, _ members: some Sequence<Member>, in association: HasManyThroughAssociation<Self, Member>,
        pivot assignments: [ColumnAssignment] = []
    ) throws {
        let pivot = try PivotTable(db, association.path, of: self)
        let members = Array(members)
        try db.inSavepoint {
            try pivot.remove(db, members, isNegated: true)
            for member in members { _ = try pivot.add(db, member, assignments) }
            return .commit
        }
    }
}

/// The pivot rows of one record.
private struct PivotTable {
    /// The pivot rows: their table and the filters of the association.
    let relation: Relation
    /// The columns of the record and the pivot columns that refer to them.
    let originColumns: [ColumnPair]
    let originValues: [DatabaseValue]
    /// The columns of members and the pivot columns that refer to them.
    let memberColumns: [ColumnPair]

    init<Record: TableRecord & EncodableRecord>(_ db: Database, _ path: AssociationPath, of record: Record) throws {
        let resolver = Resolver(db)
        let origin = Record.databaseRelation.storedSource
        guard path.steps.count == 2,
            case .columns(let toOrigin) = try resolver.condition(
                path.steps[0].condition, from: origin, to: path.steps[0].relation.storedSource),
            case .columns(let toMember) = try resolver.condition(
                path.steps[1].condition, from: path.steps[0].relation.storedSource,
                to: path.steps[1].relation.storedSource),
            case .foreignKey(let first) = path.steps[0].condition, first.holder == .destination,
            case .foreignKey(let second) = path.steps[1].condition, second.holder == .origin
        else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "can't write the members of \"\(path.last.key.many)\": the association needs one pivot table, "
                    + "with foreign keys to both sides")
        }
        relation = path.steps[0].relation
        originColumns = toOrigin
        originValues = try Self.values(of: record, toOrigin)
        memberColumns = toMember.map(\.reversed)
    }

    private static func values<Record: TableRecord & EncodableRecord>(
        of record: Record, _ columns: [ColumnPair]
    ) throws -> [DatabaseValue] {
        let container = try PersistenceContainer(record)
        return try columns.map(\.origin).map { column in
            guard let value = container.value(forColumn: column), !value.isNull else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "\(Record.databaseTableName).\(column) is not set: insert the record first")
            }
            return value
        }
    }

    func add<Member: TableRecord & EncodableRecord>(
        _ db: Database, _ member: Member, _ assignments: [ColumnAssignment]
    ) throws -> Bool {
        let columns = originColumns + memberColumns
        let values = try originValues + Self.values(of: member, memberColumns)
        var terms = Resolver(db, aggregates: .correlated).terms(of: relation)
        let others = try assignments.filter { $0.value != nil }.map { try terms.assignment($0) }
        var known = Relation(relation.source)
        known.selection = [SQLSelection(.literal(SQL(sql: "1")))]
        known.filters = columns.destination(in: .current, is: values)
        try db.execute { renderer in
            renderer.write("INSERT INTO ")
            renderer.write(relation.source, as: relation.source.name)
            renderer.write(" (")
            renderer.write(list: columns.map(\.destination) + others.map(\.column)) { $0.write(identifier: $1) }
            renderer.write(") SELECT ")
            renderer.write(list: values.map { SQLExpression(.value($0)) } + others.map { $0.value! }) { $0.write($1) }
            renderer.write(" WHERE ")
            renderer.write(SQLExpression(.exists(SQLSubquery(.relation(known)), isNegated: true)))
        }
        return db.changesCount > 0
    }

    @discardableResult
    func remove<Member: TableRecord & EncodableRecord>(
        _ db: Database, _ members: some Sequence<Member>, isNegated: Bool
    ) throws -> Int {
        let keys = try members.map { try Self.values(of: $0, memberColumns) }
        var pivots = relation
        pivots.filters += originColumns.destination(in: .current, is: originValues)
        let isMember = memberColumns.destination(in: .current, isOneOf: keys)
        pivots.filters.append(isNegated ? isMember.negated : isMember)
        return try QueryInterfaceRequest<Row>(relation: pivots).deleteAll(db)
    }
}
