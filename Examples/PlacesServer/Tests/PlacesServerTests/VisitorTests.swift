// The databases of visitors.

import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import RowanRecords
import RowanTestKit
import Testing

@testable import PlacesServer

@Suite(.database(migrator, .pool), .timeLimit(.minutes(2)))
struct VisitorTests {
    @Test func eachVisitorHasADatabase() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("visitors-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let visitors = try visitorDirectory(folder: folder, logger: Logger(label: "test"))
        let routes = router(try TestDatabase.current.writer, placeJobs(), visitors)
        try await Application(router: routes).test(.router) { client in
            func places(_ visitor: String) async throws -> [SavedPlace] {
                try await client.execute(uri: "/visitors/\(visitor)/places", method: .get) { response in
                    #expect(response.status == .ok)
                    return try JSONDecoder().decode([SavedPlace].self, from: Data(response.body.readableBytesView))
                }
            }
            for (visitor, note) in [("ann", "a"), ("Bob", "b"), ("..%2F..%2Fx", "c")] {
                try await client.execute(
                    uri: "/visitors/\(visitor)/places/7", method: .put, body: ByteBuffer(string: note)
                ) { #expect($0.status == .noContent) }
            }
            try await #expect(places("ann") == [SavedPlace(place: 7, note: "a")])
            try await #expect(places("Bob") == [SavedPlace(place: 7, note: "b")])
            try await #expect(places("cid") == [])
            try await #expect(visitors.tenants() == ["../../x", "Bob", "ann", "cid"])
            try await client.execute(uri: "/visitors/ann", method: .delete) { #expect($0.status == .noContent) }
            try await client.execute(uri: "/visitors/ann", method: .delete) { #expect($0.status == .notFound) }
            try await client.execute(uri: "/visitors/\(String(repeating: "x", count: 201))/places", method: .get) {
                #expect($0.status == .badRequest)
            }
        }
        try await visitors.close()
        try #expect(
            Set(FileManager.default.contentsOfDirectory(atPath: folder))
                == [".lock", "=42ob.sqlite", "=2E=2E=2F=2E=2E=2Fx.sqlite", "cid.sqlite"])
    }
}
