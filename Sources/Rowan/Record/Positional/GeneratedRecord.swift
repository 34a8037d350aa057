// The protocols of generated records. Records of other kinds don't use them: the requirements that the library uses
// have defaults in FetchableRecord and TableRecord, whose conditional conformances a common base would break.

/// A record type whose columns are known in advance. For generated code only: `@Record` of RowanRecords adds it.
public protocol PositionalRecord: FetchableRecord, MutablePersistableRecord {
    /// The columns of the type, in the order of its properties.
    static var _recordLayout: RecordLayout { get }
    /// The properties, in column order. `checkSchema` uses their types.
    static var _properties: [AnyKeyPath] { get }
}

extension PositionalRecord {
    /// By default, the columns in the order of the properties.
    public static var databaseSelection: [any SQLSelectable] { _recordLayout.selection }

    /// The columns.
    @inlinable
    public static var _fetchLayout: RecordLayout? { _recordLayout }
    /// The columns.
    @inlinable
    public static var _tableLayout: RecordLayout? { _recordLayout }
}
