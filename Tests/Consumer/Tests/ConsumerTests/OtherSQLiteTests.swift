import CSQLite
import Rowan
import RowanSQLite
import Testing

/// Two packages that wrap SQLite, in one program.
struct OtherSQLiteTests {
    @Test func oneLibrary() throws {
        #expect(CSQLite.sqlite3_libversion_number() == RowanSQLite.sqlite3_libversion_number())
        let queue = try DatabaseQueue()
        let (version, changes) = try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
            let version = try String.fetchOne(db, sql: "SELECT sqlite_version()")
            return (version, CSQLite.sqlite3_changes(db.sqliteConnection))
        }
        #expect(version == String(cString: CSQLite.sqlite3_libversion()))
        #expect(changes == 2)
    }
}
