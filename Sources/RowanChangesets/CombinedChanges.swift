// Changes after changes, as one change for each row. The rows keep the order of their first change: SQLite's own
// combination has another one, in which a key may be inserted before one that differs in its case is deleted.

import Rowan
import RowanPlatform

/// The changes of several changesets, one after the other.
struct CombinedChanges {
    private var tables: [String: ChangesetTable] = [:]
    /// The change of each row; nil if the row is as it was.
    private var changes: [ChangedRowKey: ChangeValues?] = [:]
    private var order: [ChangedRowKey] = []

    /// Adds a change.
    ///
    /// - Throws: SQLITE_SCHEMA if the table has other columns than before.
    mutating func add(_ change: ChangeValues, of table: ChangesetTable) throws {
        let known = tables.updateValue(table, forKey: table.name)
        guard known == nil || known == table else {
            throw DatabaseError(
                resultCode: .SQLITE_SCHEMA, message: "the changesets have different columns of table \"\(table.name)\"")
        }
        let columns = table.keyIndexes.indices.filter { table.keyIndexes[$0] > 0 }
        let values = change.kind == .insert ? change.new : change.old
        let row = ChangedRowKey(table: table.name, values: columns.compactMap { values[$0] })
        guard let first = changes[row] else {
            changes[row] = change
            order.append(row)
            return
        }
        changes[row] = .some(first.map { $0.followed(by: change, of: table) } ?? change)
    }

    /// The changes, those of a table together.
    var bytes: Data {
        var writer = ChangesetWriter(isPatchset: false)
        for (name, rows) in order.byTable {
            for row in rows {
                if let change = changes[row] ?? nil, let table = tables[name] { writer.write(change, of: table) }
            }
        }
        return writer.bytes
    }
}

extension ChangeValues {
    /// The change that has the effect of both; nil if there is none. A change that can't follow this one, such as an insertion
    /// of a row that exists, is left out, as SQLite does.
    fileprivate func followed(by next: ChangeValues, of table: ChangesetTable) -> ChangeValues? {
        var change = self
        change.isIndirect = isIndirect && next.isIndirect
        switch (kind, next.kind) {
        case (.insert, .update):
            change.new = zip(new, next.new).map { $1 ?? $0 }
        case (.insert, .delete):
            return nil
        case (.update, .update):
            change.old = zip(old, next.old).map { $0 ?? $1 }
            change.new = zip(new, next.new).map { $1 ?? $0 }
            return change.withoutEqualValues(of: table)
        case (.update, .delete):
            change.kind = .delete
            change.old = zip(old, next.old).map { $0 ?? $1 }
            change.new = next.new
        case (.delete, .insert):
            change.kind = .update
            change.new = zip(next.new, table.keyIndexes).map { $1 > 0 ? nil : $0 }
            return change.withoutEqualValues(of: table)
        case (.insert, .insert), (.update, .insert), (.delete, .update), (.delete, .delete):
            return self
        }
        return change
    }

    /// The update without the columns that keep their values; nil if all do.
    private func withoutEqualValues(of table: ChangesetTable) -> ChangeValues? {
        var change = self
        for column in table.keyIndexes.indices where table.keyIndexes[column] == 0 {
            guard old[column]?.storage == new[column]?.storage else { continue }
            (change.old[column], change.new[column]) = (nil, nil)
        }
        return change.new.contains { $0 != nil } ? change : nil
    }
}
