// Distances as expressions, for searches in tables of any kind.
// Source: https://alexgarcia.xyz/sqlite-vec/api-reference.html#distance-functions

/// `vec_distance_cosine(a, b)`: 1 minus the cosine of the angle between two vectors. It is a function of sqlite-vec.
///
/// ```swift
/// // SELECT * FROM "document" ORDER BY vec_distance_cosine("embedding", ?) LIMIT 10
/// Document.order { vecDistanceCosine($0.embedding, FloatVector(embedding)) }.limit(10)
/// ```
///
/// It reads each vector of the table, so a ``Vec0`` table is faster with many vectors. SQLite throws an error if the
/// vectors have different dimensions.
///
/// Article: <doc:VectorSearch>.
///
/// Source: <https://alexgarcia.xyz/sqlite-vec/api-reference.html#vec_distance_cosine>
public func vecDistanceCosine(_ a: some SQLExpressible, _ b: some SQLExpressible) -> SQLExpression {
    SQLExpression(.function(.init("vec_distance_cosine", [a.sqlExpression, b.sqlExpression])))
}

/// `vec_distance_L2(a, b)`: the Euclidean distance between two vectors. It is a function of sqlite-vec: see
/// ``vecDistanceCosine(_:_:)``.
public func vecDistanceL2(_ a: some SQLExpressible, _ b: some SQLExpressible) -> SQLExpression {
    SQLExpression(.function(.init("vec_distance_L2", [a.sqlExpression, b.sqlExpression])))
}

/// `vec_distance_L1(a, b)`: the sum of the absolute differences between two vectors. It is a function of sqlite-vec:
/// see ``vecDistanceCosine(_:_:)``.
public func vecDistanceL1(_ a: some SQLExpressible, _ b: some SQLExpressible) -> SQLExpression {
    SQLExpression(.function(.init("vec_distance_L1", [a.sqlExpression, b.sqlExpression])))
}
