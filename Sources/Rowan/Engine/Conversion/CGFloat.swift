// Core Graphics numbers, which are stored as doubles.

#if FullFoundation
public import Foundation

extension CGFloat: DatabaseValueConvertible, StatementColumnConvertible {
    /// The number as a double.
    public var databaseValue: DatabaseValue { Double(self).databaseValue }

    /// The number from an integer or a double; nil for any other value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> CGFloat? {
        Double.fromDatabaseValue(dbValue).map { CGFloat($0) }
    }

    /// The number from the column.
    public static func fromColumn(_ column: ColumnValue) -> CGFloat? { column.double.map { CGFloat($0) } }
}
#endif
