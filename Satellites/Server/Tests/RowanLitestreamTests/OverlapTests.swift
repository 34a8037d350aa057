// A replica whose snapshot is newer than its changes, as left by a machine that dies between the two.

import Foundation
import Rowan
import RowanLitestream
import Synchronization
import Testing

@Suite(.litestream)
struct OverlapTests {
    /// The folder of the replica's files for a level.
    private func level(_ number: Int, _ site: Site) -> String { site.path("replica/ltx/\(number)") }

    private func files(_ number: Int, _ site: Site) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: level(number, site)).sorted()
    }

    /// The first machine replicates, sends a snapshot, and dies before it has sent the changes contained in the
    /// snapshot.
    private func leaveSnapshotWithoutItsChanges(_ site: Site) async throws {
        let pool = try site.open("one/places.sqlite")
        let replication = site.replication(of: "one/places.sqlite")
        try await site.replicating(replication) {
            for first in [1, 1001, 2001, 3001] {
                try pool.add(first...first + 999)
                try await replication.sync()
            }
        }
        try site.litestream(
            "replicate", "-once", "-force-snapshot", site.path("one/places.sqlite"), site.replica.url)
        try pool.close()
        try FileManager.default.removeItem(atPath: site.path("one"))
        for name in try files(0, site).dropFirst() {
            try FileManager.default.removeItem(atPath: level(0, site) + "/" + name)
        }
        // Merged changes follow the changes.
        for number in 1...8 where FileManager.default.fileExists(atPath: level(number, site)) {
            try FileManager.default.removeItem(atPath: level(number, site))
        }
        let snapshot = try #require(try files(9, site).last)
        #expect(snapshot > "0000000000000001-0000000000000004")
    }

    /// Otherwise, Litestream would reuse the numbers of transactions contained in the snapshot.
    @Test func theNextMachineGoesOnAfterTheSnapshot() async throws {
        let site = try Site()
        try await leaveSnapshotWithoutItsChanges(site)
        let path = site.path("two/places.sqlite")
        #expect(try await site.replica.restoreIfMissing(to: path) == .restored)
        #expect(try numbers(at: path) == Array(1...4000))
        let pool = try site.open("two/places.sqlite")
        let replication = site.replication(of: "two/places.sqlite")
        try await site.replicating(replication) {
            for first in [4001, 5001, 6001, 7001, 8001, 9001] {
                try pool.add(first...first + 999)
                try await replication.sync()
                let copy = site.path("copy\(first).sqlite")
                try await site.replica.restore(to: copy)
                #expect(try numbers(at: copy) == Array(1...first + 999))
            }
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: site.path("two")).sorted() == [
                ".places.sqlite-litestream", "places.sqlite", "places.sqlite-shm", "places.sqlite-wal",
            ])
    }

    /// This takes several steps. If the service ends between two of them, twice, the replica still contains everything,
    /// and the next service continues while the program writes.
    @Test(arguments: [0, 40, 80, 120, 160, 200, 250, 300, 400])
    func ends(afterMilliseconds pause: Int) async throws {
        let site = try Site()
        try await leaveSnapshotWithoutItsChanges(site)
        let path = site.path("two/places.sqlite")
        #expect(try await site.replica.restoreIfMissing(to: path) == .restored)
        let pool = try site.open("two/places.sqlite")
        let last = Mutex(4000)
        let writer = Task {
            while !Task.isCancelled {
                let first = last.withLock { $0 } + 1
                try pool.add(first...first + 99)
                last.withLock { $0 = first + 99 }
                try await Task.sleep(for: .milliseconds(2))
            }
        }
        defer { writer.cancel() }
        for number in 1...2 {
            try await site.replicating(site.replication(of: "two/places.sqlite")) {
                try await Task.sleep(for: .milliseconds(pause))
            }
            let copy = site.path("early\(number).sqlite")
            try await site.replica.restore(to: copy)
            let early = try numbers(at: copy)
            #expect(early.count >= 4000 && early == Array(1...early.count))
        }

        let replication = site.replication(of: "two/places.sqlite")
        try await site.replicating(replication) {
            try await replication.sync()
            let confirmed = last.withLock { $0 }
            try await replication.sync()
            try await site.replica.restore(to: site.path("late.sqlite"))
            let late = try numbers(at: site.path("late.sqlite"))
            #expect(late.count >= confirmed && late == Array(1...late.count))
        }
        writer.cancel()
        _ = await writer.result
    }
}
