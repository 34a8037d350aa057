// Searches for the nearest vectors as requests, and distances as expressions.
// Source: https://alexgarcia.xyz/sqlite-vec/features/knn.html

extension Column {
    /// The hidden column with the distance of a row of a ``Vec0`` table, in a search for the nearest vectors.
    ///
    /// ```swift
    /// DocumentVector.nearest(to: embedding, k: 10).annotated(with: Column.distance)
    /// ```
    public static let distance = Column("distance")
}

extension TableRequest {
    /// Keeps the rows of a ``Vec0`` table with the nearest vectors, nearest first.
    ///
    /// ```swift
    /// // SELECT *, "distance" FROM "document_vec" WHERE ("embedding" MATCH ?) AND ("k" = ?)
    /// //   AND ((+"distance") IS NOT NULL) AND ("year" >= ?) ORDER BY "distance"
    /// DocumentVector.nearest(to: embedding, k: 10)
    ///     .filter { $0.year >= 2020 }
    ///     .annotated(with: Column.distance)
    /// ```
    ///
    /// Filters on a partition key or on metadata with `==`, `!=`, `<`, `<=`, `>`, `>=`, a range or a list restrict the
    /// rows that are searched, of which `k` are found. So does a list of several primary keys, or a subquery of them,
    /// as in `ids.contains($0.id)`. With a list of partitions, `k` rows in each of them are found. Filters with other
    /// expressions, on joined tables, or on a single primary key apply afterwards and may leave fewer rows. sqlite-vec
    /// rejects filters on auxiliary columns.
    ///
    /// The fetch throws SQLITE_MISUSE if the vector is empty or `k` is not positive, SQLITE_MISMATCH if an element of
    /// the vector is infinite or not a number, and an error of sqlite-vec if the dimension of the vector differs from
    /// that of the column, or if `k` is above 4,096.
    ///
    /// - Parameters:
    ///   - vector: the vector, with the dimension of the column.
    ///   - k: the number of rows to find.
    ///   - column: the column with the vectors; by default, the only one of the table.
    ///
    /// Article: <doc:VectorSearch>.
    ///
    /// Source: <https://alexgarcia.xyz/sqlite-vec/features/knn.html>
    public consuming func nearest(to vector: [Float], k: Int, by column: String? = nil) -> Self {
        let (value, distance) = (FloatVector(vector).sqlExpression, Column.distance.sqlExpression)
        return _mapRelation { relation in
            if let refusal = Self.refusal(of: vector, k) {
                relation.filters.append(.deferred(Deferred { _ in throw refusal }))
            } else if let column {
                relation.filters.append(Column(column).sqlExpression.matches(value))
            } else {
                let source = relation.source
                relation.filters.append(
                    .deferred(Deferred { [try $0.vectorColumn(of: source).sqlExpression.matches(value)] }))
            }
            relation.filters.append(Column("k") == k)
            // sqlite-vec rejects a limit combined with k. SQLite does not pass it the limit if there is a condition
            // that the table can't evaluate. A row without a distance, such as that of a zero vector, is not near.
            relation.filters.append(
                SQLExpression(.equal(SQLExpression(.unary(.plus, distance)), .null, isNegated: true)))
            relation.orderings = [distance.sqlOrdering]
            relation.isReversed = false
        }
    }

    private static func refusal(of vector: [Float], _ k: Int) -> DatabaseError? {
        guard !vector.isEmpty else {
            return DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "no vector is nearest to an empty one: pass a vector with the dimension of the column")
        }
        guard k > 0 else {
            return DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "can't find the \(k) nearest vectors: pass a k of 1 or more")
        }
        return nil
    }
}

extension TableRecord {
    /// A request for the records of a ``Vec0`` table with the nearest vectors, nearest first: see
    /// ``TableRequest/nearest(to:k:by:)``.
    public static func nearest(to vector: [Float], k: Int, by column: String? = nil) -> QueryInterfaceRequest<Self> {
        all().nearest(to: vector, k: k, by: column)
    }
}

extension Table {
    /// A request for the rows of a ``Vec0`` table with the nearest vectors, nearest first: see
    /// ``TableRequest/nearest(to:k:by:)``.
    public func nearest(to vector: [Float], k: Int, by column: String? = nil) -> QueryInterfaceRequest<RowDecoder> {
        all().nearest(to: vector, k: k, by: column)
    }
}

extension SQLExpression {
    fileprivate func matches(_ value: SQLExpression) -> SQLExpression { SQLExpression(.binary(.match, self, value)) }
}

extension SchemaReader {
    /// The only vector of a table.
    fileprivate func vectorColumn(of source: Source) throws -> Column {
        guard case .table(let table) = source, let db = self as? Database else { throw RequestError.noTable }
        let columns = try db.vectorColumns(of: table)
        guard let column = columns.first else {
            throw DatabaseError(
                message: "\(table.name) has no vectors: search in a table of the module vec0, or name the column with "
                    + "nearest(to:k:by:)")
        }
        guard columns.count == 1 else {
            throw DatabaseError(
                message: "\(table.name) has several vectors: choose one of \(columns.joined(separator: ", ")) with "
                    + "nearest(to:k:by:)")
        }
        return Column(column)
    }
}

extension Database {
    /// The names of the vectors of a vec0 table, in definition order; empty for another table.
    fileprivate func vectorColumns(of table: TableName) throws -> [String] {
        // Without a schema, a temporary table is found first.
        for schema in table.schema.map({ [$0] }) ?? ["temp", "main"] {
            let list = "\(schema.quotedDatabaseIdentifier).\(DatabaseSchemaID(name: schema).schemaTableName)"
            let sql = "SELECT sql FROM \(list) WHERE type = 'table' AND name = ? COLLATE NOCASE"
            if let definition = try Row.rows(connection, sql, [table.name]).first {
                return vectorNames(inDefinition: definition[0])
            }
        }
        return []
    }
}

/// The names of the vectors in `CREATE VIRTUAL TABLE ... USING vec0(name float[384] ..., ...)`.
private func vectorNames(inDefinition sql: String) -> [String] {
    let tokens = SQLTokens(sql).tokens
    guard let using = tokens.firstIndex(of: .word("using")), using + 2 < tokens.count,
        tokens[using + 1] == .word("vec0")
    else { return [] }
    return tokens[(using + 3)...].split(separator: .symbol(",")).compactMap { argument in
        // The size is a word because brackets quote one. Other columns have a keyword in its place, or nothing.
        guard case .word(let name)? = argument.first, case .word(let type)? = argument.dropFirst().first,
            case .word(let size)? = argument.dropFirst(2).first, Int(size) != nil
        else { return nil }
        return ["float", "f32", "int8", "i8", "bit"].contains(type) ? name : nil
    }
}
