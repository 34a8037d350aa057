// Text functions available on every connection: Swift supports all of Unicode, whereas SQLite's own functions support
// only ASCII. Those of the current locale need all of Foundation: see LocalizedTexts.swift.

package import RowanSQLText
import RowanPlatform

extension DatabaseFunction {
    /// Swift's `capitalized`.
    public static let capitalize = DatabaseFunction(.capitalize) { $0.capitalized }
    /// Swift's `lowercased()`.
    public static let lowercase = DatabaseFunction(.lowercase) { $0.lowercased() }
    /// Swift's `uppercased()`.
    public static let uppercase = DatabaseFunction(.uppercase) { $0.uppercased() }

    package static let builtin: [DatabaseFunction] =
        [.capitalize, .lowercase, .uppercase] + localized

    package convenience init(_ function: BuiltInFunction, _ transform: @escaping @Sendable (String) -> String) {
        self.init(function.rawValue, argumentCount: 1, pure: true, safety: .innocuous) { values in
            String.fromDatabaseValue(values[0]).map(transform)
        }
    }
}

extension SQLSpecificExpressible {
    /// Swift's `capitalized`.
    public var capitalized: SQLExpression { DatabaseFunction.capitalize(self) }
    /// Swift's `lowercased()`.
    public var lowercased: SQLExpression { DatabaseFunction.lowercase(self) }
    /// Swift's `uppercased()`.
    public var uppercased: SQLExpression { DatabaseFunction.uppercase(self) }
}

extension SQLTypedExpressible<String> {
    /// Swift's `lowercased()`.
    public var lowercased: TypedExpression<String> { TypedExpression(sqlExpression.lowercased) }
    /// Swift's `uppercased()`.
    public var uppercased: TypedExpression<String> { TypedExpression(sqlExpression.uppercased) }
}

extension SQLTypedExpressible<String?> {
    /// Swift's `lowercased()`.
    public var lowercased: TypedExpression<String?> { TypedExpression(sqlExpression.lowercased) }
    /// Swift's `uppercased()`.
    public var uppercased: TypedExpression<String?> { TypedExpression(sqlExpression.uppercased) }
}
