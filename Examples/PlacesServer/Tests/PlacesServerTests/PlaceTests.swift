// The places as JSON. Each test has its own database.

import Foundation
import Hummingbird
import HummingbirdTesting
import RowanRecords
import RowanTestKit
import Testing

@testable import PlacesServer

@Suite(.database(migrator, .pool), .timeLimit(.minutes(2)))
struct PlaceTests {
    private func withServer(_ test: @escaping @Sendable (any TestClientProtocol) async throws -> Void) async throws {
        try await Application(router: router(try TestDatabase.current.writer, placeJobs())).test(.router, test)
    }

    private static func json(_ name: String, population: Int = 1) -> ByteBuffer {
        ByteBuffer(
            string: #"{"name":"\#(name)","country":"DE","latitude":48,"longitude":10,"population":\#(population)}"#)
    }

    @Test("Creates, finds, replaces and deletes")
    func life() async throws {
        try await withServer { client in
            try await client.execute(uri: "/places", method: .post, body: Self.json("Ulm")) { response in
                #expect(response.status == .created)
                #expect(response.headers[.location] == "/places/1")
                #expect(response.headers[.eTag] == "\"1\"")
            }
            let tag: HTTPFields = [.ifMatch: "\"1\""]
            try await client.execute(
                uri: "/places/1", method: .put, headers: tag, body: Self.json("Ulm", population: 2)
            ) { response in
                #expect(response.status == .ok)
                #expect(response.headers[.eTag] == "\"2\"")
            }
            try await client.execute(uri: "/places/1", method: .get) { response in
                let place = try JSONDecoder().decode(Place.self, from: Data(response.body.readableBytesView))
                let ulm = Place(
                    id: 1, name: "Ulm", country: "DE", latitude: 48, longitude: 10, population: 2, version: 2)
                #expect(place == ulm)
            }
            // A client can't overwrite a version that it has not seen.
            for (headers, status) in [
                (tag, HTTPResponse.Status.preconditionFailed), ([:], .preconditionRequired),
                ([.ifMatch: "\"7\", W/\"2\""], .preconditionFailed), ([.ifMatch: "\"7\", \"2\""], .ok),
            ] {
                try await client.execute(uri: "/places/1", method: .put, headers: headers, body: Self.json("Ulm")) {
                    #expect($0.status == status)
                }
            }
            try await client.execute(uri: "/places/1", method: .get, headers: [.ifNoneMatch: "\"3\""]) { response in
                #expect(response.status == .notModified)
                #expect(response.body.readableBytes == 0)
            }
            try await client.execute(uri: "/places/1", method: .delete) { #expect($0.status == .preconditionRequired) }
            try await client.execute(uri: "/places/1", method: .delete, headers: [.ifMatch: "*"]) {
                #expect($0.status == .noContent)
            }
            try await client.execute(uri: "/places/1", method: .get) { #expect($0.status == .notFound) }
        }
    }

    @Test("All invalid fields are reported at once")
    func fieldErrors() async throws {
        try await withServer { client in
            try await client.execute(uri: "/places", method: .post, body: Self.json("Ulm")) { _ in }
            for (body, errors) in [
                (
                    #"{"name":"","country":"de","latitude":91,"longitude":-181,"population":-1}"#,
                    [
                        "name": "must have 1 to 200 characters", "country": "must have two capital letters: DE",
                        "latitude": "must be between -90 and 90", "longitude": "must be between -180 and 180",
                        "population": "must be a whole number, and not negative",
                    ]
                ),
                (#"{"name":"Bonn"}"#, ["country": "is missing"]),
                (
                    #"{"name":1,"country":"DE","latitude":1,"longitude":1,"population":1}"#,
                    ["name": "has the wrong type"]
                ),
                (String(buffer: Self.json("Ulm")), ["name": "is taken"]),
                (
                    #"{"name":"Bonn","country":"DE","latitude":1,"longitude":1,"population":1.5}"#,
                    ["population": "must be a whole number, and not negative"]
                ),
            ] {
                try await client.execute(uri: "/places", method: .post, body: ByteBuffer(string: body)) { response in
                    #expect(response.status == .unprocessableContent)
                    let answer = try JSONDecoder().decode(
                        [String: [String: String]].self, from: Data(response.body.readableBytesView))
                    #expect(answer == ["errors": errors])
                }
            }
            for (uri, status) in [
                ("/places/x", HTTPResponse.Status.badRequest), ("/places?after=x", .badRequest),
                ("/places?size=0", .unprocessableContent), ("/places/search?q=", .unprocessableContent),
                ("/nowhere", .notFound),
            ] {
                try await client.execute(uri: uri, method: .get) { #expect($0.status == status) }
            }
            try await client.execute(uri: "/places", method: .post, body: ByteBuffer(string: "nonsense")) {
                #expect($0.status == .badRequest)
            }
        }
    }

    @Test("Pages and searches, with a fixed number of queries")
    func pagesAndSearches() async throws {
        try await TestDatabase.current.writer.write { db in
            for number in 1...5 {
                var place = PlaceInput(
                    name: "New \(number)", country: "US", latitude: 0, longitude: 0, population: Double(number)
                ).place()
                try place.insert(db)
            }
        }
        try await withServer { client in
            var (uri, names) = ("/places?size=2", [String]())
            while !uri.isEmpty {
                try await client.execute(uri: uri, method: .get) { response in
                    struct Answer: Decodable {
                        let places: [Place]
                        let next: String?
                    }
                    let answer = try JSONDecoder().decode(Answer.self, from: Data(response.body.readableBytesView))
                    names += answer.places.map(\.name)
                    uri = answer.next.map { "/places?size=2&after=\($0)" } ?? ""
                }
            }
            #expect(names == ["New 5", "New 4", "New 3", "New 2", "New 1"])
            try await expectQueries(1) {
                try await client.execute(uri: "/places/search?q=NEW%204", method: .get) { response in
                    #expect(String(buffer: response.body).contains(#""name":"New 4""#))
                    #expect(!String(buffer: response.body).contains("New 3"))
                }
            }
        }
    }
}
