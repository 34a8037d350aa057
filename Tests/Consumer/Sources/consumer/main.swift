import Foundation
import Rowan

/// Exits with an error unless the condition holds.
func check(_ condition: Bool, _ what: String) {
    guard !condition else { return }
    FileHandle.standardError.write(Data("consumer: failed: \(what)\n".utf8))
    exit(1)
}

do {
    let queue = try DatabaseQueue()

    try queue.write { db in
        try db.create(table: "player") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("name", .text).notNull()
            t.column("score", .integer).notNull()
        }
        for (name, score) in [("Arthur", 100), ("Barbara", 1000), ("Craig", 500)] {
            var player = Player(name: name, score: score)
            try player.insert(db)
            check(player.id == db.lastInsertedRowID, "an insert tells the id of its row")
        }
    }

    let best = try queue.read { db in
        try Player.filter { $0.score >= 500 }.order { $0.score.desc }.fetchAll(db)
    }
    check(best.map(\.name) == ["Barbara", "Craig"], "a request filters and orders")

    try queue.write { db in
        var player = try Player.fetchOne(db, key: 1)
        check(try player?.updateChanges(db) { $0.score += 50 } == true, "an update writes a change")
        check(try player?.updateChanges(db) { $0.score = 150 } == false, "an update without change writes nothing")
        let count = try Player.filter { $0.score < 1000 }.updateAll(db) { $0.score += 1 }
        check(count == 2, "a batch update counts its rows")
        let scores = try Int.fetchAll(db, sql: "SELECT score FROM player ORDER BY id")
        check(scores == [151, 1000, 501], "raw SQL reads what records have written")
    }

    do {
        try queue.write { db in
            try db.execute(sql: "DELETE FROM player")
            try db.execute(sql: "INSERT INTO player (name, score) VALUES (NULL, 1)")
        }
        check(false, "a constraint is an error")
    } catch let error as DatabaseError {
        check(error.resultCode == .SQLITE_CONSTRAINT, "the error tells its code")
    }
    check(try queue.read(Player.fetchCount) == 3, "an error rolls the transaction back")

    check(try await useAccesses(queue), "asynchronous accesses take closures that don't escape")
    var grouping = Configuration()
    grouping.groupsAsyncWrites = true
    let grouped = try DatabaseQueue(configuration: grouping)
    try queue.backup(to: grouped)
    check(try await useAccesses(grouped), "so do grouped writes")
    print("consumer: all is well")
} catch {
    check(false, "\(error)")
}
