// The region of a query contains all that its result depends on. Random queries run before and after random changes: if
// the result is another one, the region must contain the change.

import Foundation
import Rowan
import Testing

@Suite struct RegionPropertyTests {
    private static let changes: [(sql: String, kind: DatabaseEventKind)] = [
        ("INSERT INTO invoice VALUES (50, 1, 2, 3, 'new')", .insert(tableName: "invoice")),
        ("INSERT INTO customer VALUES (50, 1, 'x', 'y')", .insert(tableName: "customer")),
        ("INSERT INTO note VALUES (5, 1, 2, 'x')", .insert(tableName: "note")),
        ("INSERT INTO pair VALUES (1, 'q', 5)", .insert(tableName: "pair")),
        ("INSERT INTO secret VALUES (1, 'note 2')", .insert(tableName: "secret")),
        ("INSERT INTO member VALUES (2, 'x')", .insert(tableName: "member")),
        ("DELETE FROM invoice WHERE id < 4", .delete(tableName: "invoice")),
        ("DELETE FROM customer", .delete(tableName: "customer")), ("DELETE FROM note", .delete(tableName: "note")),
        ("DELETE FROM pair", .delete(tableName: "pair")),
        ("UPDATE invoice SET tenantID = tenantID + 1", .update(tableName: "invoice", columnNames: ["tenantID"])),
        ("UPDATE invoice SET customerID = 4", .update(tableName: "invoice", columnNames: ["customerID"])),
        ("UPDATE invoice SET total = 4", .update(tableName: "invoice", columnNames: ["total"])),
        ("UPDATE customer SET tenantID = 3", .update(tableName: "customer", columnNames: ["tenantID"])),
        ("UPDATE customer SET name = 'x'", .update(tableName: "customer", columnNames: ["name"])),
        ("UPDATE note SET body = 'note 2' || id", .update(tableName: "note", columnNames: ["body"])),
        ("UPDATE note SET customerID = 2", .update(tableName: "note", columnNames: ["customerID"])),
        ("UPDATE pair SET name = name || 'x'", .update(tableName: "pair", columnNames: ["name"])),
        ("UPDATE pair SET value = 2", .update(tableName: "pair", columnNames: ["value"])),
    ]

    private static let schema = """
        CREATE TABLE customer(id INTEGER PRIMARY KEY, tenantID INTEGER, name TEXT, phone TEXT);
        CREATE TABLE invoice(id INTEGER PRIMARY KEY, tenantID INTEGER, customerID INTEGER, total INTEGER, note TEXT);
        CREATE INDEX invoice_tenant ON invoice(tenantID, total);
        CREATE TABLE note(id INTEGER PRIMARY KEY, tenantID INTEGER, customerID INTEGER, body TEXT);
        CREATE TABLE pair(tenantID INTEGER, name TEXT, value, PRIMARY KEY (tenantID, name)) WITHOUT ROWID;
        CREATE TABLE secret(id INTEGER PRIMARY KEY, word TEXT);
        CREATE TABLE member(customerID INTEGER, user TEXT);
        CREATE VIEW hidden AS SELECT 1 AS one FROM invoice;
        CREATE VIEW hiddenUnion AS SELECT 1 AS one FROM invoice UNION ALL SELECT 2 FROM main.customer;
        CREATE VIEW hiddenJoin AS SELECT i.id, c.name FROM invoice i JOIN customer c USING (tenantID);
        INSERT INTO customer VALUES (2, 1, 'customer 2', 'p2'), (4, 2, 'x', 'p4');
        INSERT INTO invoice VALUES (1, 1, 2, 10, 'note 1'), (3, 1, 4, 30, 'x'), (5, 2, 6, NULL, 'y'), (7, 2, 2, 9, NULL);
        INSERT INTO note VALUES (1, 1, 2, 'a'), (3, 2, NULL, 'x'), (7, 1, 2, 'y');
        INSERT INTO pair VALUES (1, 'x', 1), (1, 'y', 'note 2'), (2, 'z', NULL);
        INSERT INTO secret VALUES (2, 'x');
        INSERT INTO member VALUES (4, 'me');
        """

    /// The number of queries. `make stress` runs more of them, with other seeds.
    private static let count = ProcessInfo.processInfo.environment["ROWAN_CYCLES"].flatMap { Int($0) } ?? 300

    @Test func resultsDependOnlyOnTheRegion() throws {
        var random = SeededGenerator(77)
        var generator = RandomSQL(SeededGenerator(seed: random.next()))
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: Self.schema) }
        var differences = 0
        try queue.writeWithoutTransaction { db in
            for cycle in 0..<Self.count {
                let sql = generator.query()
                // It depends on all pages of the file.
                if sql.contains("dbstat") { continue }
                // An error may depend on rows, too, but it has no result to observe.
                guard let statement = try? db.makeStatement(sql: sql), let before = try? rows(statement) else {
                    continue
                }
                for change in Self.changes {
                    try db.inTransaction {
                        try db.execute(sql: change.sql)
                        guard let after = try? rows(statement), after != before else { return .rollback }
                        differences += 1
                        #expect(
                            statement.databaseRegion.isModified(byEventsOfKind: change.kind),
                            "seed \(random.seed), cycle \(cycle): \(change.sql); \(sql)")
                        return .rollback
                    }
                }
            }
        }
        #expect(differences > Self.count / 2)
    }

    private func rows(_ statement: Statement) throws -> [Row] { try Row.fetchAll(statement) }
}
