@testable import CityServer
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import RowanRecords
import Testing

/// Runs a test with a server that has its own database in memory.
private func withServer(_ test: @escaping @Sendable (any TestClientProtocol) async throws -> Void) async throws {
    let database = try DatabaseQueue()
    try migrator.migrate(database)
    try await Application(router: router(database)).test(.router, test)
}

private func body(_ json: String) -> ByteBuffer { ByteBuffer(string: json) }

@Test func createsAndFinds() async throws {
    try await withServer { client in
        let ulm = #"{"name":"Ulm","population":129942}"#
        try await client.execute(uri: "/cities", method: .post, body: body(ulm)) { response in
            #expect(response.status == .created)
        }
        try await client.execute(uri: "/cities/1", method: .get) { response in
            let city = try JSONDecoder().decode(City.self, from: Data(response.body.readableBytesView))
            #expect(city == City(id: 1, name: "Ulm", population: 129_942))
        }
        try await client.execute(uri: "/cities?from=200000", method: .get) { response in
            #expect(String(buffer: response.body) == "[]")
        }
    }
}

@Test func answersErrors() async throws {
    try await withServer { client in
        for (json, status) in [
            (#"{"name":"Ulm","population":1}"#, HTTPResponse.Status.created),
            (#"{"name":"Ulm","population":2}"#, .conflict), (#"{"name":"Bonn","population":-1}"#, .badRequest),
            (#"{"name":"Bonn"}"#, .badRequest),
        ] {
            try await client.execute(uri: "/cities", method: .post, body: body(json)) { response in
                #expect(response.status == status)
            }
        }
        try await client.execute(uri: "/cities/7", method: .get) { #expect($0.status == .notFound) }
        try await client.execute(uri: "/cities/x", method: .get) { #expect($0.status == .badRequest) }
        try await client.execute(uri: "/cities/1", method: .delete) { #expect($0.status == .noContent) }
        try await client.execute(uri: "/cities/1", method: .delete) { #expect($0.status == .notFound) }
        try await client.execute(uri: "/cities", method: .get) { #expect(String(buffer: $0.body) == "[]") }
    }
}
