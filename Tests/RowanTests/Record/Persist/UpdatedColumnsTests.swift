// The columns passed to the callbacks of an update are those of the updated record, even if records of its type encode
// varying columns. Unknown previous values count as changes.

import Rowan
import Testing

/// A record that encodes the columns in its dictionary.
private struct Sparse: MutablePersistableRecord, Equatable {
    static let databaseTableName = "sparse"
    var id: Int64 = 1
    var values: [String: Int?]

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { container[name] = value }
    }
}

private struct Watched: MutablePersistableRecord {
    static let databaseTableName = "sparse"
    final class Log { var columns: [Set<String>] = [] }
    var record: Sparse
    let log: Log
    /// Replaces the record before its update.
    var replacement: Sparse?

    func encode(to container: inout PersistenceContainer) { record.encode(to: &container) }
    mutating func willUpdate(_ db: Database, columns: Set<String>) throws {
        log.columns.append(columns)
        if let replacement { record = replacement }
    }
    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
        log.columns.append(columns)
        _ = try update()
    }
}

private let schema = """
    CREATE TABLE sparse (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER);
    INSERT INTO sparse VALUES (1, 1, 2, 3)
    """

@Suite struct UpdatedColumnsTests {
    private func stored(_ db: Database) throws -> [Int?] {
        try #require(try Row.fetchOne(db, sql: "SELECT a, b, c FROM sparse")).map { Int.fromDatabaseValue($0.1) }
    }

    @Test func callbacksReceiveTheColumnsOfTheirRecord() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let log = Watched.Log()
            try Watched(record: Sparse(values: ["a": 4, "b": 5]), log: log).update(db)
            try Watched(record: Sparse(values: ["c": 6]), log: log).update(db)
            try Watched(record: Sparse(values: ["a": 7, "b": 8]), log: log).update(db)
            #expect(
                log.columns == [
                    ["id", "a", "b"], ["id", "a", "b"], ["id", "c"], ["id", "c"], ["id", "a", "b"], ["id", "a", "b"],
                ])
            #expect(try stored(db) == [7, 8, 6])
        }
    }

    /// The callback changes the written columns, but not the announced ones.
    @Test func willUpdateMayChangeTheColumns() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let log = Watched.Log()
            for _ in 0..<2 {
                try Watched(record: Sparse(values: ["a": 4]), log: log, replacement: Sparse(values: ["c": 5])).update(
                    db)
            }
            #expect(log.columns == [["id", "a"], ["id", "a"], ["id", "a"], ["id", "a"]])
            #expect(try stored(db) == [1, 2, 5])
        }
    }

    @Test func recordsWithoutCallbacksMayEncodeOtherColumns() throws {
        try inLoggedDatabase(schema) { db, log throws in
            try Sparse(values: ["a": 4, "b": 5]).update(db)
            try Sparse(values: ["c": 6]).update(db)
            #expect(
                log.takeExpanded() == [
                    #"UPDATE "sparse" SET "a"=4, "b"=5 WHERE "id"=1"#, #"UPDATE "sparse" SET "c"=6 WHERE "id"=1"#,
                ])
        }
    }

    @Test func anUnknownPreviousValueIsAChange() throws {
        let partial = Sparse(values: ["a": 1])
        let whole = Sparse(values: ["a": 1, "b": nil])
        #expect(try whole.databaseChanges(from: partial) == ["b": .null])
        #expect(try partial.databaseChanges(from: whole) == [:])
        try inLoggedDatabase(schema) { db, log throws in
            #expect(try whole.updateChanges(db, from: partial))
            #expect(log.takeExpanded() == [#"UPDATE "sparse" SET "b"=NULL WHERE "id"=1"#])
            #expect(try stored(db) == [1, nil, 3])
            _ = log.take()
            #expect(try !partial.updateChanges(db, from: whole))
            #expect(log.takeExpanded() == [])
            var growing = partial
            #expect(try growing.updateChanges(db) { $0.values["c"] = .some(nil) })
            #expect(log.takeExpanded() == [#"UPDATE "sparse" SET "c"=NULL WHERE "id"=1"#])
        }
    }

    @Test func recordsWithOtherColumnsDiffer() {
        let partial = Sparse(values: ["a": 1])
        let whole = Sparse(values: ["a": 1, "b": nil])
        #expect(!whole.databaseEquals(partial))
        #expect(!partial.databaseEquals(whole))
        #expect(whole.databaseEquals(whole))
    }
}
