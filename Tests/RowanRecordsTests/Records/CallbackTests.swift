// Records with callbacks are written through their container, which calls them.

import Foundation
import Rowan
import RowanRecords
import Testing

@Record("town") private struct Noted {
    var id: Int64?
    var name: String
    @Ignored var calls: [String] = []

    mutating func willInsert(_ db: Database) throws { name += "+" }
    mutating func didInsert(_ inserted: InsertionSuccess) {
        calls.append(
            "didInsert \(inserted.rowID) \(id ?? -1) \(inserted.persistenceContainer["name"] as String? ?? "")")
    }
}

nonisolated(unsafe) private var updates: [String] = []

@Record("town") private struct Updating {
    var id: Int64?
    var name: String

    func didUpdate(_ updated: PersistenceSuccess) {
        updates.append("\(updated.persistenceContainer["name"] as String? ?? "")")
    }
}

@Suite("Callbacks of records by macro", .serialized)
struct CallbackTests {
    @Test("didInsert remains the user's and receives the rowid")
    func insertions() throws {
        try inDatabase { db in
            for number in 1...3 as ClosedRange<Int64> {
                var record = Noted(id: nil, name: "a")
                try record.insert(db)
                #expect(record.calls == ["didInsert \(number) \(number) a+"])
                #expect(record.id == number)
            }
            #expect(try String.fetchAll(db, sql: "SELECT name FROM town") == ["a+", "a+", "a+"])
        }
    }

    @Test("didUpdate is called for each update")
    func updated() throws {
        try inDatabase { db in
            updates = []
            var record = Updating(id: nil, name: "a")
            try record.insert(db)
            try record.insert(db, onConflict: .replace)
            for name in ["b", "c", "d"] {
                record.name = name
                try record.update(db)
            }
            #expect(updates == ["b", "c", "d"])
            for name in ["e", "f", "g"] { try record.updateChanges(db) { $0.name = name } }
            #expect(updates == ["b", "c", "d", "e", "f", "g"])
        }
    }
}
