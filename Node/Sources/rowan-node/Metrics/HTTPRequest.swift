// The requests of HTTP/1.1, as far as a server without bodies needs them.
// Source: https://www.rfc-editor.org/rfc/rfc9112

/// The first line of a request.
struct HTTPRequest: Equatable {
    let method: String
    /// Without the query.
    let path: String

    /// What the bytes of a connection contain so far.
    enum Parsed: Equatable {
        case incomplete
        case request(HTTPRequest)
        /// With the reason, as a sentence.
        case malformed(String)
    }

    /// The largest size of the first line and the headers.
    static let largestSize = 8192

    /// Reads the head of a request. A body is ignored.
    static func parse(_ bytes: [UInt8]) -> Parsed {
        var lines: [Substring] = []
        var rest = bytes.prefix(largestSize)
        guard rest.allSatisfy(isText) else { return .malformed("the request contains a byte that is not text") }
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            var line = rest[..<end]
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            rest = rest[(end + 1)...]
            if line.isEmpty, let request = request(lines.first) { return .request(request) }
            lines.append(Substring(decoding: line, as: UTF8.self))
            guard request(lines.first) != nil else { return .malformed("the first line is not that of a request") }
            guard lines.dropFirst().allSatisfy({ $0.contains(":") && $0.first != ":" }) else {
                return .malformed("the line \(lines.count) is not a header")
            }
        }
        return bytes.count < largestSize ? .incomplete : .malformed("the request is longer than \(largestSize) bytes")
    }

    /// Line endings, tabs and printable ASCII.
    private static func isText(_ byte: UInt8) -> Bool {
        (0x20...0x7e).contains(byte) || byte == 0x09 || byte == 0x0a || byte == 0x0d
    }

    private static func request(_ line: Substring?) -> HTTPRequest? {
        let words = line?.split(separator: " ", omittingEmptySubsequences: false) ?? []
        guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy({ ("A"..."Z").contains($0) }),
            words[1].first == "/", words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0"
        else { return nil }
        return HTTPRequest(method: String(words[0]), path: String(words[1].prefix { $0 != "?" }))
    }
}

/// A response of a few kilobytes, after which the connection ends.
struct HTTPResponse {
    enum Status: String {
        case ok = "200 OK"
        case badRequest = "400 Bad Request"
        case notFound = "404 Not Found"
        case methodNotAllowed = "405 Method Not Allowed"
        case serviceUnavailable = "503 Service Unavailable"
    }

    let status: Status
    let text: String

    var bytes: [UInt8] {
        // The version is that of Prometheus's format, which other clients ignore.
        var head = """
            HTTP/1.1 \(status.rawValue)\r
            Content-Type: text/plain; version=0.0.4; charset=utf-8\r
            Content-Length: \(text.utf8.count)\r
            Cache-Control: no-store\r
            Connection: close\r\n
            """
        if status == .methodNotAllowed { head += "Allow: GET\r\n" }
        return Array((head + "\r\n" + text).utf8)
    }
}
