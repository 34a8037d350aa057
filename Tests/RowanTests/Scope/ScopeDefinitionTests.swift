// Scopes, their connections and their observations.

import Rowan
import Testing

@Suite struct ScopeDefinitionTests {
    private func make() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { try Tenants.fill($0) }
        return queue
    }

    /// The other table is not part of the scope, and nothing in it is read.
    @Test func upsertsOfARowToWhichOthersRefer() throws {
        let queue = try make()
        let scope = DatabaseScope().writing(Customer.filter { $0.tenantID == 1 })
        try queue.write(in: scope) { db throws in
            var customer = Customer(id: 2, tenantID: 1, name: "renamed")
            try customer.upsert(db)
            customer.id = 100
            try customer.upsert(db)
            try db.execute(
                sql: "INSERT INTO customer VALUES (2, 1, 'x', NULL) ON CONFLICT DO UPDATE SET name = name || '!'")
            expectError(
                .SQLITE_CONSTRAINT_TRIGGER, "the scope can't change a key of customer to which invoice refers"
            ) {
                try db.execute(
                    sql: "INSERT INTO customer VALUES (2, 1, 'x', NULL) ON CONFLICT DO UPDATE SET id = 200")
            }
            expectError(.SQLITE_AUTH, "the scope does not include invoice.total") {
                try db.execute(
                    sql:
                        "INSERT INTO customer VALUES (2, 1, 'x', NULL) ON CONFLICT DO UPDATE SET name = (SELECT total FROM invoice)"
                )
            }
            #expect(
                try String.fetchAll(db, sql: "SELECT name FROM customer ORDER BY id") == [
                    "renamed!", "customer 4", "customer 6", "renamed",
                ])
        }
    }

    /// The function has the name of a conflict clause.
    @Test func constraintsThatCallReplace() throws {
        let queue = try DatabaseQueue()
        let check = "phone TEXT CHECK (phone = replace(phone, ' ', '')) /* replaces nothing */"
        try queue.write { try $0.execute(sql: "CREATE TABLE note(id INTEGER PRIMARY KEY, \(check))") }
        try queue.write(in: DatabaseScope().writing(Table("note").filter(Column("id") > 0))) { db throws in
            try db.execute(sql: "INSERT INTO note VALUES (1, '123')")
            expectError(.SQLITE_CONSTRAINT_CHECK) { try db.execute(sql: "INSERT INTO note VALUES (2, '1 3')") }
        }
        try queue.write {
            try $0.execute(sql: "CREATE TABLE tag(id INTEGER PRIMARY KEY, name UNIQUE ON CONFLICT REPLACE)")
        }
        expectError(
            .SQLITE_MISUSE,
            "a scope can't write tag: the request is of a table whose constraints replace rows, which may be those outside the scope"
        ) {
            try queue.write(in: DatabaseScope().writing(Table("tag").filter(Column("id") > 0))) { _ in }
        }
    }

    /// SQLite compares the types of a schema without case.
    @Test(arguments: [DatabaseTrust.trusted, .untrustedFile])
    func tablesOfAFileThatIsNotSQLites(_ trust: DatabaseTrust) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("types.sqlite")
        let maker = try DatabaseQueue(path: path)
        try maker.write { try Tenants.fill($0) }
        try maker.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA writable_schema = ON; UPDATE sqlite_master SET type = upper(type)")
        }
        try maker.close()
        var configuration = Configuration()
        configuration.trust = trust
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        #expect(try queue.read { try $0.tables(in: "main").map(\.name) } == ["customer", "invoice", "secret"])
        try queue.read(in: DatabaseScope().reading(Customer.filter { $0.tenantID == 1 })) { db throws in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM customer") == 3)
            for sql in [
                "SELECT count(*) FROM secret NATURAL JOIN (SELECT 'hush' AS word)", "SELECT count(*) FROM secret",
                "SELECT count(*) FROM invoice", "SELECT one FROM hidden",
            ] {
                let error = expectError(.SQLITE_AUTH) { try Int.fetchOne(db, sql: sql) }
                #expect(error?.message?.hasPrefix("the scope does not include ") == true, "\(sql)")
            }
        }
    }

    @Test func invalidScopes() throws {
        let queue = try make()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE document USING fts5(body);
                    ATTACH ':memory:' AS other;
                    CREATE TABLE other.note(id INTEGER PRIMARY KEY);
                    """)
        }
        func refuse(_ scope: DatabaseScope, _ message: String) {
            expectError(.SQLITE_MISUSE, message) { () throws in
                try queue.read(in: scope) { _ in Issue.record("not refused") }
            }
        }
        let start = "a scope can't include"
        refuse(
            DatabaseScope().reading(Invoice.all()).reading(Invoice.filter(key: 1)),
            "a scope can't include invoice: the request is the second one of this table")
        refuse(
            DatabaseScope().reading(Table("hidden").all()),
            "\(start) hidden: the request is not a table that stores its rows itself")
        refuse(
            DatabaseScope().reading(Table("document").all()),
            "\(start) document: the request is not a table that stores its rows itself")
        struct Note: TableRecord {
            static let databaseTableName = "note"; static let databaseSchemaName: String? = "other"
        }
        refuse(
            DatabaseScope().reading(Note.all()),
            "\(start) note: the request is not a request of a table of the main database")
        refuse(
            DatabaseScope().reading(Invoice.select { [$0.id, $0.total + 1] }),
            "\(start) invoice: the request selects something other than columns")
        refuse(
            DatabaseScope().reading(Invoice.select { [$0.id.forKey("number")] }),
            "\(start) invoice: the request selects something other than columns")
        refuse(
            DatabaseScope().reading(Invoice.including(required: Invoice.customer)),
            "\(start) invoice: the request selects id, tenantID, customerID, total, note, id, tenantID, name, phone: "
                + "select only columns of the table")
        refuse(
            DatabaseScope().reading(Invoice.filter(sql: "tenantID = :tenant", arguments: ["tenant": 1])),
            "\(start) invoice: the request has named arguments: use ?")
        refuse(
            DatabaseScope().reading(Invoice.filter(sql: "tenantID = ?2", arguments: [1, 2])),
            "\(start) invoice: the request has the argument ?2: use ?")
        expectError(.SQLITE_ERROR, "no such table: main.missing") {
            try queue.read(in: DatabaseScope().reading(Table("missing").all())) { _ in }
        }
        expectError(.SQLITE_ERROR, "no such column: missing") {
            try queue.read(in: DatabaseScope().reading(Invoice.filter(sql: "missing"))) { _ in }
        }
    }

    @Test func nothing() throws {
        let queue = try make()
        try queue.read(in: DatabaseScope()) { db throws in
            #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
            expectError(.SQLITE_AUTH, "the scope does not include invoice") { try Invoice.fetchAll(db) }
        }
    }

    /// The conditions may use what the scope hides.
    @Test func conditionsOnOtherTables() throws {
        let queue = try make()
        try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE member(customerID INTEGER, user TEXT); INSERT INTO member VALUES (2, 'a'), (3, 'b')")
        }
        let conditions = DatabaseScope()
            .reading(
                Invoice.filter(sql: "customerID IN (SELECT customerID FROM member WHERE user = ?)", arguments: ["a"])
            )
            .reading(
                Customer.filter(
                    sql:
                        "EXISTS (SELECT 1 FROM member m JOIN invoice i USING (customerID) WHERE m.user = ? AND i.customerID = customer.id)",
                    arguments: ["b"]))
        try queue.read(in: conditions) { db throws in
            #expect(try Set(Invoice.fetchAll(db).map(\.customerID)) == [2])
            // The condition sees all invoices, not those of the scope.
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM customer") == [3])
            expectError(.SQLITE_AUTH, "the scope does not include member.user") {
                try Row.fetchAll(db, sql: "SELECT user FROM member")
            }
            // No common table can take the place of a table of a condition.
            #expect(
                try Int.fetchOne(
                    db, sql: "WITH member AS (SELECT 1 AS customerID, 'a' AS user) SELECT count(*) FROM invoice") == 4)
        }
        let joined = DatabaseScope().reading(
            Invoice.joining(required: Invoice.customer.filter { $0.name == "customer 4" }))
        try queue.read(in: joined) { db throws in
            #expect(try Set(Invoice.fetchAll(db).map(\.customerID)) == [4])
            expectError(.SQLITE_AUTH, "the scope does not include customer.name") {
                try Row.fetchAll(db, sql: "SELECT name FROM customer")
            }
            // A name before AS or a parenthesis is not always that of a common table.
            let sql = "WITH n AS (SELECT 4 AS id) SELECT i.id FROM invoice AS i, n, (SELECT 1) WHERE customerID = n.id"
            #expect(try Int.fetchAll(db, sql: sql) == [3, 9, 15])
        }
        // A list of tables separated by commas.
        let list = DatabaseScope().reading(
            Invoice.filter(sql: "id IN (SELECT i.id FROM invoice i, member WHERE i.customerID = member.customerID)"))
        try queue.read(in: list) { db throws in
            #expect(try Invoice.fetchCount(db) == 8)
            expectError(
                .SQLITE_AUTH, "in this scope, a common table can't be called member: give it another name"
            ) {
                try Row.fetchAll(
                    db, sql: "WITH member(customerID) AS (VALUES (1), (4)) SELECT count(*) FROM invoice")
            }
            for name in ["member", "'MEMBER'", "a(b) AS (SELECT 1), member"] {
                for sql in ["\(name) AS MATERIALIZED (SELECT 1)", "\(name)(x) AS NOT MATERIALIZED (SELECT 1)"] {
                    expectError(
                        .SQLITE_AUTH, "in this scope, a common table can't be called member: give it another name"
                    ) { try Row.fetchAll(db, sql: "WITH \(sql) SELECT count(*) FROM invoice") }
                }
            }
        }
    }

    @Test func largeListsAndLimits() throws {
        let queue = try make()
        let ids = Array(stride(from: 1, through: 2000, by: 2))
        try queue.read(in: DatabaseScope().reading(Invoice.filter { ids.contains($0.id) })) { db throws in
            #expect(try Invoice.fetchCount(db) == 10)
        }
        try queue.read(in: DatabaseScope().reading(Invoice.order { $0.total.desc }.limit(3))) { db throws in
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM invoice ORDER BY id") == [18, 19, 20])
        }
    }

    /// A virtual column may fail for rows outside, so the statements run on the rows inside.
    @Test func computedColumns() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE document(id INTEGER PRIMARY KEY, tenantID INTEGER, body TEXT);
                    INSERT INTO document(tenantID, body) VALUES (1, '{"title": "a"}'), (2, '{'), (1, '{"title": "b"}');
                    ALTER TABLE document ADD COLUMN title TEXT GENERATED ALWAYS AS (json_extract(body, '$.title')) VIRTUAL;
                    """)
        }
        let scope = DatabaseScope().reading(Table("document").filter(Column("tenantID") == 1))
        try queue.read(in: scope) { db throws in
            #expect(
                try String.fetchAll(db, sql: "SELECT title FROM document WHERE title > '' ORDER BY id") == ["a", "b"])
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM document WHERE body > '' ORDER BY id") == [1, 3])
        }
    }

    /// The schema changes between two accesses, made by this and by another connection.
    @Test func changedSchema() throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("a.sqlite"))
        try pool.write { try Tenants.fill($0) }
        let other = try DatabaseQueue(path: folder.path("a.sqlite"))
        let scope = Tenants.scope(1)
        for (index, writer) in ([pool, other, pool] as [any DatabaseWriter]).enumerated() {
            try pool.read(in: scope) { db throws in
                #expect(try db.columns(in: "invoice").count == 5 + index)
                #expect(try Row.fetchOne(db, sql: "SELECT * FROM invoice")?.count == 5 + index)
                #expect(
                    try Int.fetchOne(db, sql: "WITH extra\(index) AS (SELECT 1) SELECT count(*) FROM extra\(index)")
                        == 1)
            }
            try writer.write {
                try $0.execute(
                    sql:
                        "ALTER TABLE invoice ADD COLUMN extra\(index); CREATE VIEW extra\(index) AS SELECT 1 FROM invoice"
                )
            }
            _ = try pool.read(in: scope) { db throws in
                expectError(.SQLITE_AUTH, "the scope does not include extra\(index)") {
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM extra\(index)")
                }
            }
        }
        try other.write { try $0.execute(sql: "DROP TABLE invoice; CREATE VIEW invoice AS SELECT * FROM secret") }
        expectError(
            .SQLITE_MISUSE, "a scope can't include invoice: the request is not a table that stores its rows itself"
        ) {
            try pool.read(in: DatabaseScope().reading(Invoice.all())) { try Invoice.fetchCount($0) }
        }
    }

    @Test func observations() async throws {
        let queue = try make()
        try await queue.write { db in
            let region = try db.read(in: Tenants.scope(1)) { db in
                try Invoice.filter(key: 1).databaseRegion(db)
            }
            #expect(region.description == "invoice(customerID,id,note,tenantID,total)[1]")
        }
        let observation = ValueObservation.tracking { db in
            try db.read(in: Tenants.scope(1)) { try Invoice.fetchCount($0) }
        }
        var counts = observation.values(in: queue).makeAsyncIterator()
        #expect(try await counts.next() == 10)
        try await queue.write { db in
            try db.execute(sql: "UPDATE secret SET word = 'a'; DELETE FROM invoice WHERE tenantID = 1 AND id = 1")
        }
        #expect(try await counts.next() == 9)
    }

    /// The memory of a connection does not grow with the scopes that it has used.
    @Test func manyScopes() throws {
        let queue = try make()
        for round in 1...2 {
            for count in 1...40 {
                let scope = DatabaseScope().reading(Invoice.filter(sql: "total <= \(count * 10)"))
                #expect(try queue.read(in: scope) { try Invoice.fetchCount($0) } == min(count, 20), "round \(round)")
            }
        }
        queue.releaseMemory()
        #expect(try queue.read(in: Tenants.scope(1)) { try Invoice.fetchCount($0) } == 10)
        try queue.close()
    }
}
