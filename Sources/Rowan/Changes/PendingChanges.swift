// Changes that may still be undone by ROLLBACK TO. Subscribers receive them when their savepoints are released. SQLite
// does not report savepoints: their names come from the profiles of the statements that begin and end them.

/// A stack of savepoints, with the changes made since each of them.
struct PendingChanges {
    enum Change {
        case row(DatabaseEvent, DatabaseEventKind)
        case region(DatabaseRegion)
    }

    /// A change and its receiver.
    struct Delivery {
        let change: Change
        let subscriber: any ChangeSubscriber
    }

    private struct Savepoint {
        let name: String
        var deliveries: [Delivery] = []
    }

    private var savepoints: [Savepoint] = []

    var isEmpty: Bool { savepoints.isEmpty }

    mutating func begin(_ name: String) { savepoints.append(Savepoint(name: name)) }

    /// Removes the last savepoint, which SQLite has not begun.
    mutating func cancelLast() { savepoints.removeLast() }

    mutating func append(_ change: Change, for subscriber: any ChangeSubscriber) {
        savepoints[savepoints.count - 1].deliveries.append(Delivery(change: change, subscriber: subscriber))
    }

    /// Releases a savepoint and those it contains.
    ///
    /// - Returns: the changes that can no longer be undone separately.
    mutating func release(_ name: String) -> [Delivery] {
        guard let index = index(of: name), index > 0 else { return removeAll() }
        let released = savepoints[index...].flatMap(\.deliveries)
        savepoints.removeSubrange(index...)
        savepoints[index - 1].deliveries += released
        return []
    }

    /// Discards the changes since a savepoint, which remains open.
    mutating func rollback(to name: String) {
        guard let index = index(of: name) else {
            savepoints = []
            return
        }
        savepoints.removeSubrange((index + 1)...)
        savepoints[index].deliveries = []
    }

    /// Releases all savepoints.
    mutating func removeAll() -> [Delivery] {
        defer { savepoints = [] }
        return savepoints.flatMap(\.deliveries)
    }

    /// SQLite compares the names of savepoints like other names and uses the last match.
    private func index(of name: String) -> Int? { savepoints.lastIndex { $0.name.isSameDatabaseName(as: name) } }
}
