// Statements and cursors that the program releases at any time, on any thread. They wait for the next access or, if the
// connection is closed, for the thread that finalizes them.

import CSQLite
import Synchronization

extension LocalConnection {
    struct Forgotten {
        /// The statements to finalize, as integers because pointers are not Sendable.
        var statements: [UInt] = []
        /// The ended uses of statements: a cursor or a prepared request was released.
        var uses: [(statement: UInt, use: Statement.Use)] = []
        var isEmpty: Bool { statements.isEmpty && uses.isEmpty }
        /// Whether no access can follow.
        var isClosed = false
        /// Whether a thread is finalizing statements of the closed connection: two threads must not do so at once.
        var isFinalizing = false
    }

    /// Finalizes an unreferenced statement: now if the thread has access, otherwise at the next access.
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

    /// Finalizes the statements of the closed connection, on a single thread. It runs outside the lock: the last
    /// statement closes the connection, which releases the program's functions and everything they capture.
    func finalizeForgotten() {
        while let statement = forgotten.withLock({ forgotten in
            let statement = forgotten.statements.popLast()
            if statement == nil { forgotten.isFinalizing = false }
            return statement
        }) {
            sqlite3_finalize(SQLiteStatement(bitPattern: statement))
        }
    }

    /// Ends a use of a statement: now if the thread has access, otherwise at the next access.
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
        // end(_:of:) has retained the pointer.
        Unmanaged<Statement>.fromOpaque(UnsafeRawPointer(bitPattern: object)!).takeRetainedValue()
    }

    /// Frees what was released since the last access.
    package func releaseForgotten() {
        let taken = forgotten.withLock { forgotten in
            guard !forgotten.isEmpty else { return Forgotten() }
            defer { (forgotten.statements, forgotten.uses) = ([], []) }
            return forgotten
        }
        guard !taken.isEmpty else { return }
        for (object, use) in taken.uses { Self.takeStatement(object).end(use) }
        for statement in taken.statements { sqlite3_finalize(SQLiteStatement(bitPattern: statement)) }
        // The ended use may have held the last reference to a statement.
        releaseForgotten()
    }
}
