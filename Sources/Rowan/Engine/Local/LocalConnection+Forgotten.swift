// Statements and cursors that the program may release at any time, on any thread. They wait for the next access or, if
// the connection is closed, for the thread that finalizes them.

import RowanSQLite
import Synchronization

extension LocalConnection {
    struct Forgotten {
        /// The statements to finalize, as integers because pointers are not Sendable.
        var statements: [UInt] = []
        /// The uses that have finished, in order.
        var ends: [End] = []
        var isEmpty: Bool { statements.isEmpty && ends.isEmpty }
        /// Whether no more accesses can follow.
        var isClosed = false
        /// Whether a thread is finalizing statements of the closed connection: two threads must not do so at once.
        var isFinalizing = false
    }

    /// A released object: a running cursor or a use of the pool.
    ///
    /// `@unchecked Sendable`: it only carries the object. The lock of `forgotten` hands it to the thread with access.
    enum End: @unchecked Sendable {
        case run(Statement)
        case use(Statement, PreparedSQL)
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

    /// Finalizes the statements of the closed connection on a single thread. It runs outside the lock: the last
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

    /// Finishes the run of a cursor: now if the thread has access, otherwise at the next access.
    @usableFromInline
    package func endRun(of statement: Statement) {
        guard isAccessible else { return forget(.run(statement)) }
        statement.endRun()
    }

    /// Defers an end to the next access. If no access can follow, there is nothing to finish.
    func forget(_ end: End) {
        forgotten.withLock { forgotten in
            if !forgotten.isClosed { forgotten.ends.append(end) }
        }
    }

    /// Frees everything released since the last access.
    package func releaseForgotten() {
        let taken = forgotten.withLock { forgotten in
            guard !forgotten.isEmpty else { return Forgotten() }
            defer { (forgotten.statements, forgotten.ends) = ([], []) }
            return forgotten
        }
        guard !taken.isEmpty else { return }
        for end in taken.ends {
            switch end {
            case .run(let statement): statement.endRun()
            case .use(let statement, let sql): takeBack(statement, sql)
            }
        }
        for statement in taken.statements { sqlite3_finalize(SQLiteStatement(bitPattern: statement)) }
        // A finished use may have held the last reference to a statement.
        releaseForgotten()
    }
}
