@testable import Rowan
import Testing

struct WALResetBugTests {
    @Test(
        "Versions with the WAL-reset bug, and the corrected ones",
        arguments: [
            (3_006_023, false), (3_007_000, true), (3_040_001, true), (3_044_005, true), (3_044_006, false),
            (3_045_000, true), (3_050_006, true), (3_050_007, false), (3_051_000, true), (3_051_002, true),
            (3_051_003, false), (3_053_000, false),
        ])
    func versions(version: Int, hasBug: Bool) {
        #expect(LocalConnection.hasWALResetBug(version: version) == hasBug)
    }

    @Test("The running version")
    func running() throws {
        let text = try #require(
            try DatabaseQueue().read { db in try String.fetchOne(db, sql: "SELECT sqlite_version()") })
        let parts = text.split(separator: ".").compactMap { Int($0) }
        let version = parts[0] * 1_000_000 + parts[1] * 1_000 + (parts.count > 2 ? parts[2] : 0)
        #expect(Database.hasWALResetBug == LocalConnection.hasWALResetBug(version: version))
    }
}
