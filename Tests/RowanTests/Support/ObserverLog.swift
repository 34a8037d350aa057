// Observers that record their notifications in order.

import Rowan
import Testing

/// An observer that only uses the public protocol.
final class ObserverLog: TransactionObserver {
    private var entries: [String] = []
    private let name: String
    private let observes: (DatabaseEventKind) -> Bool
    /// The error with which it rejects commits.
    var refusal: (any Error)?
    var onChange: (() -> Void)?
    var onWillCommit: (() -> Void)?
    var onCommit: ((Database) -> Void)?
    var onRollback: ((Database) -> Void)?
    /// Another log that receives the same entries.
    var shared: ObserverLog?

    /// - Parameter name: a prefix for the entries.
    init(_ name: String = "", observes: @escaping (DatabaseEventKind) -> Bool = { _ in true }) {
        self.name = name.isEmpty ? "" : "\(name): "
        self.observes = observes
    }

    /// The entries since the last call.
    func take() -> [String] {
        defer { entries = [] }
        return entries
    }

    private func add(_ entry: String) {
        entries.append(name + entry)
        shared?.entries.append(name + entry)
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { observes(eventKind) }

    func databaseDidChange() {
        add("change")
        onChange?()
    }

    func databaseDidChange(with event: DatabaseEvent) {
        let schema = event.databaseName == "main" ? "" : "\(event.databaseName)."
        add("\(event.kind) \(schema)\(event.tableName) \(event.rowID)")
        onChange?()
    }

    func databaseWillCommit() throws {
        add("willCommit")
        onWillCommit?()
        if let refusal { throw refusal }
    }

    func databaseDidCommit(_ db: Database) {
        add("didCommit")
        onCommit?(db)
    }

    func databaseDidRollback(_ db: Database) {
        add("didRollback")
        onRollback?(db)
    }
}

/// A subscriber that receives the changed regions: tables reported as a whole, and rows.
final class ChangeLog: ChangeSubscriber {
    private(set) var region = DatabaseRegion()
    private(set) var rows: [DatabaseEvent] = []
    /// The committed changes.
    private(set) var committed: [(region: DatabaseRegion, rows: [DatabaseEvent])] = []
    private let interest: (StatementProfile.Table, DatabaseEventKind) -> ChangeInterest

    init(interest: @escaping (StatementProfile.Table, DatabaseEventKind) -> ChangeInterest = { _, _ in .rows }) {
        self.interest = interest
    }

    /// A subscriber to a region, like those of observations.
    convenience init(_ region: DatabaseRegion, _ interest: ChangeInterest = .rows) {
        self.init { _, kind in region.isModified(byEventsOfKind: kind) ? interest : .none }
    }

    func interest(in table: StatementProfile.Table, _ kind: DatabaseEventKind) -> ChangeInterest {
        interest(table, kind)
    }

    func rowDidChange(_ event: DatabaseEvent, _ kind: DatabaseEventKind) { rows.append(event) }

    func regionDidChange(_ region: DatabaseRegion) { self.region.formUnion(region) }

    func transactionDidEnd(committed isCommitted: Bool, _ db: Database) {
        if isCommitted { committed.append((region, rows)) }
        forget()
    }

    /// Whether a change in a region was committed.
    func notices(_ observed: DatabaseRegion) -> Bool {
        committed.contains { changes in
            changes.region.intersects(observed) || changes.rows.contains { observed.isModified(by: $0) }
        }
    }

    private func forget() { (region, rows) = (DatabaseRegion(), []) }

    /// The tables reported as a whole and the rows of the last commits: `t(*) | insert u 1, delete u 2`.
    func take() -> String {
        defer { committed = [] }
        let region = committed.reduce(into: DatabaseRegion()) { $0.formUnion($1.region) }
        let rows = committed.flatMap(\.rows).map { "\($0.kind) \($0.tableName) \($0.rowID)" }
        return [region.isEmpty ? "" : region.description, rows.joined(separator: ", ")]
            .filter { !$0.isEmpty }.joined(separator: " | ")
    }
}

extension DatabaseWriter {
    /// Subscribes to the changes of the writer.
    func subscribe(_ log: ChangeLog) throws { try unsafeReentrantWrite { try $0.subscribe(log) } }
}

extension DatabaseRegion {
    /// Whether the region contains only some rows of a table.
    fileprivate var countsRows: Bool { description.contains("[") }
}

extension Database {
    /// The notifications received by an observer of everything for a script, which runs in a transaction.
    func changes(_ sql: String) throws -> String {
        let log = ChangeLog()
        try subscribe(log)
        defer { unsubscribe(log) }
        try inTransaction {
            try execute(sql: sql)
            return .commit
        }
        return log.take()
    }

    /// Whether the observation of a query is notified of a script's changes.
    func notices(_ query: String, _ sql: String) throws -> Bool {
        let region = try makeStatement(sql: query).databaseRegion
        // Subscribers to rows and to regions must agree.
        let (rows, regions) = (ChangeLog(region), ChangeLog(region, .region))
        for log in [rows, regions] { try subscribe(log) }
        defer { for log in [rows, regions] { unsubscribe(log) } }
        try inTransaction {
            try execute(sql: sql)
            return .commit
        }
        let notices = rows.notices(region)
        #expect(regions.notices(region) == notices || notices == false && region.countsRows, "\(query): \(sql)")
        return notices
    }

    /// The notifications received by an observer while the closure runs.
    func observing(_ log: ObserverLog = ObserverLog(), _ body: () throws -> Void) rethrows -> [String] {
        add(transactionObserver: log)
        defer { remove(transactionObserver: log) }
        try body()
        return log.take()
    }
}

/// A value used by another closure on the same thread.
final class Held<Value>: @unchecked Sendable {
    var value: Value?
    init(_ value: Value? = nil) { self.value = value }
}
