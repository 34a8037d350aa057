// What can be read in a scope.

import Rowan
import Testing

@Suite struct ScopedReadTests {
    private let folder = try! TemporaryFolder()

    private func make(_ kind: ConnectionKind) throws -> any DatabaseWriter {
        let writer = try kind.make(in: folder)
        try writer.write { try Tenants.fill($0) }
        return writer
    }

    @Test(arguments: ConnectionKind.allCases) func rowsOfATenant(kind: ConnectionKind) throws {
        let writer = try make(kind)
        for tenant in [1, 2, 1, 3] {
            try writer.read(in: Tenants.scope(tenant)) { db throws in
                let expected = Tenants.invoices.filter { $0.1 == tenant }
                #expect(try Invoice.fetchAll(db).map(\.id) == expected.map(\.0))
                #expect(try Invoice.fetchCount(db) == expected.count)
                #expect(try Invoice.filter(key: 1).isEmpty(db) == (tenant != 1))
                #expect(try Invoice.fetchOne(db, key: 2)?.id == (tenant == 2 ? 2 : nil))
                #expect(
                    try Int.fetchOne(db, sql: "SELECT sum(total) FROM invoice")
                        == (expected.isEmpty ? nil : expected.map(\.3).reduce(0, +)))
                #expect(
                    try Int.fetchAll(db, sql: "SELECT id FROM invoice WHERE total > ? ORDER BY id", arguments: [100])
                        == expected.filter { $0.3 > 100 }.map(\.0))
            }
        }
        #expect(try writer.read { try Invoice.fetchCount($0) } == 20)
    }

    @Test(arguments: ConnectionKind.allCases) func asynchronousReads(kind: ConnectionKind) async throws {
        let writer = try make(kind)
        let counts = try await writer.read(in: Tenants.scope(2)) { db throws in
            [try Invoice.fetchCount(db), try Customer.fetchCount(db)]
        }
        #expect(counts == [10, 3])
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await writer.read(in: Tenants.scope(2)) { try Invoice.fetchCount($0) }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func associations() throws {
        let writer = try make(.memoryQueue)
        try writer.read(in: Tenants.scope(1)) { db throws in
            let rows = try Row.fetchAll(db, Invoice.including(required: Invoice.customer.select { [$0.name] }))
            #expect(rows.count == 10)
            #expect(rows[0].unscoped == ["id": 1, "tenantID": 1, "customerID": 2, "total": 10, "note": "note 1"])
            #expect(rows.map { $0.scopes["customer"] }[0] == ["name": "customer 2"])
            let customers = try Row.fetchAll(
                db, Customer.annotated(with: Customer.invoices.count, Customer.invoices.sum(Column("total"))))
            #expect(
                customers.map { [$0["id"], $0["invoiceCount"], $0["invoiceTotalSum"]] as [Int] }
                    == [[2, 4, 400], [4, 3, 270], [6, 3, 330]])
            struct Loaded: Decodable, FetchableRecord { var name: String; var invoices: [Invoice] }
            let loaded = try Customer.including(all: Customer.invoices).asRequest(of: Loaded.self).fetchAll(db)
            #expect(loaded.map(\.invoices.count) == [4, 3, 3])
        }
    }

    @Test func columns() throws {
        let writer = try make(.memoryQueue)
        let scope = DatabaseScope().reading(Customer.self, columns: [\.id, \.name])
        try writer.read(in: scope) { db throws in
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM customer") == ["id": 1, "name": "customer 1"])
            #expect(try Customer.fetchCount(db) == 6)
            expectError(.SQLITE_ERROR, "no such column: phone") {
                try Row.fetchAll(db, sql: "SELECT id FROM customer WHERE phone = 'phone 1'")
            }
            expectError(.SQLITE_ERROR, "no such column: c.tenantID") {
                try Row.fetchAll(db, sql: "SELECT c.tenantID FROM customer c")
            }
            #expect(try db.columns(in: "customer").map(\.name) == ["id", "name"])
        }
    }

    /// Statements that are refused, with their messages.
    @Test(
        arguments: [
            ("SELECT * FROM secret", "the scope does not include secret"),
            ("SELECT word FROM secret", "the scope does not include secret.word"),
            ("SELECT count(*) FROM secret", "the scope does not include secret"),
            ("SELECT count(*) FROM 'secret'", "the scope does not include secret"),
            ("SELECT EXISTS (SELECT 1 FROM secret)", "the scope does not include secret"),
            ("SELECT 1 WHERE 1 IN secret", "the scope does not include secret"),
            ("SELECT id FROM invoice JOIN secret USING (id)", "the scope does not include secret.id"),
            // SQLite does not report what such joins read.
            (
                "SELECT count(*) FROM (SELECT 'x' AS word) JOIN secret USING (word)",
                "the scope does not include secret.word"
            ),
            ("SELECT 1 FROM (SELECT 'x' AS word) NATURAL JOIN secret", "the scope does not include secret.word"),
            (
                "SELECT 1 FROM (SELECT 'secret' AS name) NATURAL JOIN sqlite_master",
                "the scope does not include sqlite_master"
            ),
            (
                "SELECT 1 FROM (SELECT 'x' AS word), Secret NATURAL JOIN SECRET b",
                "the scope does not include secret.word"
            ),
            ("WITH a AS (SELECT * FROM secret) SELECT count(*) FROM a", "the scope does not include secret"),
            ("SELECT * FROM main.invoice", "a scope's tables have no schema: write the name without \"main.\""),
            (
                "SELECT * FROM \"MAIN\" /**/ . invoice",
                "a scope's tables have no schema: write the name without \"main.\""
            ),
            ("SELECT * FROM [main].invoice", "a scope's tables have no schema: write the name without \"main.\""),
            ("SELECT * FROM temp.invoice", "a scope's tables have no schema: write the name without \"temp.\""),
            ("WITH invoice AS (SELECT 1) SELECT * FROM invoice", "duplicate WITH table name: invoice"),
            (
                "SELECT * FROM (WITH invoice AS (SELECT * FROM invoice) SELECT * FROM invoice)",
                "circular reference: invoice"
            ),
            (
                "SELECT * FROM (WITH invoice AS (SELECT * FROM secret) SELECT * FROM invoice)",
                "the scope does not include secret"
            ),
            ("SELECT * FROM hidden", "the scope does not include hidden"),
            ("SELECT one FROM hidden", "the scope does not include hidden.one"),
            ("SELECT nope FROM hidden", "the scope does not include hidden"),
            ("SELECT count(*) FROM hidden", "the scope does not include hidden"),
            ("SELECT count(*) FROM \"Hidden\"", "the scope does not include hidden"),
            ("SELECT count(*) FROM hiddenMain", "the scope does not include hiddenMain"),
            ("SELECT count(*) FROM hiddenUnion", "the scope does not include hiddenUnion"),
            ("SELECT EXISTS (SELECT 1 FROM hidden)", "the scope does not include hidden"),
            ("SELECT rowid FROM invoice", "no such column: rowid"),
            ("SELECT _rowid_ FROM customer", "no such column: _rowid_"),
            ("SELECT sql FROM sqlite_master", "the scope does not include sqlite_master"),
            ("SELECT count(*) FROM sqlite_master", "the scope does not include sqlite_master"),
            ("SELECT rowid FROM sqlite_schema", "the scope does not include sqlite_schema"),
            (
                "SELECT rowid, (SELECT value FROM json_each('[]')) FROM sqlite_master",
                "the scope does not include sqlite_master"
            ),
            ("SELECT name FROM pragma_table_list", "the scope does not include pragma_table_list"),
            ("SELECT count(*) FROM pragma_table_list", "the scope does not include pragma_table_list"),
            ("SELECT count(*) FROM pragma_table_info('secret')", "the scope does not include pragma_table_info"),
            ("SELECT count(*) FROM dbstat", "the scope does not include dbstat"),
            ("PRAGMA table_info(secret)", "a scope can't run PRAGMA table_info"),
            ("PRAGMA foreign_key_check", "a scope can't run PRAGMA foreign_key_check"),
            ("PRAGMA user_version = 2", "a scope can't run PRAGMA user_version"),
            ("EXPLAIN SELECT * FROM invoice", "a scope can't show plans, which name what it hides"),
            ("EXPLAIN QUERY PLAN SELECT * FROM invoice", "a scope can't show plans, which name what it hides"),
            ("SELECT changes()", "a scope can't call the function changes"),
            ("SELECT total_changes(), last_insert_rowid()", "a scope can't call the function total_changes"),
            ("SELECT rowan_scope(0)", "a scope can't call the function rowan_scope"),
            ("SELECT load_extension('x')", "a scope can't call the function load_extension"),
            ("INSERT INTO invoice VALUES (1, 1, 1, 1, 1)", "the scope can't change invoice"),
            ("UPDATE invoice SET total = 1", "the scope can't change invoice"),
            ("DELETE FROM invoice", "the scope can't change invoice"),
            ("DELETE FROM secret RETURNING *", "the scope can't change secret"),
            ("CREATE TABLE t(a)", "a scope can neither read nor change the schema"),
            ("CREATE TEMP VIEW v AS SELECT * FROM secret", "a scope can neither read nor change the schema"),
            ("DROP TABLE secret", "a scope can neither read nor change the schema"),
            ("ATTACH 'x' AS y", "a scope can't attach or detach databases"),
            ("COMMIT", "a scope can't begin or end transactions"),
            ("ANALYZE", "a scope can neither read nor change the schema"),
            ("VACUUM", "a scope can neither read nor change the schema"),
        ])
    func refused(sql: String, message: String) throws {
        let writer = try make(.memoryQueue)
        try writer.read(in: Tenants.scope(1)) { db throws in
            // Twice, because a first use may prepare something.
            for _ in 1...2 {
                let code: ResultCode = message.contains("scope") ? .SQLITE_AUTH : .SQLITE_ERROR
                expectError(code, message) { try Row.fetchAll(db, sql: sql) }
                expectError(code, message) { try db.makeStatement(sql: sql) }
                expectError(code, message) { try db.execute(sql: "; /* first */ \(sql); SELECT 1") }
            }
        }
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM invoice, secret") } == 60)
    }

    /// Statements whose results are those of a database without the other tenant's rows.
    @Test(
        arguments: [
            "SELECT * FROM invoice", "SELECT count(*) FROM invoice", "SELECT * FROM Invoice AS i WHERE i.ID = 1",
            "SELECT * FROM 'invoice'", "SELECT * FROM [invoice]", "SELECT * FROM `invoice`",
            "SELECT EXISTS (SELECT 1 FROM invoice WHERE id = 1)", "SELECT EXISTS (SELECT 1 FROM invoice WHERE id = 2)",
            "SELECT 2 IN (SELECT id FROM invoice)", "SELECT count(*), min(total), max(total), avg(total) FROM invoice",
            "SELECT i.id, c.name FROM invoice i JOIN customer c ON c.id = i.customerID",
            "SELECT id, name FROM customer c LEFT JOIN invoice i USING (id)",
            "SELECT c.id, i.id FROM customer c FULL JOIN invoice i ON i.id = c.id",
            "WITH a AS (SELECT * FROM invoice) SELECT count(*) FROM a",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i, (SELECT count(*) FROM invoice WHERE id <= i) FROM n",
            "WITH a AS (SELECT 1 AS id), b AS (SELECT * FROM a JOIN invoice USING (id)) SELECT * FROM b",
            "SELECT * FROM invoice WHERE abs(total) > 50", "SELECT count(*) FROM invoice WHERE note LIKE 'note 1%'",
            "SELECT id || '-' || note FROM invoice", "SELECT group_concat(note) FROM invoice",
            "SELECT id, row_number() OVER (ORDER BY total), sum(total) OVER () FROM invoice",
            "SELECT customerID, count(*) FROM invoice GROUP BY 1 HAVING count(*) > 1",
            "SELECT id FROM invoice UNION SELECT id FROM customer ORDER BY 1",
            "SELECT id FROM customer EXCEPT SELECT id FROM invoice",
            "SELECT value, (SELECT note FROM invoice WHERE id = value) FROM json_each('[1, 2, 3]')",
            "SELECT i.id, j.value FROM invoice i, json_each(json_array(i.total, 1)) j",
            "VALUES ((SELECT count(*) FROM invoice))", "SELECT hidden.one FROM (SELECT 1 AS one) AS hidden",
            "SELECT (SELECT count(*) FROM invoice i WHERE i.customerID = c.id) FROM customer c ORDER BY c.id",
            "SELECT DISTINCT tenantID FROM invoice", "SELECT * FROM invoice ORDER BY total DESC LIMIT 3 OFFSET 1",
            "SELECT 'main.invoice', \"total\" FROM invoice -- main.secret", "PRAGMA user_version",
            "SELECT count(*) FROM (SELECT DISTINCT customerID FROM invoice)",
            "SELECT count(*) FROM invoice a, invoice b, customer",
        ])
    func filtered(sql: String) throws {
        let writer = try make(.memoryQueue)
        let alone = try DatabaseQueue()
        try alone.write { try Tenants.fill($0, tenant: 1) }
        try alone.write { try $0.execute(sql: "ALTER TABLE customer DROP COLUMN phone") }
        let expected = try alone.read { try Row.fetchAll($0, sql: sql) }
        for _ in 1...2 {
            #expect(try writer.read(in: Tenants.scope(1)) { try Row.fetchAll($0, sql: sql) } == expected)
        }
    }
}
