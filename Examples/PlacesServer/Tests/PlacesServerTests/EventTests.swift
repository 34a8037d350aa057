// Server-sent events: for new clients, reconnecting ones and disconnecting ones.

import Foundation
import Hummingbird
import HummingbirdTesting
import RowanRecords
import RowanTestKit
import Testing

@testable import PlacesServer
@testable import Rowan

@Suite(.database(migrator, .pool), .timeLimit(.minutes(5)))
struct EventTests {
    private func withServer(
        heartbeat: Duration = .seconds(60), _ test: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let application = Application(
            router: router(try TestDatabase.current.writer, placeJobs(), heartbeat: heartbeat),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)))
        try await application.test(.live) { client in try await test(try #require(client.port)) }
    }

    private static func insert(_ name: String) async throws {
        try await TestDatabase.current.writer.write { db in
            var place = PlaceInput(name: name, country: "DE", latitude: 0, longitude: 0, population: 1).place()
            try place.insert(db)
        }
    }

    /// Whether a client has an observation.
    private static var isObserved: Bool {
        get async throws {
            try await TestDatabase.current.writer.writeWithoutTransaction { !$0.observationHub.isEmpty }
        }
    }

    @Test("A client gets later changes, and those it has missed when it reconnects")
    func changes() async throws {
        try await withServer { port in
            try await Self.insert("Ulm")
            let client = try EventClient(port: port)
            #expect(await client.read(until: "hello").contains("id: 1\nevent: hello\n"))
            try await Self.insert("Bonn")
            let event = await client.read(until: "Bonn")
            #expect(event.contains("id: 2\nevent: put\ndata: {"))
            client.leave()
            try await TestDatabase.current.writer.write { _ = try Place.deleteOne($0, key: 2) }
            try await Self.insert("Kiel")
            let missed = await (try EventClient(port: port, lastEventID: 2)).read(until: "Kiel")
            #expect(missed.contains("id: 3\nevent: delete\ndata: {\"id\":2}\n\nid: 4\nevent: put\ndata: {"))
            #expect(!missed.contains("Ulm"))
            // The id is from another database, or too old: the client fetches everything again.
            let reset = await (try EventClient(port: port, lastEventID: 99)).read(until: "reset")
            #expect(reset.contains("id: 4\nevent: reset\n"))
        }
    }

    @Test("A client that was disconnected for longer than the log covers")
    func longAbsence() async throws {
        try await TestDatabase.current.writer.write { db in
            for number in 0..<EventFeed.window + 10 {
                var place = PlaceInput(name: "\(number)", country: "DE", latitude: 0, longitude: 0, population: 1)
                    .place()
                try place.insert(db)
            }
            #expect(try Change.fetchCount(db) == EventFeed.window)
        }
        try await withServer { port in
            let reset = await (try EventClient(port: port, lastEventID: 9)).read(until: "\n\n\r\n")
            #expect(reset.contains("event: reset\n"))
            let all = await (try EventClient(port: port, lastEventID: 10)).read(until: "\"1009\"")
            #expect(!all.contains("reset"))
        }
    }

    @Test("A silent connection gets heartbeats")
    func heartbeats() async throws {
        try await withServer(heartbeat: .milliseconds(10)) { port in
            let client = try EventClient(port: port)
            #expect(await client.read(until: "hello").contains("event: hello"))
            #expect(await client.read(until: ": \n\n").contains(": \n\n"))
        }
    }

    @Test("A client that disconnects ends its observation")
    func leaving() async throws {
        try await withServer { port in
            let clients = try (0..<5).map { _ in try EventClient(port: port) }
            for client in clients { _ = await client.read(until: "hello") }
            try await eventually { try await Self.isObserved }
            for client in clients { client.leave() }
            try await eventually {
                // Ended observations are released at the next commit.
                try await Self.insert(UUID().uuidString)
                return try await !Self.isObserved
            }
        }
    }
}

/// Waits for a condition, for at most a minute.
func eventually(_ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        try #require(ContinuousClock.now < deadline, "it has not happened in a minute")
        try await Task.sleep(for: .milliseconds(10))
    }
}
