// The rows of remote statements as a virtual table: `SELECT c0 AS "id", c1 AS "name" FROM "rowan remote"(17, ?1)` runs
// remote statement 17 with one argument. Its rows are therefore SQLite rows for all readers, and its arguments are
// bound like those of any statement.
// Source: https://sqlite.org/vtab.html#tabfunc2

import RowanSQLite

enum RemoteModule {
    /// No table of a program has this name.
    static let name = "\"rowan remote\""
    private static let moduleName = "rowan remote"
    /// SQLite allows 2,000 columns, including hidden ones.
    static let maximumColumnCount = 1700
    static let maximumArgumentCount = 255

    /// The SQL that runs a remote statement.
    ///
    /// - Parameter parameters: the names of the statement's parameters; nil for those without a name.
    static func sql(_ number: Int, columns: [String], parameters: [String?]) -> String {
        let results = columns.enumerated().map { "c\($0.offset) AS \($0.element.quotedDatabaseIdentifier)" }
        let names = parameters.enumerated().map { $0.element ?? "?\($0.offset + 1)" }
        let arguments = names.count <= maximumPlainCount ? names : RemoteArgumentPack.packed(names)
        let list = ([String(number)] + arguments).joined(separator: ", ")
        return "SELECT \(results.isEmpty ? "1" : results.joined(separator: ", ")) FROM \(name)(\(list))"
    }

    /// SQLite compares the hidden columns after the 16th with their arguments itself and never considers NULL equal.
    private static let maximumPlainCount = 15

    private static let definition: String = {
        let results = (0..<maximumColumnCount).map { "c\($0)" }
        let arguments = (0...maximumPlainCount).map { "a\($0) HIDDEN" }
        return "CREATE TABLE x(\((results + arguments).joined(separator: ",")))"
    }()

    static func install(_ client: RemoteConnection, in connection: SQLiteConnection) -> CInt {
        let code = RemoteArgumentPack.install(in: connection)
        guard code == SQLITE_OK else { return code }
        return sqlite3_create_module_v2(
            connection, moduleName, pointer, Unmanaged.passUnretained(client).toOpaque(), nil)
    }

    // MARK: The functions of the module

    /// The table of a connection. SQLite reads and writes its first member. The connection outlives it.
    private struct Table {
        var base = sqlite3_vtab()
        let client: Unmanaged<RemoteConnection>

        static func of(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> UnsafeMutablePointer<Table> {
            UnsafeMutableRawPointer(table!).assumingMemoryBound(to: Table.self)
        }

        /// Stores the error for the caller of the step and returns its code.
        mutating func fail(_ error: any Error) -> CInt {
            let known = error as? DatabaseError
            client._withUnsafeGuaranteedRef { $0.didFail(error) }
            let message = known?.message ?? "\(error)"
            sqlite3_free(base.zErrMsg)
            base.zErrMsg = message.withCString { text in
                let count = message.utf8.count + 1
                let copy = sqlite3_malloc64(sqlite3_uint64(count))?.assumingMemoryBound(to: CChar.self)
                copy?.update(from: text, count: count)
                return copy
            }
            let code = known?.extendedResultCode.rawValue ?? SQLITE_ABORT
            // SQLite would recompile the statement.
            return code == SQLITE_SCHEMA || code == SQLITE_OK ? SQLITE_ABORT : code
        }
    }

    private struct Cursor {
        var base = sqlite3_vtab_cursor()
        var rows: Unmanaged<Box>?

        static func of(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<Cursor> {
            UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self)
        }

        mutating func end() {
            guard let box = rows.take()?.takeRetainedValue() else { return }
            box.rows.close()
        }
    }

    private final class Box {
        let rows: any RemoteRows
        init(_ rows: any RemoteRows) { self.rows = rows }
    }

    /// These remain valid for the lifetime of the process.
    nonisolated(unsafe) private static let pointer: UnsafePointer<sqlite3_module> = {
        var module = sqlite3_module()
        // Without xCreate, the table neither needs nor allows CREATE VIRTUAL TABLE.
        module.xConnect = { connection, client, _, _, result, _ in
            let code = sqlite3_declare_vtab(connection, definition)
            guard code == SQLITE_OK else { return code }
            let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
            table.initialize(to: Table(client: Unmanaged<RemoteConnection>.fromOpaque(client!)))
            result!.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
            return SQLITE_OK
        }
        module.xDisconnect = { table in
            Table.of(table).deallocate()
            return SQLITE_OK
        }
        module.xBestIndex = { _, info in bestIndex(&info!.pointee) }
        module.xOpen = { _, result in
            let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            cursor.initialize(to: Cursor())
            result!.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        module.xClose = { cursor in
            let cursor = Cursor.of(cursor)
            cursor.pointee.end()
            cursor.deallocate()
            return SQLITE_OK
        }
        module.xFilter = { cursor, _, _, count, values in filter(cursor, Int(count), values) }
        module.xNext = { cursor in
            guard let box = Cursor.of(cursor).pointee.rows else { return SQLITE_OK }
            do { try box._withUnsafeGuaranteedRef { try $0.rows.next() } } catch {
                return Table.of(cursor!.pointee.pVtab).pointee.fail(error)
            }
            return SQLITE_OK
        }
        module.xEof = { cursor in
            guard let box = Cursor.of(cursor).pointee.rows else { return 1 }
            return box._withUnsafeGuaranteedRef { $0.rows.isAtEnd } ? 1 : 0
        }
        module.xColumn = { cursor, context, column in
            Cursor.of(cursor).pointee.rows?._withUnsafeGuaranteedRef {
                $0.rows.setResult(RemoteResult(context: context), column: Int(column))
            }
            return SQLITE_OK
        }
        module.xRowid = { _, rowID in
            rowID!.pointee = 0
            return SQLITE_OK
        }
        let pointer = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        pointer.initialize(to: module)
        return UnsafePointer(pointer)
    }()

    /// All hidden columns must have a value, in order.
    private static func bestIndex(_ info: inout sqlite3_index_info) -> CInt {
        for index in 0..<Int(info.nConstraint) {
            let constraint = info.aConstraint[index]
            let argument = Int(constraint.iColumn) - maximumColumnCount
            guard argument >= 0, constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ) else { continue }
            guard constraint.usable != 0 else { return SQLITE_CONSTRAINT }
            info.aConstraintUsage[index].argvIndex = CInt(argument + 1)
            info.aConstraintUsage[index].omit = 1
        }
        return SQLITE_OK
    }

    private static func filter(
        _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ count: Int,
        _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) -> CInt {
        let table = Table.of(cursor!.pointee.pVtab)
        let cursor = Cursor.of(cursor)
        cursor.pointee.end()
        guard let values, count > 0 else { return SQLITE_MISUSE }
        let number = Int(sqlite3_value_int64(values[0]))
        do {
            let rows = try RemoteArgumentPack.withArguments(values + 1, count - 1) { arguments in
                try table.pointee.client._withUnsafeGuaranteedRef { try $0.run(number, arguments) }
            }
            cursor.pointee.rows = Unmanaged.passRetained(Box(rows))
            return SQLITE_OK
        } catch {
            return table.pointee.fail(error)
        }
    }
}
