// The callbacks of the tutorial. Its `willUpdate` is mutating, unlike the protocol's, so the callback is written here
// as the protocol declares it.

import Foundation
import Rowan
import Testing

private final class Lines {
    var lines: [String] = []
}

private struct Player: MutablePersistableRecord {
    var id: Int64?
    var name: String
    var createdAt: Date?
    let output: Lines

    func print(_ line: String) { output.lines.append(line) }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["createdAt"] = createdAt
    }

    // Called before insertion
    mutating func willInsert(_ db: Database) throws {
        createdAt = Date()
    }

    // Called after successful insertion
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }

    // Wrap the insertion
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        print("About to insert \(name)")
        _ = try insert()
        print("Did insert \(name)")
    }

    // Called before update
    func willUpdate(_ db: Database, columns: Set<String>) throws {
        print("About to update")
    }

    // Called after successful update
    func didUpdate(_ updated: PersistenceSuccess) {
        print("Record was updated")
    }

    // Wrap the update
    func aroundUpdate(
        _ db: Database,
        columns: Set<String>,
        update: () throws -> PersistenceSuccess
    ) throws {
        print("Updating columns: \(columns.sorted())")
        _ = try update()
    }

    // Called before save (insert or update)
    func willSave(_ db: Database) throws {
        print("About to save")
    }

    // Called after successful save
    func didSave(_ saved: PersistenceSuccess) {
        print("Did save")
    }

    // Wrap the save
    func aroundSave(
        _ db: Database,
        save: () throws -> PersistenceSuccess
    ) throws {
        print("Saving...")
        _ = try save()
    }

    // Called before deletion
    func willDelete(_ db: Database) throws {
        print("About to delete")
    }

    // Called after successful deletion
    func didDelete(deleted: Bool) {
        if deleted {
            print("Was deleted")
        }
    }

    // Wrap the deletion
    func aroundDelete(
        _ db: Database,
        delete: () throws -> Bool
    ) throws {
        print("Deleting...")
        _ = try delete()
    }
}

struct DocumentedCallbackTests {
    @Test func callbacks() throws {
        try inLoggedDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, createdAt DATETIME)") {
            db, _ throws in
            let output = Lines()
            var player = Player(id: nil, name: "Arthur", createdAt: nil, output: output)
            try player.insert(db)
            #expect(player.id == 1)
            #expect(player.createdAt != nil)
            #expect(try Date.fetchOne(db, sql: "SELECT createdAt FROM player") != nil)
            try player.update(db)
            try player.delete(db)
            #expect(
                output.lines == [
                    "About to save", "Saving...", "About to insert Arthur", "Did insert Arthur", "Did save",
                    "About to save", "Saving...", "About to update", #"Updating columns: ["createdAt", "id", "name"]"#,
                    "Record was updated", "Did save",
                    "About to delete", "Deleting...", "Was deleted",
                ])
        }
    }
}
