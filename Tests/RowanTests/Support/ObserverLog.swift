// Observers that write down what they are told, in order.

import Rowan

/// An observer that uses the public protocol only.
final class ObserverLog: TransactionObserver {
    private var entries: [String] = []
    private let name: String
    private let observes: (DatabaseEventKind) -> Bool
    /// The error of the next commits.
    var refusal: (any Error)?
    var onChange: (() -> Void)?
    var onWillCommit: (() -> Void)?
    var onCommit: ((Database) -> Void)?
    var onRollback: ((Database) -> Void)?
    /// Another log that receives the same entries.
    var shared: ObserverLog?

    /// - Parameter name: a prefix of the entries.
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

/// An observer that is told which regions change: the tables that are reported as a whole, and the rows.
final class ChangeLog: RegionObserver {
    private(set) var region = DatabaseRegion()
    private(set) var rows: [DatabaseEvent] = []
    /// The changes that were committed.
    private(set) var committed: [(region: DatabaseRegion, rows: [DatabaseEvent])] = []
    private let observes: (DatabaseEventKind) -> Bool

    init(observes: @escaping (DatabaseEventKind) -> Bool = { _ in true }) { self.observes = observes }

    /// An observer of a region, as observations are.
    convenience init(_ region: DatabaseRegion) { self.init { region.isModified(byEventsOfKind: $0) } }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { observes(eventKind) }

    func databaseDidChange(with event: DatabaseEvent, of kind: DatabaseEventKind) { rows.append(event) }

    func databaseDidChange(in region: DatabaseRegion) { self.region.formUnion(region) }

    func databaseDidCommit(_ db: Database) {
        committed.append((region, rows))
        forget()
    }

    func databaseDidRollback(_ db: Database) { forget() }

    private func forget() { (region, rows) = (DatabaseRegion(), []) }

    /// The tables that were reported as a whole, and the rows, of the last commits: `t(*) | insert u 1, delete u 2`.
    func take() -> String {
        defer { committed = [] }
        let region = committed.reduce(into: DatabaseRegion()) { $0.formUnion($1.region) }
        let rows = committed.flatMap(\.rows).map { "\($0.kind) \($0.tableName) \($0.rowID)" }
        return [region.isEmpty ? "" : region.description, rows.joined(separator: ", ")]
            .filter { !$0.isEmpty }.joined(separator: " | ")
    }
}

extension Database {
    /// What an observer of everything is told about a script, which runs in one transaction.
    func changes(_ sql: String) throws -> String {
        let log = ChangeLog()
        add(transactionObserver: log)
        defer { remove(transactionObserver: log) }
        try inTransaction {
            try execute(sql: sql)
            return .commit
        }
        return log.take()
    }

    /// Whether the observation of a query notices a script.
    func notices(_ query: String, _ sql: String) throws -> Bool {
        let region = try makeStatement(sql: query).databaseRegion
        let log = ChangeLog(region)
        add(transactionObserver: log)
        defer { remove(transactionObserver: log) }
        try inTransaction {
            try execute(sql: sql)
            return .commit
        }
        return log.committed.contains { changes in
            changes.region.intersects(region) || changes.rows.contains { region.isModified(by: $0) }
        }
    }

    /// What an observer is told while the closure runs.
    func observing(_ log: ObserverLog = ObserverLog(), _ body: () throws -> Void) rethrows -> [String] {
        add(transactionObserver: log)
        defer { remove(transactionObserver: log) }
        try body()
        return log.take()
    }
}

/// A value that another closure uses on the same thread.
final class Held<Value>: @unchecked Sendable {
    var value: Value?
    init(_ value: Value? = nil) { self.value = value }
}
