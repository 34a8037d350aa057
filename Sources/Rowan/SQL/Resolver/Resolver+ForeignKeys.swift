// Resolves foreign keys from the schema to the columns that link the rows of two tables.

extension Resolver {
    func columns(
        of link: ForeignKeyLink, from origin: Source, to destination: Source
    ) throws -> [ColumnPair] {
        switch link.holder {
        case .origin: try enforced(columns(of: link, holder: origin, referred: destination), origin, destination)
        case .destination:
            try enforced(columns(of: link, holder: destination, referred: origin), destination, origin)
                .map(\.reversed)
        }
    }

    /// The pairs, compared as SQLite enforces the foreign key.
    private func enforced(_ pairs: [ColumnPair], _ holder: Source, _ referred: Source) throws -> [ColumnPair] {
        guard let holder = holder.keyTable, let referred = referred.keyTable else { return pairs }
        return try schema.enforced(pairs, from: holder, to: referred)
    }

    /// The pairs of a foreign key: the columns of its table and the columns they refer to.
    private func columns(of link: ForeignKeyLink, holder: Source, referred: Source) throws -> [ColumnPair] {
        if let columns = link.columns, let referredColumns = link.referredColumns {
            return try pairs(holder.name, columns, referredColumns)
        }
        guard let origin = holder.keyTable, let destination = referred.keyTable else {
            throw RequestError.noForeignKey(origin: holder.name, destination: referred.name, columns: link.columns)
        }
        var candidates = try schema.foreignKeys(from: origin, to: destination)
        if let columns = link.columns {
            let wanted = Set(columns.map(\.foldedDatabaseName))
            candidates = candidates.filter { Set($0.map(\.origin.foldedDatabaseName)) == wanted }
            if let known = candidates.first { return known }
            return try pairs(holder.name, columns, schema.primaryKeyColumns(ofTable: destination))
        }
        // A schema may declare the same foreign key twice.
        let distinct = candidates.reduce(into: [[ColumnPair]]()) { if !$0.contains($1) { $0.append($1) } }
        guard let only = distinct.first else {
            throw RequestError.noForeignKey(origin: origin.name, destination: destination.name, columns: nil)
        }
        guard distinct.count == 1 else {
            throw RequestError.ambiguousForeignKey(
                origin: origin.name, destination: destination.name,
                candidates: distinct.reversed().map { $0.map(\.origin) })
        }
        return only
    }

    private func pairs(_ table: String, _ columns: [String], _ referred: [String]) throws -> [ColumnPair] {
        guard columns.count == referred.count, !columns.isEmpty else {
            throw RequestError.columnCount(table: table, columns: columns, referred: referred)
        }
        return zip(columns, referred).map { ColumnPair(origin: $0, destination: $1) }
    }
}
