// The interests of transaction observers, requested before each run of the same statement.

import Rowan
import Testing

private final class Answering: TransactionObserver {
    var observes = true
    var questions = 0
    var rows: [Int64] = []
    var commits = 0

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        questions += 1
        return observes
    }
    func databaseDidChange(with event: DatabaseEvent) { rows.append(event.rowID) }
    func databaseDidCommit(_ db: Database) { commits += 1 }
    func databaseDidRollback(_ db: Database) {}
}

@Suite(.tags(.runsOnClusters))
struct ObserverAnswersTests {
    private func insert(_ db: Database, _ id: Int) throws {
        try db.cachedStatement(sql: "INSERT INTO t VALUES (?)").execute(arguments: [id])
    }

    private func withTable(_ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
            try body(db)
        }
    }

    @Test func eachStatementAsksOnce() throws {
        try withTable { db in
            let observers = (0..<5).map { _ in Answering() }
            for observer in observers { db.add(transactionObserver: observer) }
            try db.inTransaction {
                for id in 1...4 {
                    for (number, observer) in observers.enumerated() { observer.observes = (id + number) % 2 == 0 }
                    try insert(db, id)
                    // The interests are unchanged.
                    try insert(db, 10 + id)
                }
                return .commit
            }
            for (number, observer) in observers.enumerated() {
                #expect(observer.questions == 8)
                #expect(observer.rows == (number % 2 == 0 ? [2, 12, 4, 14] : [1, 11, 3, 13]))
                #expect(observer.commits == 1)
            }
        }
    }

    @Test func observersComeAndGo() throws {
        try withTable { db in
            let (first, second) = (Answering(), Answering())
            db.add(transactionObserver: first)
            try db.inTransaction {
                try insert(db, 1)
                db.add(transactionObserver: second)
                try insert(db, 2)
                db.remove(transactionObserver: first)
                try insert(db, 3)
                second.stopObservingDatabaseChangesUntilNextTransaction()
                try insert(db, 4)
                return .commit
            }
            try insert(db, 5)
            #expect(first.rows == [1, 2])
            #expect(second.rows == [2, 3, 5])
        }
    }

    /// A trigger, and a function that runs the same statement recursively.
    @Test func theSameStatementInsideItself() throws {
        try withTable { db in
            let observer = Answering()
            db.add(transactionObserver: observer)
            let box = UncheckedBox(db)
            db.add(
                function: DatabaseFunction("next", argumentCount: 1) { values in
                    guard let id = Int.fromDatabaseValue(values[0]), id < 3 else { return nil }
                    try box.value.execute(
                        sql: "INSERT INTO t VALUES (? + 0 * ifnull(next(? + 1), 0))", arguments: [id, id])
                    return id
                })
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (? + 0 * ifnull(next(? + 1), 0))", arguments: [0, 0])
                return .commit
            }
            #expect(observer.rows.sorted() == [0, 1, 2])
        }
    }

    /// A connection does not retain its observers after a transaction, even if its statement has failed.
    @Test func observersAreReleased() throws {
        try withTable { db in
            weak var observer: Answering?
            do {
                let strong = Answering()
                observer = strong
                db.add(transactionObserver: strong)
                try insert(db, 1)
                #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
                #expect(strong.rows == [1])
            }
            #expect(observer == nil)
            try insert(db, 2)
            do {
                let strong = Answering()
                observer = strong
                db.add(transactionObserver: strong)
                try db.inTransaction {
                    try insert(db, 3)
                    return .rollback
                }
            }
            #expect(observer == nil)
        }
    }

    /// An observer that adds another one while it is queried.
    @Test func anObserverThatAddsObservers() throws {
        final class Adding: TransactionObserver {
            var others: [Answering] = []
            var db: Database?
            var answer = false
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
                if let db, others.count < 3 {
                    others.append(Answering())
                    db.add(transactionObserver: others[others.count - 1])
                }
                answer.toggle()
                return answer
            }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        try withTable { db in
            let observer = Adding()
            observer.db = db
            db.add(transactionObserver: observer)
            try db.inTransaction {
                for id in 1...6 { try insert(db, id) }
                return .commit
            }
            #expect(observer.others.map { $0.rows.last } == [6, 6, 6])
            #expect(observer.others.map(\.rows.count) == [5, 4, 3])
            observer.db = nil
        }
    }
}
