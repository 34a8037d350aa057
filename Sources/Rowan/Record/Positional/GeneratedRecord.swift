// The protocols of generated records. Records of other kinds know nothing of them: the requirements that the library asks
// have defaults in FetchableRecord and TableRecord, whose conditional conformances a common base would break.

/// A record type that knows its columns in advance. For generated code only: `@Record` of RowanRecords adds one of the
/// protocols below.
public protocol PositionalRecord: FetchableRecord, MutablePersistableRecord {
    /// The columns of the type, in the order of its properties.
    static var _recordLayout: RecordLayout? { get }
}

extension PositionalRecord {
    /// The columns.
    @inlinable
    public static var _fetchLayout: RecordLayout? { _recordLayout }
    /// The columns.
    @inlinable
    public static var _tableLayout: RecordLayout? { _recordLayout }
}

// A macro must not name protocols of which one implies another: hence two.

/// A generated record type without a key that SQLite chooses. For generated code only.
public protocol _GeneratedRecord: PositionalRecord, PersistableRecord {}

/// A generated record type that keeps the rowid of its insertion. For generated code only.
public protocol _MutableGeneratedRecord: PositionalRecord {}
