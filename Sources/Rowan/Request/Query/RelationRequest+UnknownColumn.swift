// Key paths with mistakes: see UnknownColumn.

extension SelectionRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public consuming func select(_ selection: KeyPath<UnknownColumn, UnknownColumn>) -> Self { fatalError() }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public consuming func annotated(with selection: KeyPath<UnknownColumn, UnknownColumn>) -> Self { fatalError() }
}

extension FilteredRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public consuming func filter(_ predicate: KeyPath<UnknownColumn, UnknownColumn>) -> Self { fatalError() }
}

extension AggregatingRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public consuming func group(_ expression: KeyPath<UnknownColumn, UnknownColumn>) -> Self { fatalError() }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public consuming func having(_ predicate: KeyPath<UnknownColumn, UnknownColumn>) -> Self { fatalError() }
}

extension OrderedRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public consuming func order(_ ordering: KeyPath<UnknownColumn, UnknownColumn>) -> Self { fatalError() }
}

extension CompoundRequest where RowDecoder: TableRecord {
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public func order(_ ordering: KeyPath<UnknownColumn, UnknownColumn>) -> Self { fatalError() }
}

extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public func select<T>(
        _ selection: KeyPath<UnknownColumn, UnknownColumn>, as type: T.Type
    ) -> QueryInterfaceRequest<T> { fatalError() }
}

extension AssociationToMany where RowDecoder: TableRecord {
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public func average(_ expression: KeyPath<UnknownColumn, UnknownColumn>) -> AssociationAggregate<OriginRowDecoder> {
        fatalError()
    }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public func max(_ expression: KeyPath<UnknownColumn, UnknownColumn>) -> AssociationAggregate<OriginRowDecoder> {
        fatalError()
    }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public func min(_ expression: KeyPath<UnknownColumn, UnknownColumn>) -> AssociationAggregate<OriginRowDecoder> {
        fatalError()
    }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public func sum(_ expression: KeyPath<UnknownColumn, UnknownColumn>) -> AssociationAggregate<OriginRowDecoder> {
        fatalError()
    }
    /// Not available: the key path has a mistake.
    @available(*, unavailable, message: "the record type has no such column or term: check the names in the key path")
    public func total(_ expression: KeyPath<UnknownColumn, UnknownColumn>) -> AssociationAggregate<OriginRowDecoder> {
        fatalError()
    }
}
