// Statements and cursors that programs let go of at any time, on any thread. They wait for the next access, or, after
// the last one, for the thread that finalizes.

import CSQLite
import Synchronization

extension LocalConnection {
    struct Forgotten {
        /// Statements, as integers since pointers are not Sendable, to finalize.
        var statements: [UInt] = []
        /// Statements that nobody uses any more: a cursor is gone, or a prepared request.
        var uses: [(statement: UInt, use: Statement.Use)] = []
        var isEmpty: Bool { statements.isEmpty && uses.isEmpty }
        /// Nobody has access any more.
        var isClosed = false
        /// Whether a thread finalizes statements of the closed connection, which is not for two threads at once.
        var isFinalizing = false
    }

    /// Finalizes a statement that nobody refers to any more, now if the thread has access, else at the next access.
    func finalize(_ statement: SQLiteStatement) {
        if isAccessible {
            sqlite3_finalize(statement)
            return
        }
        let isFinalizer = forgotten.withLock { forgotten in
            forgotten.statements.append(UInt(bitPattern: statement))
            guard forgotten.isClosed, !forgotten.isFinalizing else { return false }
            forgotten.isFinalizing = true
            return true
        }
        if isFinalizer { finalizeForgotten() }
    }

    /// Finalizes the statements of the closed connection, one thread for all. Not under the lock: the last statement
    /// closes the connection, which lets go of the program's functions, and of what these keep.
    func finalizeForgotten() {
        while let statement = forgotten.withLock({ forgotten in
            let statement = forgotten.statements.popLast()
            if statement == nil { forgotten.isFinalizing = false }
            return statement
        }) {
            sqlite3_finalize(SQLiteStatement(bitPattern: statement))
        }
    }

    /// Ends a use of a statement, now if the thread has access, else at the next access.
    @usableFromInline
    package func end(_ use: Statement.Use, of statement: Statement) {
        if isAccessible { return statement.end(use) }
        let object = UInt(bitPattern: Unmanaged.passRetained(statement).toOpaque())
        let isClosed = forgotten.withLock { forgotten in
            if !forgotten.isClosed { forgotten.uses.append((object, use)) }
            return forgotten.isClosed
        }
        if isClosed { Self.takeStatement(object) }
    }

    @discardableResult
    private static func takeStatement(_ object: UInt) -> Statement {
        // The pointer was retained by end(_:of:).
        Unmanaged<Statement>.fromOpaque(UnsafeRawPointer(bitPattern: object)!).takeRetainedValue()
    }

    /// Frees what was let go of since the last access.
    package func releaseForgotten() {
        let taken = forgotten.withLock { forgotten in
            guard !forgotten.isEmpty else { return Forgotten() }
            defer { (forgotten.statements, forgotten.uses) = ([], []) }
            return forgotten
        }
        guard !taken.isEmpty else { return }
        for (object, use) in taken.uses { Self.takeStatement(object).end(use) }
        for statement in taken.statements { sqlite3_finalize(SQLiteStatement(bitPattern: statement)) }
        // The last reference to a statement may have been its use.
        releaseForgotten()
    }
}
