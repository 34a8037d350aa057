// Runs statements that read or write rows, and schema changes.

import Foundation
import Rowan

extension ClusterRunner {
    func run(_ statement: RemoteStatement, _ arguments: RemoteArguments) throws -> any RemoteRows {
        try guardian.running { try runStatement(statement, arguments) }
    }

    private func runStatement(_ statement: RemoteStatement, _ arguments: RemoteArguments) throws -> any RemoteRows {
        let values = try (0..<arguments.count).map { try DatabaseValue(arguments[$0]) }
        switch transaction {
        case .none:
            guard !statement.isReadonly else { return try readAlone(statement, values) }
            return statement.columnCount > 0
                ? try writeReturningAlone(statement, values) : try writeAlone(statement, values)
        case .lazy:
            guard statement.isReadonly else {
                try waitingForLock { try beginLazily("BEGIN IMMEDIATE") }
                guard !hasNewSchema else { throw RemoteSchemaMoved() }
                return try runInTransaction(statement, values)
            }
            return try beginReading(statement, values)
        case .open, .writing: return try runInTransaction(statement, values)
        }
    }

    // MARK: In a transaction

    /// Begins a transaction and runs its first statement, in one write.
    private func beginReading(_ statement: RemoteStatement, _ values: [DatabaseValue]) throws -> any RemoteRows {
        try retryingLeader { session in
            var requests = RequestBuffer()
            try session.add(exec: "BEGIN", to: &requests)
            return try ask(statement, values, &requests, session) {
                transaction = .open
                guardian.forgetTimeout()
            }
        }
    }

    /// Requests the schema version together with the rows, which match the shadow's schema only if the schema has not
    /// changed.
    private func ask(
        _ statement: RemoteStatement, _ values: [DatabaseValue], _ requests: inout RequestBuffer,
        _ session: ClusterSession, didBegin: () -> Void
    ) throws -> ClusterRows {
        let begins = requests.count > 0
        try session.add(query: ClusterSession.version, to: &requests)
        let compiles = try session.add(statement, values, to: &requests)
        try session.send(requests)
        // All responses are read, whatever they are.
        let begin = begins ? Result { try session.answer() } : nil
        if begin.map({ (try? $0.get()) != nil }) == true { didBegin() }
        let isCurrent = Result { try receiveVersion(session) }
        if compiles { try session.receiveCompiled(statement) }
        let first = Result { try session.answer() }
        if let failure = begin?.failure ?? isCurrent.failure {
            if case .success(let response) = first { try ClusterRows(session, response).readToEnd() }
            throw failure
        }
        guard try isCurrent.get() else {
            if case .success(let response) = first { try ClusterRows(session, response).readToEnd() }
            try readSchema(session)
            throw RemoteSchemaMoved()
        }
        return try rows(session, first.get(), of: statement)
    }

    private func rows(
        _ session: ClusterSession, _ first: Response, of statement: RemoteStatement
    ) throws -> ClusterRows {
        let rows = ClusterRows(session, first)
        try check(rows, statement)
        session.begin(rows)
        try rows.start()
        rows.watch(guardian)
        return rows
    }

    private func runInTransaction(_ statement: RemoteStatement, _ values: [DatabaseValue]) throws -> any RemoteRows {
        if !knowsSchema {
            // The shadow could not apply the schema: the rows would be those of other columns.
            try inTransaction(readSchema)
            throw RemoteSchemaMoved()
        }
        return try inTransaction(counts: !statement.isReadonly) { session in
            var requests = RequestBuffer()
            let claims = !statement.isReadonly && transaction == .open
            if claims { try requests.execSQL(db: session.database, sql: TicketTable.claim, values: tickets.claim()) }
            let compiles = try session.add(statement, values, to: &requests)
            let returns = !statement.isReadonly && statement.columnCount > 0
            if returns {
                try session.add(query: Self.counters, to: &requests)
            }
            try session.send(requests)
            let claim = claims ? Result { try session.answer() } : nil
            if claims { didClaim() }
            if compiles { try session.receiveCompiled(statement) }
            let first = Result { try session.answer() }
            if let failure = claim?.failure {
                // What follows without a ticket must not be committed.
                if case .success(let response) = first { try ClusterRows(session, response).readToEnd() }
                if returns { _ = try session.receiveRows() }
                try abandonTransaction(session)
                throw failure
            }
            guard !returns else { return try returned(session, first, of: statement) }
            if case .success(.result(let rowID, let changes)) = first { count(rowID, changes) }
            return try rows(session, first.get(), of: statement)
        }
    }

