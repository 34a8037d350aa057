// Nodes that start, join, hand over, exit and restart.

import Foundation
import Testing

@Suite(.serialized)
struct NodeTests {
    let home: NodeHome

    init() throws { home = try NodeHome() }

    @Test func aFirstNodeLeadsItsCluster() throws {
        let node = try home.start(1)
        #expect(try home.status(1) == ["1 \(home.address(1)) voter leader"])
        #expect(node.end(by: SIGTERM) == 0)
    }

    @Test func nodesJoinAndTheClusterSurvivesAnyOfThem() throws {
        let first = try home.start(1)
        try home.start(2)
        try home.start(3)
        #expect(
            try home.status(1) == [
                "1 \(home.address(1)) voter leader", "2 \(home.address(2)) voter", "3 \(home.address(3)) voter",
            ])
        #expect(first.end(by: SIGKILL) == SIGKILL)
        let second = try #require(try home.leader(2, 3))
        #expect(second != 1)
        try home.start(1)
        #expect(try home.status(1).count == 3)
    }

    @Test func aLeaderHandsOverBeforeItEnds() throws {
        let first = try home.start(1)
        try home.start(2)
        try home.start(3)
        #expect(first.end(by: SIGINT) == 0)
        #expect(try home.leader(2) != 1)
    }

    @Test func rolesAreAssigned() throws {
        try home.start(1)
        try home.start(2, "--role", "standby")
        try home.start(3, "--role", "spare")
        #expect(
            try home.status(1) == [
                "1 \(home.address(1)) voter leader", "2 \(home.address(2)) standby", "3 \(home.address(3)) spare",
            ])
    }

    @Test func aFirstNodeCanListTheOthersBeforeTheyRun() throws {
        let first = try home.start(1, "--join", "\(home.address(2)),\(home.address(3))")
        try home.start(2)
        // A member ignores both options.
        #expect(first.end(by: SIGTERM) == 0)
        try home.start(1, "--join", "\(home.address(2)),\(home.address(3))")
        #expect(try home.status(1).count == 2)
    }

    @Test func aNodeWaitsForTheClusterThatItJoins() throws {
        let second = try Program(home.options(2))
        try home.start(1)
        #expect(second.line() == "ready \(home.address(2))")
        second.end(by: SIGTERM)
    }

    @Test func aNodeThatStillWaitsCanBeEnded() throws {
        let second = try Program(home.options(2))
        #expect(second.end(by: SIGTERM) == 0)
    }

    @Test func aMemberStartsAgainWithoutJoining() throws {
        try home.start(1)
        let second = try home.start(2)
        #expect(second.end(by: SIGTERM) == 0)
        let again = try Program(home.options(2, join: nil))
        #expect(again.line() == "ready \(home.address(2))")
        #expect(try home.status(1).count == 2)
        again.end(by: SIGTERM)
    }

    @Test func aMemberIsRemoved() throws {
        try home.start(1)
        try home.start(2)
        let cluster = [home.address(1), home.address(2)].joined(separator: ",")
        #expect(try Program(["remove", "--id", "1", "--cluster", cluster]).end().code == 0)
        #expect(try home.status(2) == ["2 \(home.address(2)) voter leader"])
        // No other node could lead.
        let last = try Program(["remove", "--id", "2", "--cluster", home.address(2)]).end()
        #expect(last.code == 1 && last.errors.contains("no other voter"))
    }

    @Test func aNodeRecoversWithoutTheOthers() throws {
        try home.start(1)
        let second = try home.start(2)
        let third = try home.start(3)
        for node in [second, third] { node.end(by: SIGKILL) }
        let options = ["--id", "1", "--address", home.address(1), "--data", home.path(1)]
        let refused = try Program(["recover"] + options).end()
        #expect(refused.code == 1 && refused.errors.contains("another process"))
        try #require(home.node(1)).end(by: SIGKILL)
        #expect(try Program(["recover"] + options).end().code == 0)
        try home.start(1)
        #expect(try home.status(1) == ["1 \(home.address(1)) voter leader"])
    }

    @Test func aNodeEndsWithItsStandardInput() throws {
        #expect(try home.start(1).endByInput() == 1)
    }

    @Test func itsFolderIsForItsOwnerOnly() throws {
        try home.start(1)
        let mode = try FileManager.default.attributesOfItem(atPath: home.path(1))[.posixPermissions]
        #expect(mode as? Int == 0o700)
    }
}
