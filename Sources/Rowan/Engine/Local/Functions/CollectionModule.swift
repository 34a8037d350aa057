// A collection of the program as a virtual table, which exists in all schemas as soon as its module does. SQLite
// releases the source together with the module, once no statement uses the table. Sources:
// https://sqlite.org/vtab.html, https://sqlite.org/vtab.html#epovtab

import RowanSQLite

/// The rows of a virtual table.
package final class CollectionSource: Sendable {
    package let columns: [String]
    let safety: DatabaseFunction.Safety
    private let currentCount: @Sendable () -> Int
    private let values: @Sendable (Int) throws -> [DatabaseValue]

    /// - Parameters:
    ///   - safety: who may read the table, if the database or the SQL comes from a stranger.
    ///   - count: the current number of rows, which the program may change while SQLite reads the collection.
    ///   - row: returns the values of an existing row, in column order.
    package init(
        columns: [String], safety: DatabaseFunction.Safety, count: @escaping @Sendable () -> Int,
        row: @escaping @Sendable (Int) throws -> [DatabaseValue]
    ) {
        self.columns = columns
        self.safety = safety
        currentCount = count
        values = row
    }

    var count: Int { currentCount() }

    /// The values of a row, in column order; nil if the collection has shrunk.
    func row(_ index: Int) throws -> [DatabaseValue]? { index < count ? try values(index) : nil }
}

extension LocalConnection {
    /// Adds a table, or replaces the table of another collection.
    package func addCollection(_ source: CollectionSource, named name: String) throws {
        let connection = try openPointer()
        guard remote == nil else { throw DatabaseError.remoteDefinition }
        let client = CollectionClient(source, try openHooks())
        // SQLite releases the client, even if the call fails.
        try check(
            sqlite3_create_module_v2(
                connection, name, CollectionModule.pointer, Unmanaged.passRetained(client).toOpaque()
            ) {
                Unmanaged<CollectionClient>.fromOpaque($0!).release()
            })
        note(collection: name.lowercased(), isInnocuous: source.safety == .innocuous)
        schemaDidMove()
    }

    /// Removes a table. Statements that use the table keep it.
    package func removeCollection(named name: String) throws {
        try check(sqlite3_create_module_v2(openPointer(), name, nil, nil, nil))
        schemaDidMove()
    }
}

private final class CollectionClient {
    let source: CollectionSource
    unowned let hooks: ConnectionHooks

    init(_ source: CollectionSource, _ hooks: ConnectionHooks) {
        self.source = source
        self.hooks = hooks
    }
}

/// A table of a connection. SQLite reads and writes its first member.
private struct CollectionTable {
    var base = sqlite3_vtab()
    var client: Unmanaged<CollectionClient>

    static func of(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> CollectionClient {
        UnsafeMutableRawPointer(table!).assumingMemoryBound(to: CollectionTable.self).pointee.client
            .takeUnretainedValue()
    }
}

/// A cursor over all rows of a table, or over one.
private struct CollectionCursor {
    var base = sqlite3_vtab_cursor()
    var index = 0
    var end = 0
    /// The values of the current row, after a column has been read.
    var row: Unmanaged<CollectionRow>?

    static func of(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<CollectionCursor> {
        UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: CollectionCursor.self)
    }

    mutating func forgetRow() {
        row?.release()
        row = nil
    }
}

private final class CollectionRow {
    let values: [DatabaseValue]
    init(_ values: [DatabaseValue]) { self.values = values }
}

private enum CollectionModule {
    /// The functions of the module. They remain valid for the lifetime of the process.
    nonisolated(unsafe) static let pointer: UnsafePointer<sqlite3_module> = {
        var module = sqlite3_module()
        // Without xCreate, the table neither needs nor allows CREATE VIRTUAL TABLE.
        module.xConnect = connect
        module.xBestIndex = bestIndex
        module.xDisconnect = disconnect
        module.xOpen = open
        module.xClose = close
        module.xFilter = filter
        module.xNext = next
        module.xEof = isAtEnd
        module.xColumn = column
        module.xRowid = { cursor, rowID in
            rowID!.pointee = sqlite3_int64(CollectionCursor.of(cursor).pointee.index)
            return SQLITE_OK
        }
        let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        pointer.initialize(to: module)
        return UnsafePointer(pointer)
    }()

