// What a scope shows does not depend on the rows outside of it, and these never change. Random statements run in the same
// scope on two databases, of which only one contains the rows of other tenants.

import Foundation
import Rowan
import Testing

@Suite struct AdversaryTests {
    private static let schema = """
        CREATE TABLE customer(id INTEGER PRIMARY KEY, tenantID INTEGER NOT NULL, name TEXT NOT NULL, phone TEXT);
        CREATE TABLE invoice(
            id INTEGER PRIMARY KEY, tenantID INTEGER NOT NULL, customerID INTEGER REFERENCES customer(id), total INTEGER, note TEXT);
        CREATE INDEX invoice_tenant ON invoice(tenantID, total);
        CREATE INDEX invoice_note ON invoice(note, total);
        CREATE TABLE note(
            id INTEGER PRIMARY KEY, tenantID INTEGER NOT NULL, customerID INTEGER REFERENCES customer(id), body TEXT);
        CREATE UNIQUE INDEX note_body ON note(tenantID, body);
        CREATE INDEX note_id ON note(body, id);
        CREATE TABLE pair(tenantID INTEGER, name TEXT, value, PRIMARY KEY (tenantID, name)) WITHOUT ROWID;
        CREATE TABLE secret(id INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT);
        CREATE TABLE member(customerID INTEGER, user TEXT);
        CREATE VIEW hidden AS SELECT 1 AS one FROM invoice;
        CREATE VIEW hiddenUnion AS SELECT 1 AS one FROM invoice UNION ALL SELECT 2 FROM main.customer;
        CREATE VIEW hiddenJoin AS SELECT i.id, c.name FROM invoice i, customer c;
        CREATE VIRTUAL TABLE document USING fts5(body);
        INSERT INTO customer VALUES (2, 1, 'customer 2', 'p2'), (4, 1, 'customer 4', 'p4'), (6, 1, '{', NULL);
        INSERT INTO invoice VALUES (1, 1, 2, 10, 'note 1'), (3, 1, 4, 30, '{"a": 1}'), (5, 1, 6, NULL, '{'), (7, 1, 2, 9, NULL);
        INSERT INTO note VALUES (1, 1, 2, 'a'), (3, 1, NULL, 'c'), (5, 1, 4, NULL), (7, 1, 2, '{');
        INSERT INTO pair VALUES (1, 'x', 1), (1, 'y', 'note 2'), (1, 'z', NULL);
        INSERT INTO member VALUES (2, 'me'), (4, 'me'), (6, 'you');
        """

    /// The rows outside the scope. Keys differ, because a key that is taken can't be hidden.
    private static let otherRows = """
        INSERT INTO customer VALUES (1000001, 2, 'customer 1', 'p1'), (1000003, 2, '{', 'p3'), (1000005, 3, 'x', NULL);
        INSERT INTO invoice VALUES
            (1000002, 2, 1000001, 20, 'note 2'), (1000004, 2, 1000003, 40, '{'), (1000006, 3, NULL, 9223372036854775807, 'x'),
            (1000008, 1000000, 2, 1, 'note 101');
        INSERT INTO note VALUES (1000002, 2, 1000001, 'b'), (1000004, 2, NULL, 'a'), (1000006, 3, 1000005, '{'), (1000008, 4, NULL, NULL);
        INSERT INTO pair VALUES (2, 'x', 2), (2, 'q', '{'), (3, 'x', 9223372036854775807);
        INSERT INTO secret VALUES (1, 'x'), (2, 'y'), (300, 'z');
        INSERT INTO member VALUES (1000001, 'me'), (1000003, 'you');
        PRAGMA foreign_keys = OFF;
        INSERT INTO note VALUES (1000010, 5, 77, 'an orphan');
        PRAGMA foreign_keys = ON;
        INSERT INTO document VALUES ('x y z');
        """

    private static let tables = ["customer", "invoice", "note", "pair", "secret", "member", "document"]

