// The methods that join associations, for record types and tables: one-line forwards.

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
