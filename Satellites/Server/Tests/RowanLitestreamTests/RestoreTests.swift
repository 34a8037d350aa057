// Restores: the newest state, a moment, and what must not be overwritten or left behind.

import Foundation
import Rowan
import RowanLitestream
import Testing

@Suite(.litestream)
struct RestoreTests {
    @Test func restoresOnAnotherMachineAndGoesOn() async throws {
        let site = try Site()
        let first = try site.open("one/places.sqlite")
        let replication = site.replication(of: "one/places.sqlite")
        try await site.replicating(replication) {
            try first.add(1...10)
            try await replication.sync()
        }
        try first.close()
        try FileManager.default.removeItem(atPath: site.path("one"))

        let outcome = try await site.replica.restoreIfMissing(to: site.path("two/places.sqlite"), integrityCheck: .full)
        #expect(outcome == .restored)
        #expect(try numbers(at: site.path("two/places.sqlite")) == Array(1...10))

        let second = try site.open("two/places.sqlite")
        let next = site.replication(of: "two/places.sqlite")
        try await site.replicating(next) {
            try second.add(11...20)
            try await next.sync()
        }
        try await site.replica.restore(to: site.path("three/places.sqlite"))
        #expect(try numbers(at: site.path("three/places.sqlite")) == Array(1...20))
    }

    @Test func firstStartRestoresNothing() async throws {
        let site = try Site()
        let path = site.path("one/places.sqlite")
        #expect(try await site.replica.restoreIfMissing(to: path) == .noBackup)
        #expect(!FileManager.default.fileExists(atPath: path))
        await #expect(throws: LitestreamError.self) { try await site.replica.restore(to: path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: site.path("one")).isEmpty)
    }
}
