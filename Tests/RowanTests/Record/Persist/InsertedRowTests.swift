import Rowan
import RowanRecords
import Testing

// An insertion that inserts no row doesn't set its record's rowid: the connection's last rowid belongs to another row.

private struct Note: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "target"
    var id: Int64?
    var text: String
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct Handwritten: FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "target"
    var id: Int64?
    var text: String
    init(text: String) { self.text = text }
    init(row: Row) { (id, text) = (row["id"], row["text"]) }
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["text"] = text
    }
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private final class Around: PersistableRecord, @unchecked Sendable {
    static let databaseTableName = "target"
    let text: String
    // Needs no lock, because the test uses it on one thread.
    var rowIDs: [Int64] = []
    var containers: [[String]] = []
    init(text: String) { self.text = text }
    func encode(to container: inout PersistenceContainer) { container["text"] = text }
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        let inserted = try insert()
        rowIDs.append(inserted.rowID)
        containers.append(["\(inserted.persistenceContainer["id"]?.databaseValue ?? .null)"])
    }
}

@Record("target") private struct Generated {
    var id: Int64?
    var text: String
}

@Suite struct InsertedRowTests {
    /// Reasons for an insertion into `target` to insert no row.
    enum Reason: String, CaseIterable {
        case view =
            "CREATE VIEW target AS SELECT id, text FROM other; CREATE TRIGGER i INSTEAD OF INSERT ON target BEGIN UPDATE other SET text = text; END"
        case constraint =
            "CREATE TABLE target (id INTEGER PRIMARY KEY, text TEXT UNIQUE ON CONFLICT IGNORE); INSERT INTO target VALUES (1, 'x')"
        case trigger =
            "CREATE TABLE target (id INTEGER PRIMARY KEY, text TEXT); CREATE TRIGGER i BEFORE INSERT ON target BEGIN SELECT RAISE(IGNORE); END"
    }

