// The jobs of the server, and the page for its operators.

import Foundation
import Hummingbird
import HummingbirdTesting
import RowanJobs
import RowanJobsTestKit
import RowanRecords
import RowanTestKit
import Testing

@testable import PlacesServer

@Suite(.database(migrator, .pool), .timeLimit(.minutes(2)))
struct JobTests {
    private struct Broken: Job {
        let text: String
        func run(_ context: JobContext) async throws { throw FailJob("<b>\(text)</b>") }
    }

    private func withServer(
        _ jobs: Jobs = placeJobs(), _ test: @escaping @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        try await Application(router: router(try TestDatabase.current.writer, jobs)).test(.router, test)
    }

    private static func place(_ name: String, _ country: String, _ population: Int) -> ByteBuffer {
        ByteBuffer(
            string:
                #"{"name":"\#(name)","country":"\#(country)","latitude":48,"longitude":10,"population":\#(population)}"#
        )
    }

    private static func countries(_ client: any TestClientProtocol) async throws -> [Country] {
        try await client.execute(uri: "/countries", method: .get) { response in
            try JSONDecoder().decode([Country].self, from: Data(response.body.readableBytesView))
        }
    }

    @Test func writesCountTheirCountries() async throws {
        let database = try TestDatabase.current.writer
        try await withServer { client in
            for (name, country, population) in [("Ulm", "DE", 1), ("Bonn", "DE", 2), ("Lyon", "FR", 10)] {
                try await client.execute(uri: "/places", method: .post, body: Self.place(name, country, population)) {
                    #expect($0.status == .created)
                }
            }
            // One job counts both places.
            #expect(try await placeJobs().runAll(on: database).succeeded == 2)
            #expect(
                try await Self.countries(client) == [
                    Country(code: "FR", places: 1, population: 10), Country(code: "DE", places: 2, population: 3),
                ])
            try await client.execute(
                uri: "/places/1", method: .put, headers: [.ifMatch: "*"], body: Self.place("Ulm", "FR", 5)
            ) { #expect($0.status == .ok) }
            try await client.execute(uri: "/places/2", method: .delete, headers: [.ifMatch: "*"]) {
                #expect($0.status == .noContent)
            }
            try await placeJobs().runAll(on: database)
            #expect(try await Self.countries(client) == [Country(code: "FR", places: 2, population: 15)])
            // A request that fails leaves no job.
            try await client.execute(uri: "/places", method: .post, body: Self.place("Ulm", "IT", 1)) {
                #expect($0.status == .unprocessableContent)
            }
            #expect(try await placeJobs().runAll(on: database).succeeded == 0)
        }
    }

    @Test func everyNightAllAreCounted() async throws {
        let database = try TestDatabase.current.writer
        let clock = ManualJobClock()
        var jobs = placeJobs()
        jobs.clock = clock
        try await jobs.runAll(on: database)
        try await database.write { db in
            try db.execute(sql: "INSERT INTO place VALUES (1, 'Ulm', 'DE', 48, 10, 7, 1)")
            try db.execute(sql: "INSERT INTO country VALUES ('XX', 3, 4)")
        }
        clock.advance(by: .seconds(3 * 3_600 + 1_800))
        #expect(try await jobs.runAll(on: database).succeeded == 3)
        #expect(
            try await database.read { try Country.fetchAll($0) } == [Country(code: "DE", places: 1, population: 7)])
    }

    @Test func operatorsRetryAndDiscardFailedJobs() async throws {
        let database = try TestDatabase.current.writer
        let jobs = {
            var jobs = placeJobs()
            jobs.register(Broken.self)
            return jobs
        }()
        try await database.write { db in
            for text in ["first", "second"] { try jobs.enqueue(Broken(text: text), in: db) }
        }
        try await jobs.runAll(on: database)
        try await withServer(jobs) { client in
            try await client.execute(uri: "/jobs", method: .get) { response in
                let page = String(buffer: response.body)
                #expect(page.contains("<td>default</td><td>0</td><td>0</td><td>0</td><td>2</td>"))
                #expect(page.contains("<td>&lt;b&gt;first&lt;/b&gt;</td>"))
                #expect(page.contains("<td>{&quot;text&quot;:&quot;second&quot;}</td>"))
                #expect(page.contains("<form method=\"post\" action=\"/jobs/1/retry\">"))
            }
            try await client.execute(
                uri: "/jobs/1/retry", method: .post, headers: [.init("Sec-Fetch-Site")!: "cross-site"]
            ) {
                #expect($0.status == .forbidden)
            }
            for action in ["1/retry", "2/discard"] {
                try await client.execute(
                    uri: "/jobs/\(action)", method: .post, headers: [.init("Sec-Fetch-Site")!: "same-origin"]
                ) {
                    #expect($0.status == .seeOther)
                    #expect($0.headers[.location] == "/jobs")
                }
                try await client.execute(uri: "/jobs/\(action)", method: .post) { #expect($0.status == .notFound) }
            }
        }
        #expect(try await database.read { try jobs.failed(in: $0) }.isEmpty)
        #expect(try await jobs.runAll(on: database).errors.count == 1)
    }
}
