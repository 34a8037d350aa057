// What a write does: an operation on the records of a type. With the columns of a record, it determines a statement.

/// An operation on one record.
@usableFromInline
enum WriteOperation: Hashable {
    /// An insertion, with the conflict resolution given by the program.
    case insert(Database.ConflictResolution?)
    /// An upsert, with its ON CONFLICT clause; nil for the one of `upsert(_:)`.
    case upsert(Upsert?)
    /// An update of some columns, or of all columns of the record.
    case update(Database.ConflictResolution?, ChangedColumns?)
    case delete
    case exists

    /// Distinguishes the operations, apart from the columns of an update and the clause of an upsert.
    @inlinable @inline(__always)
    var code: UInt8 {
        switch self {
        case .insert(let resolution): resolution?.code ?? 5
        case .update(let resolution, _): 8 + (resolution?.code ?? 5)
        case .upsert: 16
        case .delete: 17
        case .exists: 18
        }
    }

    @inlinable @inline(__always)
    var columns: ChangedColumns? {
        if case .update(_, let columns) = self { columns } else { nil }
    }

    /// The callbacks of a record.
    var callbacks: RecordCallbacks {
        switch self {
        case .insert, .upsert: .insertion
        case .update: .update
        case .delete, .exists: []
        }
    }
}

/// A write of the records of a type.
@usableFromInline
struct WriteRequest {
    @usableFromInline var record: any MutablePersistableRecord.Type
    let operation: WriteOperation
    let returning: [any SQLSelectable]

    @usableFromInline
    init(
        _ record: any MutablePersistableRecord.Type, _ operation: WriteOperation,
        returning: [any SQLSelectable] = []
    ) {
        self.record = record
        self.operation = operation
        self.returning = returning
    }

    /// Whether the statement depends only on the type, the operation, and the columns of the record.
    var isKept: Bool {
        if case .upsert(.some) = operation { return false }
        return returning.isEmpty
    }

    var isUpsert: Bool {
        if case .upsert = operation { return true }
        return false
    }

    var conflictResolution: Database.ConflictResolution {
        let policy = record.persistenceConflictPolicy
        return switch operation {
        case .insert(let resolution): resolution ?? policy.conflictResolutionForInsert
        case .update(let resolution, _): resolution ?? policy.conflictResolutionForUpdate
        case .upsert, .delete, .exists: .abort
        }
    }

    /// Whether a generated record keeps the rowid of an insertion: its optional key may be another column.
    func keepsRowID(_ db: Database) throws -> Bool {
        guard let layout = record._tableLayout, layout.keepsRowID else { return false }
        return layout.keepsRowID(inColumn: try db.insertedKey(record.databaseTable).rowIDKey)
    }
}

extension Database.ConflictResolution {
    @inlinable @inline(__always)
    var code: UInt8 {
        switch self {
        case .abort: 0
        case .rollback: 1
        case .fail: 2
        case .ignore: 3
        case .replace: 4
        }
    }

    /// The word after OR; nil for ABORT, SQLite's default.
    var clause: String? { self == .abort ? nil : rawValue }
}
