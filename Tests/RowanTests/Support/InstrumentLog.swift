// An instrument that records its events as texts.

@testable import Rowan

/// Records its events as texts without durations.
final class InstrumentLog: DatabaseInstrument {
    /// The texts of all accesses and databases, in order.
    let entries = Log<String>()
    let statements = Log<InstrumentedStatement>()
    let longReadAge: Duration?
    /// A value set by the caller, as seen by an access.
    @TaskLocal static var caller = "-"

    private let listens: @Sendable (InstrumentedAccess) -> Bool
    private let observesStatements: Bool

    init(
        longReadAge: Duration? = nil, observesStatements: Bool = true,
        listens: @escaping @Sendable (InstrumentedAccess) -> Bool = { _ in true }
    ) {
        (self.longReadAge, self.observesStatements, self.listens) = (longReadAge, observesStatements, listens)
    }

    /// The entries after the given number of entries.
    func entries(since count: Int) -> [String] { Array(entries.elements[count...]) }

    /// The entries recorded during the closure.
    func hearing(_ body: () throws -> Void) rethrows -> [String] {
        let count = entries.elements.count
        try body()
        return entries(since: count)
    }

    func didOpen(_ database: InstrumentedDatabase) {
        entries.append("opened \(database.kind) \(database.journalMode)")
    }

    func willAccess(_ access: InstrumentedAccess) -> (any AccessInstrument)? {
        guard listens(access) else { return nil }
        entries.append("\(access.kind) of \(Self.caller)")
        return Access(self, observesStatements)
    }

    func didCheckpoint(_ checkpoint: InstrumentedCheckpoint, of database: InstrumentedDatabase) {
        let pages = "\(checkpoint.copiedPageCount)/\(checkpoint.walPageCount)"
        entries.append("checkpoint \(checkpoint.mode) \(pages)\(checkpoint.error.map { " \($0)" } ?? "")")
    }

    func didNoticeOtherWriter(of database: InstrumentedDatabase) { entries.append("other writer") }

    func didFindLongRead(_ read: LongRead, of database: InstrumentedDatabase) {
        entries.append("long \(read.access.kind) of a \(database.kind)")
    }

    private final class Access: AccessInstrument {
        private let log: InstrumentLog
        let observesStatements: Bool

        init(_ log: InstrumentLog, _ observesStatements: Bool) {
            (self.log, self.observesStatements) = (log, observesStatements)
        }

        func didBegin(after wait: Duration) { log.entries.append(wait >= .zero ? "begun" : "waited less than nothing") }

        func didRun(_ statement: InstrumentedStatement) {
            log.statements.append(statement)
            let table = statement.tableName.map { " \($0)" } ?? ""
            let error = statement.error.map { " \(($0 as? DatabaseError)?.resultCode.rawValue ?? -1)" } ?? ""
            log.entries.append("\(statement.operation)\(table): \(statement.rowCount) rows\(error)")
        }

        func didEndTransaction(_ transaction: InstrumentedTransaction) {
            log.entries.append(transaction.isCommitted ? "committed" : "rolled back")
        }

        func didEnd(after duration: Duration?, error: (any Error)?) {
            let error = error.map { ": \(($0 as? DatabaseError).map { "\($0.resultCode.rawValue)" } ?? "\($0)")" } ?? ""
            log.entries.append("\(duration == nil ? "never begun" : "ended")\(error)")
        }
    }
}

extension Configuration {
    /// A configuration with instruments.
    init(_ instruments: any DatabaseInstrument...) {
        self.init()
        self.instruments = instruments
    }
}
