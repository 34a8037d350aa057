// A client of the server of --metrics.

import Foundation
import Testing

/// A response of a node's HTTP server.
struct MetricsPage {
    let status: String
    let headers: [String]
    let text: String

    init(_ address: String, _ request: String) throws { try self.init(address, Array(request.utf8)) }

    init(_ address: String, _ request: [UInt8]) throws {
        let client = try RawClient(address, greets: false)
        client.send(request)
        let response = String(decoding: client.receiveAll(), as: UTF8.self)
        let end = try #require(response.range(of: "\r\n\r\n"), "\(response)")
        let lines = response[..<end.lowerBound].components(separatedBy: "\r\n")
        (status, headers) = (lines[0], Array(lines.dropFirst()))
        text = String(response[end.upperBound...])
        #expect(headers.contains("Content-Length: \(text.utf8.count)"))
    }

    static func get(_ address: String, _ path: String) throws -> MetricsPage {
        try MetricsPage(address, "GET \(path) HTTP/1.1\r\nHost: node\r\n\r\n")
    }

    /// The values by name and labels, of a page in the format of Prometheus. Each has a type and a description.
    func values() throws -> [String: UInt64] {
        var (names, values): (Set<String>, [String: UInt64]) = ([], [:])
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 3)
            if words[0] == "#" {
                #expect(words.count == 4)
                let name = "\(words[2]) \(words[1])"
                #expect(["HELP", "TYPE"].contains(words[1]) && names.insert(name).inserted, "\(line)")
                continue
            }
            let name = line.prefix { $0 != "{" && $0 != " " }
            #expect(names.isSuperset(of: ["\(name) HELP", "\(name) TYPE"]), "\(line)")
            let space = try #require(line.lastIndex(of: " "))
            let key = String(line[..<space].dropFirst("rowan_node_".count))
            #expect(line.hasPrefix("rowan_node_") && values[key] == nil, "\(line)")
            let value: UInt64 = try #require(UInt64(line[line.index(after: space)...]), "\(line)")
            values[key] = value
        }
        return values
    }
}