    /// - Throws: SQLITE_SCHEMA if the rows don't have the columns of the statement on the shadow.
    private func check(_ rows: ClusterRows, _ statement: RemoteStatement) throws {
        guard let count = rows.columnCount, statement.columnCount > 0, count != statement.columnCount else { return }
        try rows.readToEnd()
        forgetSchema()
        throw DatabaseError(
            resultCode: .SQLITE_SCHEMA,
            message:
                "the statement has \(count) columns on the cluster, and \(statement.columnCount) here: run it again")
    }

    /// The rows of a statement that writes. It runs to completion immediately, as in SQLite.
    private func returned(
        _ session: ClusterSession, _ first: Result<Response, any Error>, of statement: RemoteStatement
    ) throws -> any RemoteRows {
        let rows = Result { () throws -> ClusterRows in
            let rows = ClusterRows(session, try first.get())
            try rows.readToEnd()
            return rows
        }
        count(try session.receiveRows())
        let result = try rows.get()
        try check(result, statement)
        try result.start()
        result.watch(guardian)
        return result
    }

    private func abandonTransaction(_ session: ClusterSession) throws {
        try session.execute("ROLLBACK")
        loseTransaction()
    }

    // MARK: Outside a transaction

    /// A separate transaction. Otherwise, another client could change the schema between its version and the rows.
    private func readAlone(_ statement: RemoteStatement, _ values: [DatabaseValue]) throws -> any RemoteRows {
        try retryingLeader { session in
            var requests = RequestBuffer()
            try session.add(exec: "BEGIN", to: &requests)
            var hasBegun = false
            do {
                let rows = try ask(statement, values, &requests, session) { hasBegun = true }
                if directory.options.consistency == .confirmed { try rows.readToEnd() }
                // Only an answer after the confirmation proves that the leadership was never interrupted.
                if try confirmRead(session) {
                    hasBegun = false
                    do { try session.execute("COMMIT") } catch {
                        // The transaction may still be open.
                        session.end()
                        throw error
                    }
                } else {
                    try session.endReadAfterRows()
                }
                return rows
            } catch {
                if hasBegun { try session.endReadAfterRows() }
                throw error
            }
        }
    }

    /// Runs a statement that commits its own changes.
    private func writeAlone(_ statement: RemoteStatement, _ values: [DatabaseValue]) throws -> any RemoteRows {
        try guardian.running { try readSchemaIfMoved(confirms: false) }
        guard !hasNewSchema else { throw RemoteSchemaMoved() }
        let answer = try committingAlone { session in
            var requests = RequestBuffer()
            let compiles = try session.add(statement, values, to: &requests)
            try session.send(requests)
            if compiles { try session.receiveCompiled(statement) }
            do { return try session.answer() } catch let error as DatabaseError where !error.isLostLeader {
                // A failed statement may keep changes: see ON CONFLICT FAIL.
                do { count(try session.rows(Self.counters)) } catch {
                    // Its response may still arrive and would be mistaken for that of the next request.
                    dropSession(after: error)
                }
                throw error
            }
        }
        switch answer {
        case .result(let rowID, let changes): count(rowID, changes)
        case .rows:
            // Not the response to this request, whose outcome is unknown.
            session?.end()
            throw UnknownOutcomeError(ticket: nil, reason: "the node answered a write with rows")
        default: break
        }
        return ClusterRows()
    }

