// Schema changes through a pool's writer or another connection: observations track the tables and columns of the schema
// that their fetches read.

import Foundation
import Testing

@testable import Rowan

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
struct SchemaOfReadersConcurrencyTests {
    /// The way in which an observation fetches.
    enum Fetch: String, CaseIterable, Sendable {
        case sql, request, statement, cachedStatement

        func rows(_ db: Database, from table: String = "p") throws -> String {
            let sql = "SELECT * FROM \(table)"
            let rows =
                switch self {
                case .sql: try Row.fetchAll(db, sql: sql)
                case .request: try SQLRequest<Row>(sql: sql).fetchAll(db)
                case .statement: try Row.fetchAll(db.makeStatement(sql: sql))
                case .cachedStatement: try Row.fetchAll(db.cachedStatement(sql: sql))
                }
            return rows.map { $0.databaseValues.map(\.description).joined(separator: ",") }.joined(separator: ";")
        }
    }

    @Test(arguments: Fetch.allCases, ConnectionKind.allCases)
    func columnsAddedBeforeTheObservation(_ fetch: Fetch, _ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { try $0.execute(sql: "CREATE TABLE p (a); INSERT INTO p VALUES (1)") }
            // A reader has cached the schema.
            #expect(try await writer.read { try fetch.rows($0) } == "1")
            try await writer.write { try $0.execute(sql: "ALTER TABLE p ADD COLUMN z") }
            let recorder = ValueObservation.tracking { try fetch.rows($0) }.record(in: writer)
            await eventually { recorder.values == ["1,NULL"] }
            try await writer.write { try $0.execute(sql: "UPDATE p SET z = 5") }
            await eventually { recorder.values == ["1,NULL", "1,5"] }
            #expect(recorder.values == ["1,NULL", "1,5"])
        }
    }

    @Test(arguments: Fetch.allCases, ConnectionKind.allCases)
    func columnsAddedDuringTheObservation(_ fetch: Fetch, _ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { try $0.execute(sql: "CREATE TABLE p (a); INSERT INTO p VALUES (1)") }
            let recorder = ValueObservation.tracking { try fetch.rows($0) }.record(in: writer)
            await eventually { recorder.values == ["1"] }
            try await writer.write { try $0.execute(sql: "ALTER TABLE p ADD COLUMN z") }
            await eventually { recorder.values == ["1", "1,NULL"] }
            try await writer.write { try $0.execute(sql: "UPDATE p SET z = 5") }
            await eventually { recorder.values == ["1", "1,NULL", "1,5"] }
            #expect(recorder.values == ["1", "1,NULL", "1,5"])
        }
    }

    /// The view is redefined with another table, and the table becomes a view.
    @Test(arguments: Fetch.allCases, ConnectionKind.allCases)
    func redefinedViews(_ fetch: Fetch, _ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE p (a); CREATE TABLE q (a); CREATE TABLE s (a); CREATE VIEW v AS SELECT a FROM p
                        """)
            }
            let views = ValueObservation.tracking { try fetch.rows($0, from: "v") }.record(in: writer)
            let tables = ValueObservation.tracking { try fetch.rows($0, from: "s") }.record(in: writer)
            await eventually { views.values == [""] && tables.values == [""] }
            try await writer.write { db in
                try db.execute(
                    sql: """
                        DROP VIEW v; CREATE VIEW v AS SELECT a FROM q;
                        DROP TABLE s; CREATE VIEW s AS SELECT a FROM q
                        """)
            }
            try await writer.write { try $0.execute(sql: "INSERT INTO q VALUES (7)") }
            await eventually { views.values.last == "7" && tables.values.last == "7" }
            #expect(views.values.last == "7")
            #expect(tables.values.last == "7")
        }
    }

    /// A name without a schema refers to another table or view than before.
    @Test(arguments: Fetch.allCases, ConnectionKind.allCases.filter { !$0.isConcurrent })
    func hiddenTables(_ fetch: Fetch, _ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        CREATE TABLE p (a); INSERT INTO p VALUES (1);
                        ATTACH ':memory:' AS aux; CREATE TABLE aux.s (a); INSERT INTO aux.s VALUES (3)
                        """)
            }
            let recorder = ValueObservation.tracking { try fetch.rows($0) }.record(in: writer)
            let attached = ValueObservation.tracking { try fetch.rows($0, from: "s") }.record(in: writer)
            await eventually { recorder.values == ["1"] && attached.values == ["3"] }
            try await writer.write { try $0.execute(sql: "CREATE TEMP VIEW p AS SELECT 2 AS a") }
            await eventually { recorder.values == ["1", "2"] }
            #expect(recorder.values == ["1", "2"])
            try await writer.write { try $0.execute(sql: "DROP VIEW p") }
            await eventually { recorder.values == ["1", "2", "1"] }
            #expect(recorder.values == ["1", "2", "1"])
            try await writer.write { try $0.execute(sql: "CREATE TABLE s AS SELECT 1 AS a") }
            await eventually { attached.values == ["3", "1"] }
            #expect(attached.values == ["3", "1"])
            #expect(recorder.values.count == 3)
        }
    }

    /// SQLite doesn't report the view's columns.
    @Test(arguments: [
        "SELECT COUNT(*) FROM v", "SELECT COUNT(*) FROM w", "SELECT EXISTS (SELECT 1 FROM v WHERE 1) + 0",
    ])
    func countedViews(_ sql: String) async throws {
        for kind in ConnectionKind.allCases {
            try await withTable(kind) { writer in
                try await writer.write { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE p (a); CREATE TABLE q (a); INSERT INTO q VALUES (1);
                            CREATE VIEW v AS SELECT a FROM p; CREATE VIEW w AS SELECT 1 FROM v
                            """)
                }
                let recorder = ValueObservation.tracking { try Int.fetchOne($0, sql: sql) }.record(in: writer)
                await eventually { recorder.values == [0] }
                try await writer.write { try $0.execute(sql: "DROP VIEW v; CREATE VIEW v AS SELECT a FROM q") }
                await eventually { recorder.values == [0, 1] }
                #expect(recorder.values == [0, 1], "\(kind)")
            }
        }
    }

    @Test func regionsOfStatements() throws {
        try withTable(.pool) { writer in
            try writer.write { try $0.execute(sql: "CREATE TABLE p (a); CREATE VIEW v AS SELECT a FROM p") }
            try writer.read { _ = try Row.fetchAll($0, sql: "SELECT * FROM p") }
            try writer.write { try $0.execute(sql: "ALTER TABLE p ADD COLUMN z") }
            try writer.read { db throws in
                #expect(try db.makeStatement(sql: "SELECT * FROM p").databaseRegion.description == "p(a,z)")
                #expect(try Row.fetchCursor(db, sql: "SELECT * FROM p").databaseRegion.description == "p(a,z)")
                #expect(try db.makeStatement(sql: "SELECT COUNT(*) FROM v").databaseRegion.description == "p(a),v(*)")
                let common = "WITH c AS (SELECT a FROM p) SELECT COUNT(*) FROM c"
                #expect(try db.makeStatement(sql: common).databaseRegion.description == "p(a)")
            }
        }
    }
}
