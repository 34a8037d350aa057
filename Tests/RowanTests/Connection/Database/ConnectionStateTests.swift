// Values that higher layers store on a connection: one of each class, with the lifetime of its storage.

import Testing

@testable import Rowan

private struct Item: Codable, Equatable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String

    static let schema = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)"
}

/// Releases memory during its insertion.
private struct ReleasingItem: Codable, PersistableRecord {
    static let databaseTableName = "item"
    var id: Int64
    var name: String

    func willInsert(_ db: Database) throws {
        db.releaseMemory()
        try db.execute(sql: "INSERT INTO log VALUES (?)", arguments: [id])
    }
}

@Suite(.tags(.runsOnClusters))
struct ConnectionStateTests {
    @Test func aValueIsMadeOnce() throws {
        try withDatabase { db in
            #expect(db.state[RecordPlans.self] == nil)
            let plans = db.recordPlans
            #expect(db.recordPlans === plans)
            #expect(db.state[RecordPlans.self] === plans)
            #expect(db.state.isEmpty(CallbackProbe.place))
        }
    }

    @Test func aValueHasThePlaceOfItsClass() throws {
        try withDatabase { db in
            let probe = CallbackProbe(ObjectIdentifier(Item.self))
            db.state[CallbackProbe.self] = probe
            let plans = db.recordPlans
            #expect(db.state[CallbackProbe.self] === probe)
            #expect(db.state[RecordPlans.self] === plans)
            db.state[CallbackProbe.self] = nil
            #expect(db.state.isEmpty(CallbackProbe.place))
            #expect(db.state[RecordPlans.self] === plans)
        }
    }

    @Test func releasingMemoryDropsWhatBelongsToStatements() throws {
        try inLoggedDatabase(Item.schema) { db, log throws in
            try Item(id: 1, name: "a").insert(db)
            let probe = CallbackProbe(ObjectIdentifier(Item.self))
            db.state[CallbackProbe.self] = probe
            db.releaseMemory()
            #expect(db.state.isEmpty(RecordPlans.place))
            #expect(db.state[CallbackProbe.self] === probe)
            try Item(id: 2, name: "b").insert(db)
            #expect(try Item.fetchOne(db, key: 2) == Item(id: 2, name: "b"))
        }
    }

    @Test func closingDropsAllUnlessItFails() throws {
        let queue = try DatabaseQueue()
        weak var probe: CallbackProbe?
        weak var plans: RecordPlans?
        var kept: Statement?
        try queue.inDatabase { db in
            let newProbe = CallbackProbe(ObjectIdentifier(Item.self))
            db.state[CallbackProbe.self] = newProbe
            (probe, plans) = (newProbe, db.recordPlans)
            kept = try db.makeStatement(sql: "SELECT 1")
        }
        #expect(probe != nil && plans != nil)
        withExtendedLifetime(kept) { _ = expectError(.SQLITE_BUSY) { try queue.close() } }
        #expect(probe != nil)
        #expect(plans == nil)
        kept = nil
        try queue.close()
        #expect(probe == nil)
    }

    @Test func aCallbackMayReleaseMemoryDuringABatch() throws {
        try inLoggedDatabase("\(Item.schema); CREATE TABLE log (id)") { db, _ throws in
            try ReleasingItem.insertAll(db, (1...5).map { ReleasingItem(id: $0, name: "n\($0)") })
            #expect(try Int64.fetchAll(db, sql: "SELECT id FROM item") == [1, 2, 3, 4, 5])
            #expect(try Int64.fetchAll(db, sql: "SELECT id FROM log") == [1, 2, 3, 4, 5])
        }
    }
}
