// Batches and saves by position: the same SQL and the same rows as with containers.

import Foundation
import Rowan
import RowanRecords
import Synchronization
import Testing

@Record("note") private struct Note: Equatable {
    var id: Int64?
    var title: String
    var data: Data?
    @Column(generated: true) var length: Int?
    var date: Date?
    @Column(as: .json) var numbers: [Int]

    init(_ id: Int64?, _ title: String, data: Data? = nil, date: Date? = nil, numbers: [Int] = []) {
        (self.id, self.title, self.data, self.date, self.numbers) = (id, title, data, date, numbers)
    }
}

/// The same rows through a container: a callback needs it.
@Record("note") private struct CalledNote: Equatable {
    var id: Int64?
    var title: String
    var data: Data?
    @Column(generated: true) var length: Int?
    var date: Date?
    @Column(as: .json) var numbers: [Int]

    func willSave(_ db: Database) throws {}

    init(_ note: Note) {
        (id, title, data, date, numbers) = (note.id, note.title, note.data, note.date, note.numbers)
    }
}

@Record("seat") private struct Seat: Equatable {
    @PrimaryKey var row: Int
    @PrimaryKey var number: Int?
    var name: String?
}

/// Implements the callback after an update only.
@Record("seat") private struct ReportingSeat: Equatable {
    @PrimaryKey var row: Int
    @PrimaryKey var number: Int?
    var name: String?

    static let updates = Updates()

    func didUpdate(_ updated: PersistenceSuccess) {
        let container = updated.persistenceContainer
        ReportingSeat.updates.append(
            "\(container["row"] as Int?, default: "-") \(container["name"] as String?, default: "-")")
    }
}

private final class Updates: Sendable {
    private let storage = Mutex<[String]>([])

    func append(_ value: String) { storage.withLock { $0.append(value) } }
    func take() -> [String] {
        storage.withLock { values in
            defer { values = [] }; return values
        }
    }
}

/// A date whose year can't be stored.
private let unstorable = Date(timeIntervalSince1970: 1e17)

