// Derived from Table+Joins.swift by Scripts/starts: change that file, and run the script.

extension TableRecord {
    /// See ``JoinableRequest/including(required:)``.
    public static func including<A: Association>(
        required association: A
    ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
        all().including(required: association)
    }
    /// See ``JoinableRequest/including(optional:)``.
    public static func including<A: Association>(
        optional association: A
    ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
        all().including(optional: association)
    }
    /// See ``JoinableRequest/including(all:)``.
    public static func including<A: AssociationToMany>(
        all association: A
    ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
        all().including(all: association)
    }
    /// See ``JoinableRequest/annotated(withRequired:)``.
    public static func annotated<A: Association>(
        withRequired association: A
    ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
        all().annotated(withRequired: association)
    }
    /// See ``JoinableRequest/annotated(withOptional:)``.
    public static func annotated<A: Association>(
        withOptional association: A
    ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
        all().annotated(withOptional: association)
    }
    /// See ``JoinableRequest/joining(required:)``.
    public static func joining<A: Association>(
        required association: A
    ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
        all().joining(required: association)
    }
    /// See ``JoinableRequest/joining(optional:)``.
    public static func joining<A: Association>(
        optional association: A
    ) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
        all().joining(optional: association)
    }
}

extension TableRecord {
    /// A request with association aggregates: `Author.annotated(with: Author.books.count)`.
    public static func annotated(with aggregates: [AssociationAggregate<Self>]) -> QueryInterfaceRequest<Self> {
        all().annotated(with: aggregates)
    }

    /// A request with several association aggregates.
    public static func annotated(with aggregates: AssociationAggregate<Self>...) -> QueryInterfaceRequest<Self> {
        all().annotated(with: aggregates)
    }

    /// A request with a condition on association aggregates: `Author.having(Author.books.count >= 2)`.
    public static func having(_ predicate: AssociationAggregate<Self>) -> QueryInterfaceRequest<Self> {
        all().having(predicate)
    }
}
