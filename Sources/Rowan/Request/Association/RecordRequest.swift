// Requests for the associated records of one record.

extension TableRecord {
    /// A request for the rows that are associated with column values.
    static func request<A: Association>(
        for association: A, values: RecordValues
    ) -> QueryInterfaceRequest<A.RowDecoder> where A.OriginRowDecoder == Self {
        var relation = association.path.last.relation
        relation.link = RecordLink(path: association.path, origin: databaseRelation.source, values: values)
        return QueryInterfaceRequest(relation: relation)
    }
}