@Suite("Batches and saves by position", .serialized)
struct PositionalWriteTests {
    private func inDatabase(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE note (
                        id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, data BLOB,
                        length INTEGER GENERATED ALWAYS AS (length(title)), date TEXT, numbers TEXT NOT NULL);
                    CREATE TABLE seat (row INTEGER, number INTEGER, name TEXT, PRIMARY KEY (row, number));
                    """)
            try body(db)
        }
    }

    /// The statements that write, without their arguments.
    private func writes(_ db: Database, _ body: () throws -> Void) throws -> [String] {
        var statements: [String] = []
        db.trace { if case .statement(let statement) = $0 { statements.append(statement.sql) } }
        defer { db.trace(nil) }
        try body()
        return statements.filter { $0.hasPrefix("INSERT") || $0.hasPrefix("UPDATE") }
    }

    private func notes(_ count: Int) -> [Note] {
        (0..<count).map { index in
            Note(
                index % 3 == 0 ? nil : Int64(1_000 + index), String(repeating: "ä", count: index % 7) + "\(index)",
                data: index % 4 == 0 ? nil : Data(repeating: UInt8(index % 256), count: index % 5),
                date: index % 5 == 0 ? nil : Date(timeIntervalSince1970: Double(index)), numbers: [index])
        }
    }

    private func rows(_ db: Database) throws -> [String] {
        try Row.fetchAll(db, sql: "SELECT * FROM note ORDER BY title").map { $0.description }
    }

    private func insertion(_ rowCount: Int) -> String {
        "INSERT INTO \"note\" (\"id\", \"title\", \"data\", \"date\", \"numbers\") VALUES "
            + Array(repeating: "(?,?,?,?,?)", count: rowCount).joined(separator: ",")
    }

    @Test("A batch has the rows of a loop", arguments: [1, 2, 3, 64, 65, 200])
    func batches(_ count: Int) throws {
        let records = notes(count)
        var expected: [String] = []
        try inDatabase { db in
            for var record in records { try record.insert(db) }
            expected = try rows(db)
        }
        try inDatabase { db in
            let called = try writes(db) { try CalledNote.insertAll(db, records.map(CalledNote.init)) }
            #expect(called == Array(repeating: insertion(1), count: count))
            #expect(try rows(db) == expected)
        }
        try inDatabase { db in
            try Note.insertAll(db, [Note(nil, "first")])
            try Note.deleteAll(db)
            let sql = try writes(db) { try Note.insertAll(db, records) }
            var rest = count
            var sizes: [Int] = []
            while rest > 0 {
                let size = min(64, 1 << (Int.bitWidth - 1 - rest.leadingZeroBitCount))
                sizes.append(size)
                rest -= size
            }
            // The table has an index, so that several rows share a statement that keeps rows when it fails.
            #expect(sql.map { $0.replacingOccurrences(of: "INSERT OR FAIL", with: "INSERT") } == sizes.map(insertion))
            #expect(try rows(db) == expected)
        }
    }

    @Test("Large values are split into smaller statements")
    func largeValues() throws {
        try inDatabase { db in
            try Note.insertAll(db, [Note(nil, "first")])
            let records = (0..<16).map { Note($0 + 10, "\($0)" + String(repeating: "x", count: 300_000)) }
            let sql = try writes(db) { try Note.insertAll(db, records) }
            #expect(sql.map { $0.split(separator: "(?").count - 1 } == [4, 4, 4, 4])
            #expect(try Note.order { $0.id }.fetchAll(db).dropFirst().map(\.title) == records.map(\.title))
            // One value that needs more than the limit has a statement of its own.
            let huge = [1, 2].map { Note(Int64($0 + 50), "\($0)" + String(repeating: "y", count: 3_000_000)) }
            let single = try writes(db) { try Note.insertAll(db, huge) }
            #expect(single.map { $0.split(separator: "(?").count - 1 } == [1, 1])
            #expect(try Note.fetchCount(db) == 19)
        }
    }

    @Test("The record that violates a constraint is named, and nothing stays")
    func violations() throws {
        try inDatabase { db in
            try Note.insertAll(db, [Note(1, "first")])
            var records = notes(100)
            records[70].title = records[3].title
            let error = #expect(throws: DatabaseError.self) { try Note.insertAll(db, records) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(error?.message == "UNIQUE constraint failed: note.title - inserting the record at index 70")
            #expect(try Note.fetchAll(db).map(\.title) == ["first"])
        }
    }

    @Test("A value that can't be stored is named by its column, and nothing stays")
    func unstorableValues() throws {
        try inDatabase { db in
            try Note.insertAll(db, [Note(1, "first")])
            var records = notes(20)
            records[13].date = unstorable
            let error = #expect(throws: DatabaseError.self) { try Note.insertAll(db, records) }
            let single = #expect(throws: DatabaseError.self) {
                try CalledNote.insertAll(db, records.map(CalledNote.init))
            }
            #expect(error?.resultCode == .SQLITE_MISMATCH)
            #expect(error?.message == single?.message)
            #expect(error?.message?.contains("column date") == true, "\(error as Any)")
            #expect(try Note.fetchCount(db) == 1)
        }
    }

    @Test("The schema changes between two records of a batch")
    func changingSchema() throws {
        try inDatabase { db in
            try Note.insertAll(db, [Note(1, "first")])
            // The sequence changes the schema after the 70th record: the table becomes a view with a trigger.
            var number = 0
            let records = sequence(state: ()) { _ -> Note? in
                number += 1
                if number == 70 {
                    do {
                        try db.execute(
                            sql: """
                                ALTER TABLE note RENAME TO stored;
                                CREATE VIEW note AS SELECT * FROM stored;
                                CREATE TRIGGER t INSTEAD OF INSERT ON note BEGIN
                                    INSERT INTO stored (title, numbers) VALUES (NEW.title || '!', NEW.numbers);
                                END
                                """)
                    } catch { Issue.record(error) }
                }
                return number > 100 ? nil : Note(nil, "n\(number)")
            }
            try Note.insertAll(db, records)
            let titles = try String.fetchAll(db, sql: "SELECT title FROM stored ORDER BY rowid")
            #expect(titles.count == 101)
            // Five records were waiting when the schema changed.
            #expect(titles == ["first"] + (1...64).map { "n\($0)" } + (65...100).map { "n\($0)!" })
        }
    }

    // MARK: Saves

    @Test("Saves by position run the statements of saves through a container")
    func saves() throws {
        try inDatabase { db in
            let insertion = #"INSERT INTO "seat" ("row", "number", "name") VALUES (?,?,?)"#
            let update = #"UPDATE "seat" SET "name"=? WHERE "row"=? AND "number"=?"#
            var seat = Seat(row: 1, number: 1, name: "a")
            for name in ["a", "b", "c", nil] {
                seat.name = name
                let expected = name == "a" ? [update, insertion] : [update]
                let sql = try writes(db) { try seat.save(db) }
                #expect(sql == expected)
                #expect(try Seat.fetchAll(db) == [seat])
            }
            // A part of the key is not set.
            for _ in 0..<3 {
                let incomplete = Seat(row: 2, number: nil, name: "x")
                let sql = try writes(db) { try incomplete.save(db) }
                #expect(sql == [insertion])
            }
            #expect(try Seat.filter { $0.row == 2 }.fetchCount(db) == 3)
            // The row doesn't exist.
            for row in 3..<6 {
                let other = Seat(row: row, number: 1, name: "y")
                let sql = try writes(db) { try other.save(db) }
                #expect(sql == [update, insertion])
            }
            #expect(try Seat.fetchCount(db) == 7)
        }
    }

    @Test("A saved record keeps its rowid")
    func savedRowIDs() throws {
        try inDatabase { db in
            for number in 1...4 {
                var note = Note(nil, "n\(number)")
                try note.save(db)
                #expect(note.id == Int64(number))
                note.title += "!"
                try note.save(db)
                #expect(try Note.fetchOne(db, key: number)?.title == "n\(number)!")
            }
            #expect(try Note.fetchCount(db) == 4)
            var note = Note(1, "n2!")
            let error = #expect(throws: DatabaseError.self) { try note.save(db) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            var ignored = Note(nil, "n2!")
            try ignored.save(db, onConflict: .ignore)
            #expect(ignored.id == nil)
        }
    }

    @Test("didUpdate receives the values of updates and saves")
    func updatesAreReported() throws {
        try inDatabase { db in
            _ = ReportingSeat.updates.take()
            var seat = ReportingSeat(row: 1, number: 1, name: "a")
            for name in ["a", "b", "c"] {
                seat.name = name
                try seat.save(db)
            }
            for name in ["d", "e", "f"] {
                seat.name = name
                try seat.update(db)
            }
            try seat.updateChanges(db) { $0.name = "g" }
            try seat.updateChanges(db) { $0.name = "h" }
            #expect(ReportingSeat.updates.take() == ["1 b", "1 c", "1 d", "1 e", "1 f", "1 g", "1 h"])
        }
    }
}