    /// Runs a statement that returns rows and writes, in a transaction: outside one, it would crash the node.
    private func writeReturningAlone(_ statement: RemoteStatement, _ values: [DatabaseValue]) throws -> any RemoteRows {
        transaction = .lazy
        do {
            try waitingForLock { try beginLazily("BEGIN IMMEDIATE") }
            guard !hasNewSchema else { throw RemoteSchemaMoved() }
            let rows = try runInTransaction(statement, values)
            try commitImplicitTransaction()
            return rows
        } catch {
            abandonTransaction()
            throw error
        }
    }

    /// Runs a request that commits.
    ///
    /// - Throws: ``UnknownOutcomeError`` without a ticket if there is no response.
    private func committingAlone<T>(_ body: (ClusterSession) throws -> T) throws -> T {
        try waitingForLock {
            let session = try retryingLeader { $0 }
            var mayHaveRun = false
            do {
                return try waiting(for: session) {
                    mayHaveRun = true
                    return try body(session)
                }
            } catch {
                dropSession(after: error)
                guard !mayHaveRun || !Self.isUnknown(error) else {
                    throw UnknownOutcomeError(ticket: nil, reason: "\(error)")
                }
                throw known(error, "Run the statement again")
            }
        }
    }

    /// Whether an error of a committing request leaves its outcome unknown: the log may fail at any time.
    private static func isUnknown(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return error is WireError }
        return [.SQLITE_IOERR, .SQLITE_PROTOCOL].contains(error.resultCode)
            && error.extendedResultCode != DatabaseError.notLeader
    }

    // MARK: The schema and settings

    /// Runs a statement that changes the schema or a setting of the connection.
    func change(_ statement: Statement) throws {
        if let pragma = statement.profile.settingPragma { return try set(pragma, statement) }
        if transaction == .lazy { try waitingForLock { try beginLazily("BEGIN IMMEDIATE") } }
        let values = try statement.bindings(for: statement.arguments)
        func run(_ session: ClusterSession, claims: Bool) throws {
            var requests = RequestBuffer()
            if claims { try requests.execSQL(db: session.database, sql: TicketTable.claim, values: tickets.claim()) }
            try requests.execSQL(
                db: session.database, sql: statement.sql, values: values)
            try session.add(query: ClusterSession.version, to: &requests)
            try session.send(requests)
            let claim = claims ? Result { try session.answer() } : nil
            if claims { didClaim() }
            let answer = Result { try session.answer() }
            let version = Result { try noteOwnSchemaChange(session) }
            if let failure = claim?.failure {
                try abandonTransaction(session)
                throw failure
            }
            _ = try answer.get()
            // The schema has changed, whatever the response about its version: the change must not run again.
            if version.failure != nil { forgetSchema() }
        }
        guard transaction == .none else { return try inTransaction { try run($0, claims: transaction == .open) } }
        try guardian.running { try readSchemaIfMoved(confirms: false) }
        try committingAlone { try run($0, claims: false) }
    }

    private func set(_ pragma: StatementProfile.Pragma, _ statement: Statement) throws {
        if transaction == .lazy { try beginLazily() }
        if transaction.isOpen {
            try inTransaction { try $0.execute(statement.sql) }
        } else {
            try retryingLeader { try $0.execute(statement.sql) }
        }
        remember(pragma, statement.sql)
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension DatabaseValue {
    fileprivate init(_ column: StoredColumn) throws {
        switch column {
        case .null: self = .null
        case .integer(let integer): self = integer.databaseValue
        case .real(let double): self = double.databaseValue
        case .text(let bytes): self = String(decoding: bytes, as: UTF8.self).databaseValue
        case .blob(let bytes): self = Data(bytes).databaseValue
        }
    }
}
