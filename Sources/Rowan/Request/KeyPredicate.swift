// Filters by primary and unique keys, with the values encoded as the record stores them.

import Foundation

/// Encodes a key value for a column, as the record stores it.
typealias KeyEncoder = @Sendable (any DatabaseValueConvertible, String) -> DatabaseValue

/// A request whose record may encode keys in its own way.
protocol KeyEncoding {
    var keyEncoder: KeyEncoder? { get }
}

/// A value of a key, kept as it is until its column is known. `Sendable` values cross threads as database values;
/// the three types that strategies know are Sendable themselves.
struct KeyValue: Sendable {
    private enum Content: Sendable {
        case value(DatabaseValue)
        case date(Date)
        case data(Data)
        case uuid(UUID)
    }

    private let content: Content

    init(_ value: any DatabaseValueConvertible) {
        content =
            switch value {
            case let date as Date: .date(date)
            case let data as Data: .data(data)
            case let uuid as UUID: .uuid(uuid)
            default: .value(value.databaseValue)
            }
    }

    var value: any DatabaseValueConvertible {
        switch content {
        case .value(let value): value
        case .date(let date): date
        case .data(let data): data
        case .uuid(let uuid): uuid
        }
    }
}

extension DatabaseValueConvertible {
    /// Whether a record may have a strategy for this type.
    static var isStoredByStrategy: Bool {
        self == UUID.self || self == Date.self || self == Data.self || self is any OptionalValue.Type
    }
}

private protocol OptionalValue {}
extension Optional: OptionalValue {}

/// The condition that columns have the values of some key.
struct KeyPredicate {
    let table: String
    let encode: KeyEncoder?

    func expression(_ db: Database, _ keys: [[String: KeyValue?]]) throws -> SQLExpression {
        try .joined(keys.map { try expression(db, $0) }, by: .or)
    }

    private func expression(_ db: Database, _ key: [String: KeyValue?]) throws -> SQLExpression {
        guard !key.isEmpty else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a key of table \(table) has no column")
        }
        // The columns in the order of the key: the same keys give the same SQL.
        guard let columns = try db.uniqueKey(table, of: key.keys) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "table \(table) has no unique key on column(s) \(key.keys.sorted().joined(separator: ", "))")
        }
        let conditions = columns.map { column -> SQLExpression in
            let value = key.first { $0.key.isSameDatabaseName(as: column) }?.value
            let stored = value.map { encode?($0.value, column) ?? $0.value.databaseValue } ?? .null
            return SQLExpression(
                .equal(SQLExpression(.column(column, .current)), SQLExpression(.value(stored)), isNegated: false))
        }
        return .joined(conditions, by: .and)
    }
}