    private static let connect:
        @convention(c) (
            OpaquePointer?, UnsafeMutableRawPointer?, CInt, UnsafePointer<UnsafePointer<CChar>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> CInt = { connection, client, count, names, result, _ in
            // A file may define a table of this module, with another name. Its content is no concern of the file.
            guard count >= 3, let module = names?[0], let name = names?[2], sqlite3_stricmp(module, name) == 0 else {
                return SQLITE_ERROR
            }
            let client = Unmanaged<CollectionClient>.fromOpaque(client!)
            let columns = client.takeUnretainedValue().source.columns.map(\.quotedDatabaseIdentifier)
            let code = sqlite3_declare_vtab(connection, "CREATE TABLE x(\(columns.joined(separator: ",")))")
            guard code == SQLITE_OK else { return code }
            switch client.takeUnretainedValue().source.safety {
            case .innocuous: _ = rowan_vtab_config(connection, SQLITE_VTAB_INNOCUOUS)
            case .direct: _ = rowan_vtab_config(connection, SQLITE_VTAB_DIRECTONLY)
            case .default: break
            }
            let table = UnsafeMutablePointer<CollectionTable>.allocate(capacity: 1)
            table.initialize(to: CollectionTable(client: client.retain()))
            result!.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
            return SQLITE_OK
        }

    private static let disconnect: @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?) -> CInt = { table in
        let table = UnsafeMutableRawPointer(table!).assumingMemoryBound(to: CollectionTable.self)
        table.pointee.client.release()
        table.deallocate()
        return SQLITE_OK
    }

    /// Plans a lookup of a row by its rowid, or a scan of all rows.
    private static let bestIndex:
        @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?, UnsafeMutablePointer<sqlite3_index_info>?) -> CInt = {
            table, info in
            let info = info!
            for index in 0..<Int(info.pointee.nConstraint) {
                let constraint = info.pointee.aConstraint[index]
                let isEqual = constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ)
                guard constraint.usable != 0, constraint.iColumn < 0, isEqual else { continue }
                info.pointee.aConstraintUsage[index].argvIndex = 1
                info.pointee.idxNum = 1
                info.pointee.estimatedCost = 1
                info.pointee.estimatedRows = 1
                info.pointee.idxFlags = CInt(SQLITE_INDEX_SCAN_UNIQUE)
                return SQLITE_OK
            }
            let count = CollectionTable.of(table).source.count
            info.pointee.estimatedCost = Double(max(count, 1))
            info.pointee.estimatedRows = sqlite3_int64(count)
            return SQLITE_OK
        }

    private static let open:
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vtab>?, UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
        ) -> CInt = { _, result in
            let cursor = UnsafeMutablePointer<CollectionCursor>.allocate(capacity: 1)
            cursor.initialize(to: CollectionCursor())
            result!.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }

    private static let close: @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt = { cursor in
        let cursor = CollectionCursor.of(cursor)
        cursor.pointee.forgetRow()
        cursor.deallocate()
        return SQLITE_OK
    }

    private static let filter:
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vtab_cursor>?, CInt, UnsafePointer<CChar>?, CInt,
            UnsafeMutablePointer<OpaquePointer?>?
        ) -> CInt = { cursor, plan, _, count, values in
            let source = CollectionTable.of(cursor!.pointee.pVtab).source
            let cursor = CollectionCursor.of(cursor)
            cursor.pointee.forgetRow()
            guard plan == 1, count == 1 else {
                (cursor.pointee.index, cursor.pointee.end) = (0, source.count)
                return SQLITE_OK
            }
            // SQLite checks the equality again, so an extra row does no harm.
            let rowID = sqlite3_value_int64(values![0])
            let isRow = rowID >= 0 && rowID < sqlite3_int64(source.count)
            (cursor.pointee.index, cursor.pointee.end) = isRow ? (Int(rowID), Int(rowID) + 1) : (0, 0)
            return SQLITE_OK
        }

    private static let next: @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt = { cursor in
        let cursor = CollectionCursor.of(cursor)
        cursor.pointee.forgetRow()
        cursor.pointee.index += 1
        return SQLITE_OK
    }

    /// A collection that has shrunk since the scan started has fewer rows.
    private static let isAtEnd: @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> CInt = { cursor in
        let client = CollectionTable.of(cursor!.pointee.pVtab)
        let cursor = CollectionCursor.of(cursor)
        let (index, end) = (cursor.pointee.index, cursor.pointee.end)
        return index >= end || index >= client.hooks.calling({ client.source.count }) ? 1 : 0
    }

    private static let column:
        @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?, OpaquePointer?, CInt) -> CInt = {
            cursor, context, column in
            let client = CollectionTable.of(cursor!.pointee.pVtab)
            let cursor = CollectionCursor.of(cursor)
            let index = cursor.pointee.index
            if cursor.pointee.row == nil {
                let result = client.hooks.calling { Result { try client.source.row(index) } }
                switch result {
                case .success(let values?): cursor.pointee.row = Unmanaged.passRetained(CollectionRow(values))
                case .success(nil):
                    sqlite3_result_error(
                        context,
                        "row \(index) of the collection is gone: remove no elements while SQLite reads their rows", -1)
                    return SQLITE_ERROR
                case .failure(let error):
                    sqlite3_result_error(context, "row \(index) of the collection can't be encoded: \(error)", -1)
                    return SQLITE_ERROR
                }
            }
            let values = cursor.pointee.row!.takeUnretainedValue().values
            values[Int(column)].setResult(of: context!)
            return SQLITE_OK
        }
}