    private func with(_ reason: Reason, _ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE other (id INTEGER PRIMARY KEY, text TEXT)")
            try db.execute(sql: reason.rawValue)
            // A rowid that must not be assigned to any record.
            try db.execute(sql: "INSERT INTO other VALUES (42, 'other')")
            try body(db)
        }
    }

    fileprivate func insertions<R: MutablePersistableRecord & FetchableRecord>(
        _ type: R.Type
    ) -> [(String, (inout R, Database) throws -> Void)] {
        [
            ("insert", { try $0.insert($1) }),
            ("save", { try $0.save($1) }),
            (
                "insertAll",
                { record, db in
                    var records = [record]
                    try R.insertAll(db, &records)
                    record = records[0]
                }
            ),
        ]
    }

    @Test(arguments: Reason.allCases)
    func recordsGetNoRowID(_ reason: Reason) throws {
        for (name, insert) in insertions(Note.self) {
            try with(reason) { db in
                var note = Note(text: "x")
                try insert(&note, db)
                #expect(note.id == nil, "\(name) of a Codable record")
            }
        }
        for (name, insert) in insertions(Handwritten.self) {
            try with(reason) { db in
                var record = Handwritten(text: "x")
                try insert(&record, db)
                #expect(record.id == nil, "\(name) of a handwritten record")
            }
        }
        for (name, insert) in insertions(Generated.self) {
            try with(reason) { db in
                for _ in 1...3 {
                    var record = Generated(text: "x")
                    try insert(&record, db)
                    #expect(record.id == nil, "\(name) of a generated record")
                }
            }
        }
    }

    @Test(arguments: Reason.allCases)
    func aroundInsertSeesNoRowID(_ reason: Reason) throws {
        try with(reason) { db in
            let record = Around(text: "x")
            try record.insert(db)
            try record.insert(db)
            #expect(record.rowIDs == [0, 0])
            #expect(record.containers == [["NULL"], ["NULL"]])
        }
    }

    @Test(arguments: Reason.allCases)
    func fetchedInsertions(_ reason: Reason) throws {
        try with(reason) { db in
            var note = Note(text: "x")
            _ = try note.insertAndFetch(db, selection: [Column("text")]) { try Row.fetchAll($0) }
            #expect(note.id == nil)
        }
    }

    @Test func anIgnoredConflictOfTheCall() throws {
        try with(.constraint) { db in
            var note = Note(text: "x")
            try note.insert(db, onConflict: .ignore)
            #expect(note.id == nil)
            try Note(id: 7, text: "y").inserted(db).update(db)
            #expect(try Note.fetchAll(db) == [Note(id: 1, text: "x"), Note(id: 7, text: "y")])
        }
    }

    @Test func anUpsertThatUpdatesNothing() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE other (id INTEGER PRIMARY KEY, text TEXT);
                    CREATE TABLE target (id INTEGER PRIMARY KEY, text TEXT UNIQUE);
                    CREATE TRIGGER u BEFORE UPDATE ON target BEGIN SELECT RAISE(IGNORE); END;
                    INSERT INTO target VALUES (1, 'x');
                    INSERT INTO other VALUES (42, 'other')
                    """)
            for _ in 1...3 {
                var note = Note(text: "x")
                try note.upsert(db)
                #expect(note.id == nil)
            }
        }
    }

    /// Another connection changes the key column between two insertions outside a transaction.
    @Test(arguments: ConnectionKind.files)
    func aKeyThatAnotherConnectionMoves(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("db.sqlite")
        let (one, other) = (try kind.make(path: path), try kind.make(path: path))
        try one.write { try $0.execute(sql: "CREATE TABLE target (id INTEGER PRIMARY KEY, text TEXT)") }
        try one.writeWithoutTransaction { db in
            for _ in 1...3 {
                var (note, generated) = (Rekeyed(text: "a"), Generated(text: "a"))
                try note.insert(db)
                try generated.insert(db)
                #expect(note.column == "id")
                #expect(generated.id != nil)
            }
            for _ in 1...2 {
                try other.write { db in
                    try db.execute(
                        sql: """
                            DROP TABLE target;
                            CREATE TABLE target (id INTEGER, text TEXT, key INTEGER PRIMARY KEY);
                            """)
                }
                var generated = Generated(text: "a")
                try generated.insert(db)
                #expect(generated.id == nil)
                try other.write {
                    try $0.execute(sql: "DROP TABLE target; CREATE TABLE target (id INTEGER PRIMARY KEY, text TEXT)")
                }
                var note = Rekeyed(text: "a")
                try note.insert(db)
                #expect(note.column == "id")
                try other.write {
                    try $0.execute(
                        sql: "DROP TABLE target; CREATE TABLE target (id INTEGER, text TEXT, key INTEGER PRIMARY KEY)")
                }
                try note.insert(db)
                #expect(note.column == "key")
            }
        }
    }
}

private struct Rekeyed: Codable, MutablePersistableRecord {
    static let databaseTableName = "target"
    var id: Int64?
    var text: String
    var column: String?
    enum CodingKeys: CodingKey { case id, text }
    mutating func didInsert(_ inserted: InsertionSuccess) { column = inserted.rowIDColumn }
}

/// Observers write after the commit of a statement, before its result is known to the record.
private final class Writer: TransactionObserver {
    private let sql: String
    private var isWriting = false
    init(_ sql: String) { self.sql = sql }
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "target" }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidRollback(_ db: Database) {}
    func databaseDidCommit(_ db: Database) {
        // Its own commit is another one.
        guard !isWriting else { return }
        isWriting = true
        defer { isWriting = false }
        do { try db.execute(sql: sql) } catch { Issue.record(error) }
    }
}

extension InsertedRowTests {
    private enum Listener: CaseIterable {
        case observer, afterTheTransaction

        func write(_ db: Database, _ sql: String, _ body: () throws -> Void) throws {
            let observer = Writer(sql)
            switch self {
            case .observer: db.add(transactionObserver: observer)
            case .afterTheTransaction:
                db.afterNextTransaction { db in do { try db.execute(sql: sql) } catch { Issue.record(error) } }
            }
            try body()
            db.remove(transactionObserver: observer)
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func observersThatWrite(_ kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE target (id INTEGER PRIMARY KEY, text TEXT);
                    CREATE TABLE log (id INTEGER PRIMARY KEY);
                    INSERT INTO log VALUES (41)
                    """)
        }
        let (log, nothing) = ("INSERT INTO log DEFAULT VALUES", "DELETE FROM log WHERE 0")
        try writer.writeWithoutTransaction { db in
            var last: Int64 = 0
            for listener in Listener.allCases {
                for (name, insert) in insertions(Note.self) {
                    var note = Note(text: "x")
                    try listener.write(db, log) { try insert(&note, db) }
                    last += 1
                    #expect(note.id == last, "\(name) of a Codable record")
                }
                var (handwritten, generated) = (Handwritten(text: "x"), Generated(text: "x"))
                try listener.write(db, log) { try handwritten.insert(db) }
                try listener.write(db, log) { try generated.insert(db) }
                last += 2
                #expect((handwritten.id, generated.id) == (last - 1, last))
                #expect((db.lastInsertedRowID, db.changesCount) == (last, 1))
                #expect(try Int64.fetchOne(db, sql: "SELECT last_insert_rowid()") == last)
                #expect((db.lastInsertedRowID, db.changesCount) == (last, 1))

                try listener.write(db, nothing) { try handwritten.update(db) }
                try listener.write(db, nothing) { try generated.update(db) }
                try listener.write(db, nothing) { try generated.save(db) }
                try listener.write(db, nothing) { _ = try handwritten.updateAndFetch(db) }
                try listener.write(db, log) {
                    #expect(throws: RecordError.self) { try Note(id: 99, text: "x").update(db) }
                    #expect(throws: RecordError.self) { try Note(id: 99, text: "x").updateAndFetch(db) }
                }
                try listener.write(db, log) {
                    let count = try Note.filter(Column("id") <= 2).updateAll(db, Column("text").set(to: "y"))
                    #expect(count == 2)
                }
                var wasDeleted = false
                try listener.write(db, nothing) { wasDeleted = try generated.delete(db) }
                #expect(wasDeleted)
                try listener.write(db, log) { wasDeleted = try generated.delete(db) }
                #expect(!wasDeleted)
                last -= 1
                try listener.write(db, log) {
                    try db.inTransaction {
                        _ = try Note(text: "z").inserted(db)
                        return .commit
                    }
                }
                last += 1
                #expect((db.lastInsertedRowID, db.changesCount) == (last, 1))
                try db.execute(sql: "UPDATE target SET text = 'x' WHERE id = 1000")
                #expect(db.changesCount == 0)
            }
            #expect(try Note.fetchCount(db) == Int(last))
        }
    }
}
