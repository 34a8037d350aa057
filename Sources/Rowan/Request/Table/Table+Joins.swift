// The requests that start from a table and its associations: one-line wrappers of the methods of requests.
// Scripts/starts derives those of record types from this file: TableRecord+Joins.swift.

extension Table {
    /// See ``JoinableRequest/including(required:)``.
    public func including<A: Association>(
        required association: A
    ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
        all().including(required: association)
    }
    /// See ``JoinableRequest/including(optional:)``.
    public func including<A: Association>(
        optional association: A
    ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
        all().including(optional: association)
    }
    /// See ``JoinableRequest/including(all:)``.
    public func including<A: AssociationToMany>(
        all association: A
    ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
        all().including(all: association)
    }
    /// See ``JoinableRequest/annotated(withRequired:)``.
    public func annotated<A: Association>(
        withRequired association: A
    ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
        all().annotated(withRequired: association)
    }
    /// See ``JoinableRequest/annotated(withOptional:)``.
    public func annotated<A: Association>(
        withOptional association: A
    ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
        all().annotated(withOptional: association)
    }
    /// See ``JoinableRequest/joining(required:)``.
    public func joining<A: Association>(
        required association: A
    ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
        all().joining(required: association)
    }
    /// See ``JoinableRequest/joining(optional:)``.
    public func joining<A: Association>(
        optional association: A
    ) -> QueryInterfaceRequest<RowDecoder> where A.OriginRowDecoder == RowDecoder {
        all().joining(optional: association)
    }
}

extension Table {
    /// A request with association aggregates: `Author.annotated(with: Author.books.count)`.
    public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: aggregates)
    }

    /// A request with several association aggregates.
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: aggregates)
    }

    /// A request with a condition on association aggregates: `Author.having(Author.books.count >= 2)`.
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> QueryInterfaceRequest<RowDecoder> {
        all().having(predicate)
    }
}
