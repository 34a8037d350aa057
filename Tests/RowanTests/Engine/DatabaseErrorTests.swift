// Errors: codes, messages, and arguments only if the configuration allows them.

import Foundation
import Rowan
import Testing

@Suite
struct DatabaseErrorTests {
    private func constraintError(_ configuration: Configuration = Configuration()) throws -> DatabaseError {
        try withDatabase(configuration) { db in
            try db.execute(sql: "CREATE TABLE player(email UNIQUE)")
            try db.execute(sql: "INSERT INTO player VALUES (?)", arguments: ["secret"])
            let error = expectError(.SQLITE_CONSTRAINT_UNIQUE, "UNIQUE constraint failed: player.email") {
                try db.execute(sql: "INSERT INTO player VALUES (?)", arguments: ["secret"])
            }
            return try #require(error)
        }
    }

    @Test func codes() throws {
        let error = try constraintError()
        #expect(error.resultCode == .SQLITE_CONSTRAINT)
        #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        #expect(error.extendedResultCode.primaryResultCode == .SQLITE_CONSTRAINT)
        #expect(error.sql == "INSERT INTO player VALUES (?)")
        #expect(error.arguments == ["secret"])
        #expect(ResultCode.SQLITE_CONSTRAINT.description == "19 (constraint failed)")
        #expect(ResultCode.SQLITE_CONSTRAINT_UNIQUE.rawValue == 2067)
        #expect(!error.isInterruptionError)
        #expect((error as NSError).code == 2067)
        #expect((error as NSError).domain == "Rowan.DatabaseError")
    }

    @Test func argumentsArePrivate() throws {
        let text = """
            SQLite error 19: UNIQUE constraint failed: player.email - while executing `INSERT INTO player VALUES (?)`
            """
        let error = try constraintError()
        #expect(error.description == text)
        #expect(error.localizedDescription == text)
        #expect(error.expandedDescription == text + " with arguments [\"secret\"]")
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        let open = try constraintError(configuration)
        #expect(open.description == text + " with arguments [\"secret\"]")
    }

    @Test func patterns() throws {
        let error: any Error = try constraintError()
        func name(_ error: any Error) -> String {
            do { throw error } catch DatabaseError.SQLITE_BUSY {
                return "busy"
            } catch DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY {
                return "foreign key"
            } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
                return "unique"
            } catch DatabaseError.SQLITE_CONSTRAINT {
                return "constraint"
            } catch {
                return "other"
            }
        }
        #expect(name(error) == "unique")
        #expect(name(DatabaseError(resultCode: .SQLITE_CONSTRAINT_CHECK)) == "constraint")
        #expect(name(DatabaseError(resultCode: .SQLITE_BUSY_SNAPSHOT)) == "busy")
        #expect(name(DatabaseError()) == "other")
        #expect(name(CancellationError()) == "other")
        #expect(ResultCode.SQLITE_CONSTRAINT ~= .SQLITE_CONSTRAINT_UNIQUE)
        #expect(!(ResultCode.SQLITE_CONSTRAINT_UNIQUE ~= ResultCode.SQLITE_CONSTRAINT))
        switch ResultCode.SQLITE_CONSTRAINT_CHECK {
        case .SQLITE_CONSTRAINT: break
        default: Issue.record("an extended code matches its primary one")
        }
    }

    @Test func madeByHand() {
        #expect(DatabaseError().description == "SQLite error 1: SQL logic error")
        let error = DatabaseError(resultCode: .SQLITE_FULL, message: "no room", sql: "X", arguments: [1])
        #expect(error.description == "SQLite error 13: no room - while executing `X`")
        #expect(DatabaseError(resultCode: .SQLITE_INTERRUPT).isInterruptionError)
    }

    @Test func decodingErrors() throws {
        let error = try #require(
            expectDecodingError { try (["name": "Arthur", "score": nil] as Row).decode(Int.self, forColumn: "score") })
        #expect(
            error.description
                == "could not decode Int from database value NULL - column: \"score\", column index: 1, row: [name:TEXT score:NULL]"
        )
        #expect(
            error.expandedDescription
                == "could not decode Int from database value NULL - column: \"score\", column index: 1, row: [name:\"Arthur\" score:NULL]"
        )
        #expect(error.row == #"[name:"Arthur" score:NULL]"#)
        let columns = (1...30).map { "'\(String(repeating: "é", count: $0))' AS c\($0)" }.joined(separator: ", ")
        let wide = try #require(try DatabaseQueue().read { try Row.fetchOne($0, sql: "SELECT \(columns)") })
        let bounded = try #require(expectDecodingError { try wide.decode(UUID.self, forColumn: "c30") })
        #expect(bounded.row?.hasSuffix(#"c20:"éééééééééé…" (40 bytes) …]"#) == true)
        let long = String(repeating: "x", count: 1_000)
        let cut = expectDecodingError { try (["a": long] as Row).decode(UUID.self, atIndex: 0) }
        #expect((cut?.expandedDescription.count ?? 1_000) < 300)
    }

    /// SQLite accepts it only before the first connection, so this test has its own process.
    @Test func theErrorLog() async {
        await #expect(processExitsWith: .success) {
            let log = Log<String>()
            Database.logError = { code, message in log.append("\(code.rawValue): \(message)") }
            try DatabaseQueue().inDatabase { db in
                expectError(.SQLITE_ERROR) { try db.execute(sql: "SELECT * FROM missing") }
                try db.execute(sql: "CREATE TABLE t(x UNIQUE); INSERT INTO t VALUES (1)")
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
                Database.logError = nil
                expectError(.SQLITE_ERROR) { try db.execute(sql: "SELECT * FROM another") }
            }
            // A build of SQLite may log more.
            let elements = log.elements
            let own = elements.filter { $0.contains("no such table") || $0.contains("constraint failed") }
            try #require(own.count == 2, "\(elements)")
            try #require(own[0].hasPrefix("1: no such table: missing"), "\(elements)")
            try #require(own[1].contains("UNIQUE constraint failed: t.x"), "\(elements)")
        }
    }
}
