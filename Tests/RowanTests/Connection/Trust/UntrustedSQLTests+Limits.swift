// Limits of untrusted SQL.

import Foundation
import Rowan
import Testing

extension UntrustedSQLTests {
    // MARK: Limits of texts

    @Test func textsAreLimited() throws {
        let queue = try DatabaseQueue(
            configuration: configuration { limits in
                limits.sqlBytes = 2_000
                limits.valueBytes = 5_000
                limits.columns = 10
                limits.expressionDepth = 20
                limits.compoundSelects = 3
                limits.arguments = 4
                limits.functionArguments = 5
                limits.likePatternBytes = 6
                limits.triggerDepth = 7
                limits.instructions = 500
            })
        try queue.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE t(a);
                    CREATE TRIGGER r AFTER INSERT ON t WHEN new.a < 20 BEGIN INSERT INTO t VALUES (new.a + 1); END;
                    """)
        }
        func list(_ count: Int, _ text: String, by separator: String) -> String {
            Array(repeating: text, count: count).joined(separator: separator)
        }
        let cases: [(String, ResultCode, String)] = [
            ("SELECT 1" + list(2_000, " ", by: ""), .SQLITE_TOOBIG, "statement too long"),
            ("SELECT hex(zeroblob(5000))", .SQLITE_TOOBIG, "string or blob too big"),
            ("SELECT \(list(11, "1", by: ","))", .SQLITE_ERROR, "too many columns in result set"),
            ("SELECT \(list(30, "1", by: "+"))", .SQLITE_ERROR, "Expression tree is too large (maximum depth 20)"),
            (list(5, "SELECT 1", by: " UNION "), .SQLITE_ERROR, "too many terms in compound SELECT"),
            ("SELECT max(\(list(6, "1", by: ",")))", .SQLITE_ERROR, "too many arguments on function max"),
            ("SELECT 'x' LIKE '1234567'", .SQLITE_ERROR, "LIKE or GLOB pattern too complex"),
            ("SELECT ?5", .SQLITE_ERROR, "variable number must be between ?1 and ?4"),
        ]
        for (sql, code, message) in cases {
            expectError(code, message) { try queue.read { try Row.fetchAll($0, sql: sql) } }
        }
        expectError(.SQLITE_NOMEM) {
            try queue.read { try Row.fetchAll($0, sql: "SELECT 1 IN (\(list(300, "a", by: ","))) FROM t") }
        }
    }

    /// SQLite needs stack for each step of a path, each row of such a VALUES, and each write that another one causes.
    @Test func recursionOfTheCompilerIsLimited() throws {
        let queue = try DatabaseQueue(configuration: configuration { $0.columns = 200 })
        let path = "'$' || replace(hex(zeroblob(80000)), '00', '.a')"
        for function in ["json_set", "json_insert"] {
            expectError(.SQLITE_AUTH, "untrusted SQL can't call the function \(function)()") {
                try queue.read { try Row.fetchAll($0, sql: "SELECT length(\(function)('{}', \(path), 1))") }
            }
        }
        expectError(.SQLITE_AUTH, "untrusted SQL can't call the function json_patch()") {
            try queue.read { try Row.fetchAll($0, sql: "SELECT json_patch('{}', '{}')") }
        }
        let rows = Array(repeating: "(1)", count: 21).joined(separator: ", ")
        for sql in ["VALUES \(rows), (count(*) OVER ())", "SELECT EXISTS (VALUES \(rows), (count(*) OVER ()))"] {
            expectError(
                .SQLITE_TOOBIG,
                "VALUES with a window function has more than 20 rows: write fewer, or raise SQLLimits.compoundSelects"
            ) {
                try queue.read { try Row.fetchAll($0, sql: sql) }
            }
        }
        #expect(try queue.read { try Row.fetchAll($0, sql: "SELECT * FROM (VALUES \(rows))").count } == 21)
        // Rows that contain more than literals, after some that don't.
        func values(_ row: String, _ count: Int) -> String {
            "VALUES (1), (NULL), " + Array(repeating: "(\(row))", count: count - 2).joined(separator: ", ")
        }
        for sql in [
            "SELECT EXISTS (\(values("a", 501))) FROM (SELECT 1 AS a)", values("random()", 501),
            "SELECT 1 IN (\(values("\"a\"", 501))) FROM (SELECT 1 AS a)",
            "SELECT (VALUES (1), ((\(values("a", 499)))), (3), (4)) FROM (SELECT 1 AS a)",
        ] {
            expectError(
                .SQLITE_TOOBIG,
                "VALUES with more than literals and arguments has more than 500 rows: write fewer, or arguments"
            ) {
                try queue.read { try Row.fetchAll($0, sql: sql) }
            }
        }
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t \(values("NULL", 600)), (?), (true)", arguments: [1])
            try db.execute(sql: "INSERT INTO t \(values("random()", 400)) RETURNING a")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM t") == 1002)
        }
        #expect(
            try queue.read { try Row.fetchAll($0, sql: "SELECT count(*) OVER () FROM (VALUES \(rows))").count } == 21)
    }

    private static let cascades: [(schema: @Sendable (Int) -> String, sql: String)] = [
        (
            {
                "CREATE TABLE t\($0)(a, p REFERENCES t\($0 - 1)(a) ON DELETE CASCADE); CREATE UNIQUE INDEX i\($0) ON t\($0)(a);"
            },
            "DELETE FROM t0"
        ),
        (
            {
                "CREATE TABLE t\($0)(a); CREATE TRIGGER r\($0) AFTER INSERT ON t\($0 - 1) BEGIN INSERT INTO t\($0) VALUES (1); END;"
            },
            "INSERT INTO t0 VALUES (1)"
        ),
        (
            {
                "CREATE TABLE t\($0)(a); CREATE TRIGGER r\($0) AFTER INSERT ON t0 BEGIN INSERT INTO t0 VALUES (1); END;"
            },
            "INSERT INTO t0 VALUES (1)"
        ),
    ]

    /// Triggers and foreign keys are compiled one inside the other.
    @Test(arguments: cascades.indices, [true, false]) func chainsOfWritesAreLimited(
        kind: Int, distrustsFile: Bool
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("chain.sqlite")
        let (schema, sql) = Self.cascades[kind]
        let definitions = "CREATE TABLE t0(a UNIQUE);" + (1...300).map(schema).joined()
        try DatabaseQueue(path: path).write { try $0.execute(sql: definitions) }
        var configuration = configuration { $0.triggerDepth = 500 }
        if distrustsFile { configuration.trust = .untrustedFile }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        expectError(.SQLITE_AUTH, "the statement runs too many triggers and foreign keys") {
            try queue.write { try $0.execute(sql: sql) }
        }
        // Half of it is accepted.
        let start = kind == 0 ? "DELETE FROM t200" : kind == 1 ? "INSERT INTO t200 VALUES (1)" : "SELECT 1"
        try queue.write { try $0.execute(sql: start) }
    }

    // MARK: Limits of running statements

    private static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"

    @Test(arguments: ConnectionKind.allCases.filter { $0 != .cluster }) func timeIsLimited(
        _ kind: ConnectionKind
    ) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder, configuration { $0.time = .milliseconds(50) })
        let message = "the statement ran for more than 0.05 seconds: read less, or raise SQLLimits.time"
        expectError(.SQLITE_INTERRUPT, message) {
            try writer.read { try Int.fetchOne($0, sql: "\(Self.endless) SELECT count(*) FROM n") }
        }
        // A sort.
        expectError(.SQLITE_INTERRUPT, message) {
            try writer.read { try Int.fetchOne($0, sql: "\(Self.endless) SELECT i FROM n ORDER BY i % 7, i DESC") }
        }
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        expectError(.SQLITE_INTERRUPT, message) {
            try writer.write { try $0.execute(sql: "INSERT INTO t \(Self.endless) SELECT i FROM n") }
        }
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 0)
        // Later statements have their own time.
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }

    @Test(arguments: ConnectionKind.allCases.filter { $0 != .cluster }) func rowsAreLimited(
        _ kind: ConnectionKind
    ) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder, configuration { $0.rows = 100 })
        func sql(_ count: Int) -> String {
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) SELECT i FROM n"
        }
        try writer.read { db throws in
            #expect(try Int.fetchAll(db, sql: sql(100)).count == 100)
            #expect(try Row.fetchAll(db, sql: sql(100)).count == 100)
            for count in [101, 5_000] {
                let message = "the statement returned more than 100 rows: add a LIMIT, or raise SQLLimits.rows"
                expectError(.SQLITE_TOOBIG, message) { try Int.fetchAll(db, sql: sql(count)) }
                expectError(.SQLITE_TOOBIG, message) { try Row.fetchAll(db, sql: sql(count)) }
                expectError(.SQLITE_TOOBIG, message) { try db.execute(sql: sql(count)) }
                expectError(.SQLITE_TOOBIG, message) {
                    let cursor = try Row.fetchCursor(db, sql: sql(count))
                    while try cursor.next() != nil {}
                }
            }
            // A cursor that is left does not affect others.
            let cursor = try Int.fetchCursor(db, sql: sql(5_000))
            for _ in 0..<90 { _ = try cursor.next() }
            #expect(try Int.fetchAll(db, sql: sql(100)).count == 100)
            #expect(try Int.fetchOne(db, sql: sql(5_000)) == 1)
            // A statement that exceeds a limit does not end others, once its error is thrown.
            let other = try Int.fetchCursor(db, sql: sql(90))
            _ = try other.next()
            expectError(.SQLITE_TOOBIG) { try Int.fetchAll(db, sql: sql(5_000)) }
            #expect(try Array(other).count == 89)
        }
    }

    @Test func bytesAreLimited() throws {
        let queue = try DatabaseQueue(configuration: configuration { $0.resultBytes = 1_000 })
        let message = "the statement returned more than 1000 bytes: read less, or raise SQLLimits.resultBytes"
        try queue.read { db throws in
            #expect(try Data.fetchOne(db, sql: "SELECT zeroblob(1000)")?.count == 1_000)
            expectError(.SQLITE_TOOBIG, message) { try Data.fetchOne(db, sql: "SELECT zeroblob(1001)") }
            expectError(.SQLITE_TOOBIG, message) { try Row.fetchOne(db, sql: "SELECT zeroblob(999), 1") }
            expectError(.SQLITE_TOOBIG, message) {
                try Data.fetchAll(
                    db, sql: "SELECT zeroblob(400) UNION ALL SELECT zeroblob(401) UNION ALL SELECT zeroblob(402)")
            }
        }
    }

    @Test(arguments: ConnectionKind.allCases.filter { $0 != .cluster })
    func temporaryStorageIsLimited(_ kind: ConnectionKind) throws {
        guard
            try DatabaseQueue().read({ try Int.fetchOne($0, sql: "SELECT sqlite_compileoption_used('TEMP_STORE=1')") })
                == 1
        else { return }
        let folder = try TemporaryFolder()
        let writer = try kind.make(
            in: folder,
            configuration { limits in
                limits.temporaryBytes = 4 << 20
                limits.time = .seconds(60)
            })
        let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000)"
        expectError(
            .SQLITE_FULL,
            "the statement needs more than 4194304 bytes of temporary storage: sort or group fewer rows, or raise "
                + "SQLLimits.temporaryBytes"
        ) {
            try writer.read {
                try Int.fetchOne($0, sql: "\(numbers) SELECT i FROM n ORDER BY hex(i) || hex(zeroblob(100)) DESC")
            }
        }
        // The files are gone.
        #expect(try writer.read { try Int.fetchOne($0, sql: "\(numbers) SELECT i FROM n ORDER BY i DESC") } == 400_000)
    }

    /// Aggregates that collect values in memory.
    @Test func memoryIsLimited() throws {
        var limits = SQLLimits()
        limits.memoryBytes = 32 << 20
        limits.time = .seconds(60)
        var configuration = Configuration()
        configuration.trust = .untrustedSQL(limits)
        let queue = try DatabaseQueue(configuration: configuration)
        for function in ["json_group_array(v)", "json_group_object(i, v)"] {
            expectError(
                .SQLITE_NOMEM,
                "SQLite needed more than 33554432 bytes of memory while the statement ran: read less, or raise "
                    + "SQLLimits.memoryBytes"
            ) {
                try queue.read { db in
                    try Row.fetchAll(
                        db,
                        sql: """
                            WITH RECURSIVE n(i, v) AS (SELECT 1, hex(zeroblob(100000)) UNION ALL SELECT i + 1, v FROM n)
                            SELECT length(\(function)) FROM n
                            """)
                }
            }
        }
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT json_array_length(json_group_array(1))") } == 1)
    }

    @Test func aTransactionSurvivesALimit() throws {
        let queue = try DatabaseQueue(configuration: configuration { $0.rows = 10 })
        try queue.write { db throws in
            try db.execute(sql: "CREATE TABLE t(a)")
            expectError(.SQLITE_TOOBIG) {
                try Int.fetchAll(db, sql: "\(Self.endless) SELECT i FROM n LIMIT 1000")
            }
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
    }
}