    private func make(_ rows: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            struct Failure: Error {}
            db.add(
                function: DatabaseFunction("fails", argumentCount: 1, pure: true) { values in
                    if values[0] == 1.databaseValue || values[0] == 2.databaseValue { throw Failure() }
                    return values[0]
                })
            // SQLite's function of this name never fails.
            db.add(
                function: DatabaseFunction("sign", argumentCount: 1, pure: true) { values in
                    if values[0] == 30.databaseValue || values[0] == 40.databaseValue { throw Failure() }
                    return values[0]
                })
        }
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: Self.schema + rows) }
        return queue
    }

    private var scopes: [DatabaseScope] {
        let tenant = Column("tenantID")
        let customers = Table("customer").filter(tenant == 1).select(Column("id"), Column("tenantID"), Column("name"))
        let invoices = Table("invoice").filter(tenant == 1)
        let writing = DatabaseScope().writing(Table("note").filter(tenant == 1)).writing(
            Table("pair").filter(tenant == 1))
        return [
            writing.reading(customers).reading(invoices),
            writing.reading(customers).reading(
                Table("invoice").filter(
                    sql: "tenantID = ? AND customerID IN (SELECT customerID FROM member WHERE user = ?)",
                    arguments: [1, "me"])),
            DatabaseScope().reading(invoices).writing(Table("note").filter(tenant == 1 && Column("id") < 1000)),
            // With the rowid in a condition, and a table to which others refer.
            DatabaseScope().reading(invoices).writing(Table("customer").filter(tenant == 1)).writing(
                Table("note").filter(tenant == 1 && Column.rowID < 1000)),
        ]
    }

    private struct Undone: Error {}

    private enum Outcome: Equatable {
        case rows([String], after: [String])
        case error(String)

        /// Whether it contains the name of a table that stands for one of the scope's, which may read everything.
        var namesSecrets: Bool { "\(self)".contains(/[0-9]{21,}_/) }

        var isError: Bool { if case .error = self { true } else { false } }
    }

    /// The result of a statement, which is undone.
    private func outcome(_ sql: String, _ scope: DatabaseScope, _ queue: DatabaseQueue) throws -> Outcome {
        var outcome: Outcome?
        do {
            try queue.write { db in
                do {
                    outcome = try db.write(in: scope) { db in
                        let rows = try Row.fetchAll(db, sql: sql).map(\.description).sorted()
                        let after = try ["note", "pair", "customer"].flatMap { name in
                            try db.tableExists(name)
                                ? Row.fetchAll(db, sql: "SELECT * FROM \(name) ORDER BY 1, 2").map(\.description) : []
                        }
                        return .rows(rows, after: after)
                    }
                } catch let error as DatabaseError {
                    outcome = .error("\(error.extendedResultCode.rawValue) \(error.message ?? "")")
                }
                throw Undone()
            }
        } catch is Undone {} catch let error as DatabaseError {
            outcome = outcome ?? .error("\(error)")
        }
        return try #require(outcome)
    }

    /// The number of statements. `make stress` runs more of them, with other seeds.
    private static let count = ProcessInfo.processInfo.environment["ROWAN_CYCLES"].flatMap { Int($0) } ?? 400

    @Test func statementsDoNotDependOnRowsOutsideTheScope() throws {
        var random = SeededGenerator(2026)
        var generator = RandomSQL(SeededGenerator(seed: random.next()))
        let (alone, all) = (try make(""), try make(Self.otherRows))
        let expected = try rowsOutside(all)
        var counts: [String: Int] = [:]
        for cycle in 0..<Self.count {
            let sql = generator.statement()
            for (index, scope) in scopes.enumerated() where index == 0 || cycle % 5 == index {
                // Messages about a virtual table depend on whether it has been used since the last rollback.
                for queue in [alone, all] { _ = try rowsOutside(queue) }
                let outcomes = (try outcome(sql, scope, alone), try outcome(sql, scope, all))
                let comment = Comment(rawValue: "seed \(random.seed), cycle \(cycle), scope \(index): \(sql)")
                // RETURNING is a trigger for SQLite: whether it or a check of the scope fails first depends on their names.
                let isUnordered = sql.contains("RETURNING") && outcomes.0.isError && outcomes.1.isError
                if !isUnordered { #expect(outcomes.0 == outcomes.1, comment) }
                #expect(!outcomes.1.namesSecrets, comment)
                #expect(try rowsOutsideAfter(sql, scope, all) == expected, comment)
                switch outcomes.1 {
                case .rows: counts["rows", default: 0] += 1
                case .error(let message): counts[String(message.prefix(2)), default: 0] += 1
                }
            }
        }
        // The statements are neither all refused nor all accepted.
        #expect(counts["rows", default: 0] > Self.count / 5, "\(counts)")
        #expect(counts["23", default: 0] > Self.count / 10, "\(counts)")
    }

    private func rowsOutside(_ queue: DatabaseQueue) throws -> [String] {
        try queue.read { try rowsOutside($0) }
    }

    private func rowsOutside(_ db: Database) throws -> [String] {
        try Self.tables.flatMap { name in
            let condition = ["secret", "member", "document"].contains(name) ? "1" : "tenantID <> 1"
            return try Row.fetchAll(db, sql: "SELECT * FROM \(name) WHERE \(condition)").map(\.description)
        }
    }

    /// The rows outside the scope after a statement, which is undone.
    private func rowsOutsideAfter(_ sql: String, _ scope: DatabaseScope, _ queue: DatabaseQueue) throws -> [String] {
        var rows: [String] = []
        do {
            try queue.write { db in
                // What the statement throws has been compared.
                try? db.write(in: scope) { db in try db.execute(sql: sql) }
                rows = try rowsOutside(db)
                throw Undone()
            }
        } catch is Undone {}
        return rows
    }
}
