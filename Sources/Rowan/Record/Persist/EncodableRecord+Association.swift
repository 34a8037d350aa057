// The associated records of one record.

extension TableRecord where Self: EncodableRecord {
    /// A request for the associated records of this record.
    ///
    /// ```swift
    /// struct Author: TableRecord, EncodableRecord {
    ///     static let books = hasMany(Book.self)
    ///     // SELECT * FROM "book" WHERE "authorId" = ?
    ///     var books: QueryInterfaceRequest<Book> { request(for: Author.books) }
    /// }
    /// let novels = try author.books.filter { $0.kind == "novel" }.fetchAll(db)
    /// ```
    ///
    /// - Note: the fetch throws an error if the record can't be encoded or does not store the columns of the
    ///   association.
    public func request<A: Association>(
        for association: A
    ) -> QueryInterfaceRequest<A.RowDecoder> where A.OriginRowDecoder == Self {
        Self.request(for: association, values: RecordValues(Result { try databaseDictionary }))
    }
}
