// An observer that records the values of rows before and after each change.

import Foundation
import Rowan

/// An observer that uses the public protocol.
final class PreUpdateLog: PreUpdateObserver {
    private(set) var events: [DatabasePreUpdateEvent] = []
    private var entries: [String] = []
    private let observes: (DatabaseEventKind) -> Bool
    var onEvent: ((DatabasePreUpdateEvent) -> Void)?
    /// Whether ordinary events and transactions are recorded, too.
    var isComplete = false

    init(observes: @escaping (DatabaseEventKind) -> Bool = { _ in true }) { self.observes = observes }

    /// The entries since the last call: `update t 1 [1, 'a'] -> [1, 'b']`.
    func take() -> [String] {
        defer { (entries, events) = ([], []) }
        return entries
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { observes(eventKind) }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        events.append(event)
        let schema = event.databaseName == "main" ? "" : "\(event.databaseName)."
        let rowIDs = [event.initialRowID, event.finalRowID].compactMap(\.self).map(String.init)
        let key = rowIDs.first.map { $0 == rowIDs.last ? " \($0)" : " \(rowIDs.joined(separator: "->"))" } ?? ""
        let values = [event.initialDatabaseValues, event.finalDatabaseValues].compactMap(\.self).map(text)
        let depth = event.depth == 0 ? "" : " at \(event.depth)"
        entries.append("\(event.kind) \(schema)\(event.tableName)\(key) \(values.joined(separator: " -> "))\(depth)")
        onEvent?(event)
    }

    func databaseDidChange() { if isComplete { entries.append("change") } }

    func databaseDidChange(with event: DatabaseEvent) {
        if isComplete { entries.append("did \(event.kind) \(event.tableName) \(event.rowID)") }
    }

    func databaseWillCommit() { if isComplete { entries.append("willCommit") } }
    func databaseDidCommit(_ db: Database) { if isComplete { entries.append("didCommit") } }
    func databaseDidRollback(_ db: Database) { if isComplete { entries.append("didRollback") } }

    private func text(_ values: [DatabaseValue]) -> String {
        "[\(values.map(\.literal).joined(separator: ", "))]"
    }
}

extension DatabaseValue {
    /// The value with its storage class: `1`, `1.0`, `'a'`, `x'00'`, `NULL`.
    var literal: String {
        switch storage {
        case .null: "NULL"
        case .int64(let integer): "\(integer)"
        case .double(let double): "\(double)"
        case .string(let string): "'\(string)'"
        case .blob(let data): "x'\(data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
        }
    }
}

extension Database {
    /// The values received by an observer while a script runs.
    func rowChanges(_ sql: String) throws -> [String] {
        let log = PreUpdateLog()
        add(transactionObserver: log)
        defer { remove(transactionObserver: log) }
        try execute(sql: sql)
        return log.take()
    }
}
