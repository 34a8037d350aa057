// The meaning of the nodes' error codes.

import Rowan
import Testing

@testable import RowanCluster

struct ClusterErrorTests {
    @Test(arguments: [
        (7, "not an error"), (7, "no more rows available"), (8, "another row available"), (9, "not an error"),
        (10_250, "not an error"), (10_506, "disk I/O error"),
    ]) func codesOfLostLeaders(code: UInt64, message: String) {
        #expect(NodeRefusal(code: code, message: message).databaseError.isLeaderChange)
    }

    @Test(arguments: [
        (7, "out of memory"), (8, "attempt to write a readonly database"), (5, "database is locked"),
        (19, "UNIQUE constraint failed: player.name"), (1, "no such table: t"),
    ]) func codesOfSQLite(code: UInt64, message: String) {
        let error = NodeRefusal(code: code, message: message).databaseError
        #expect(!error.isLeaderChange)
        #expect(error.extendedResultCode.rawValue == Int32(code))
        #expect(error.message == message)
    }

    /// Long enough for many attempts.
    @Test func nobodyAnswers() {
        var options = ClusterOptions()
        options.failoverTimeout = .seconds(8)
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseCluster(addresses: ["127.77.99.1:9001", "127.77.99.2:9001"], database: "a", options: options)
        }
        #expect(error?.isLeaderChange == true)
    }

    @Test func theInterruptionOfANode() {
        let error = NodeRefusal(code: 9, message: "interrupted").databaseError
        #expect(error.resultCode == .SQLITE_INTERRUPT)
        #expect(
            error.message
                == "the leader has interrupted the statement, because it ran for too long without a row: make it "
                + "shorter, or start the nodes with a longer --statement-limit")
    }
}
