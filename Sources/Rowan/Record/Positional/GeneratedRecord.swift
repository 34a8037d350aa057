// The protocols that `@Record` adds to a type. A macro must not name protocols of which one implies another: hence two,
// for types that keep the rowid of an insertion and for others.

/// A record type that `@Record` has generated. For generated code only.
public protocol _GeneratedRecord: FetchableRecord, PersistableRecord {}

/// A record type that `@Record` has generated, and that keeps the rowid of its insertion. For generated code only.
public protocol _MutableGeneratedRecord: FetchableRecord, MutablePersistableRecord {}
