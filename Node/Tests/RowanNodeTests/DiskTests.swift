// Nodes whose disks are short of space, or say so.

import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct DiskTests {
    let home: NodeHome

    init() throws { home = try NodeHome() }

    /// In megabytes: more than any disk has.
    private static let everything = "1000000000000"

    @Test func aLeaderWithoutSpaceHandsOver() throws {
        let first = try home.start(1, "--disk-reserve", Self.everything)
        try home.start(2, "--disk-reserve", Self.everything)
        try home.start(3)
        while try home.leader(1, 2, 3) != 3 { usleep(50_000) }
        #expect(
            try home.status(3) == [
                "1 \(home.address(1)) voter short-of-disk", "2 \(home.address(2)) voter short-of-disk",
                "3 \(home.address(3)) voter leader",
            ])
        let check = try Program(["status", "--check", "--cluster", home.address(3)]).end()
        #expect(check.code == 1)
        #expect(check.errors.contains("make space on their disks"))
        #expect(first.end(by: SIGTERM) == 0)
        let log = first.errors()
        #expect(log.contains("level=warning event=disk-is-short available="))
        #expect(log.contains("level=warning event=handed-over"))
    }

    /// dqlite would go on, and lack an entry of its log after the next restart.
    @Test func aNodeThatCanNoLongerWriteEnds() throws {
        let node = try home.start(1)
        let client = try RawClient.opened(home.address(1))
        #expect(client.run("CREATE TABLE t (a)") == nil)
        let limit = try Process.run(
            URL(fileURLWithPath: "/usr/bin/env"), arguments: ["prlimit", "--pid", "\(node.identifier)", "--fsize=1"])
        limit.waitUntilExit()
        #expect(limit.terminationStatus == 0)
        #expect(client.run("INSERT INTO t VALUES (1)") == "the connection has ended")
        let end = node.end()
        #expect(end.code == 1)
        // The entry, or the space for later ones.
        let calls = ["io_submit", "posix_fallocate"].map { "event=storage-failed call=\($0) error=\"File too large\"" }
        #expect(calls.contains { end.errors.contains($0) }, "\(end.errors)")
        try home.start(1)
        #expect(try RawClient.opened(home.address(1)).value("SELECT count() FROM t") == 0)
    }

    @Test func aNodeWithoutSpaceForItsLogEnds() throws {
        // Files may have 4,096 blocks of 512 or 1,024 bytes. Those of the log are larger.
        let node = try home.start(1, limit: "-f 4096")
        let client = try RawClient.opened(home.address(1))
        #expect(client.run("CREATE TABLE t (a)") == "the connection has ended")
        let end = node.end()
        #expect(end.code == 1)
        #expect(
            end.errors.contains("level=error event=storage-failed call=posix_fallocate error=\"File too large\""))
    }

    /// Otherwise, the leadership would keep moving between them.
    @Test func aLeaderGoesOnIfNoneHasSpace() throws {
        let first = try home.start(1, "--disk-reserve", Self.everything)
        try home.start(2, "--disk-reserve", Self.everything)
        try home.start(3, "--disk-reserve", Self.everything)
        let client = try RawClient.opened(home.address(1))
        #expect(client.run("CREATE TABLE t (a)") == nil)
        // Several measurements.
        sleep(3)
        #expect(client.run("INSERT INTO t VALUES (1)") == nil)
        #expect(try home.leader(1) == 1)
        // Now it has to hand over to one of them.
        #expect(first.end(by: SIGTERM) == 0)
        #expect(first.errors().contains("the disks of the other voters have no space either"))
        #expect(try home.leader(2, 3) != 1)
    }
}
