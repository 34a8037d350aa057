// The methods that join associations to a request. They are defined only here, for requests and for associations.

extension JoinableRequest {
    /// Includes the associated row of each row, which must exist: `JOIN`.
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

    /// Includes the associated row of each row, if it exists: `LEFT JOIN`.
    public func including<A: Association>(optional association: A) -> Self where A.OriginRowDecoder == RowDecoder {
        _mapRelation { $0.join(association.path, .left, .scope) }
    }

    /// Includes all associated rows of each row, fetched by a separate query.
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

    /// Adds selected columns of the associated row, which must exist, to the columns of each row.
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

    /// Adds selected columns of the associated row, if it exists, to the columns of each row.
    public func annotated<A: Association>(
        withOptional association: A
    ) -> Self where A.OriginRowDecoder == RowDecoder {
        _mapRelation { $0.join(association.path, .left, .columns) }
    }

    /// Keeps only the rows with an associated row, without selecting the associated row.
    ///
    /// ```swift
    /// // SELECT "book".* FROM "book" JOIN "author" ON ("author"."id" = "book"."authorId") AND ("author"."country" = ?)
    /// Book.joining(required: Book.author.filter { $0.country == "France" })
    /// ```
    public func joining<A: Association>(required association: A) -> Self where A.OriginRowDecoder == RowDecoder {
        _mapRelation { $0.join(association.path, .inner, .nothing) }
    }

    /// Joins the associated row, which may not exist, without selecting it: for conditions and orders.
    public func joining<A: Association>(optional association: A) -> Self where A.OriginRowDecoder == RowDecoder {
        _mapRelation { $0.join(association.path, .left, .nothing) }
    }
}
