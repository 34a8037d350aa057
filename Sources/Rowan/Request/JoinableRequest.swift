// The verbs that join associations to a request. They exist once, for requests and for associations.

extension JoinableRequest {
    /// The request with the associated row of each row, which it must have.
    ///
    /// ```swift
    /// // SELECT "book".*, "author".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
    /// struct BookInfo: Decodable, FetchableRecord {
    ///     var book: Book
    ///     var author: Author
    /// }
    /// Book.including(required: Book.author).asRequest(of: BookInfo.self)
    /// ```
    public func including<A: Association>(required association: A) -> Self where A.OriginRowDecoder == RowDecoder {
        _mapRelation { $0.join(association.path, .inner, .scope) }
    }

    /// The request with the associated row of each row, if it has one: `LEFT JOIN`.
    public func including<A: Association>(optional association: A) -> Self where A.OriginRowDecoder == RowDecoder {
        _mapRelation { $0.join(association.path, .left, .scope) }
    }

    /// The request with all the associated rows of each row, which are fetched by a query of their own.
    ///
    /// ```swift
    /// // SELECT * FROM "author"
    /// // SELECT * FROM "book" WHERE "authorId" IN (SELECT +value FROM json_each(?))
    /// struct AuthorInfo: Decodable, FetchableRecord {
    ///     var author: Author
    ///     var books: [Book]
    /// }
    /// Author.including(all: Author.books).asRequest(of: AuthorInfo.self)
    /// ```
    public func including<A: AssociationToMany>(all association: A) -> Self where A.OriginRowDecoder == RowDecoder {
        _mapRelation { $0.merge(Prefetch(association.path)) }
    }

    /// The request with the selected columns of the associated row, which each row must have, among its own.
    ///
    /// ```swift
    /// // SELECT "book".*, "author"."name" AS "authorName" FROM "book" JOIN "author" ON ...
    /// Book.annotated(withRequired: Book.author.select { $0.name.forKey("authorName") })
    /// ```
    public func annotated<A: Association>(
        withRequired association: A
    ) -> Self where A.OriginRowDecoder == RowDecoder {
        _mapRelation { $0.join(association.path, .inner, .columns) }
    }

    /// The request with the selected columns of the associated row, if there is one, among its own.
    public func annotated<A: Association>(
        withOptional association: A
    ) -> Self where A.OriginRowDecoder == RowDecoder {
        _mapRelation { $0.join(association.path, .left, .columns) }
    }

    /// The rows that have an associated row, which is not selected.
    ///
    /// ```swift
    /// // SELECT "book".* FROM "book" JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."country" = ?
    /// Book.joining(required: Book.author.filter { $0.country == "France" })
    /// ```
    public func joining<A: Association>(required association: A) -> Self where A.OriginRowDecoder == RowDecoder {
        _mapRelation { $0.join(association.path, .inner, .nothing) }
    }

    /// The request with an associated row, which is not selected, and may be missing: for conditions and orders.
    public func joining<A: Association>(optional association: A) -> Self where A.OriginRowDecoder == RowDecoder {
        _mapRelation { $0.join(association.path, .left, .nothing) }
    }
}
