// Who may see the page.

import Foundation
import HTTPTypes
import Hummingbird
import RowanPictures
import Synchronization

/// Checks requests before anything else.
///
/// The token in the URL that the program prints is exchanged for a cookie. Pages of other sites can't use it: the browser sends it
/// only with requests of this page, and their Origin is refused. The Host is checked, because a name of another site may be
/// resolved to this address (DNS rebinding).
final class Gate: Sendable {
    let host: String
    let token = Gate.random()
    /// In forms that change something.
    let formToken = Gate.random()
    private let session = Gate.random()
    private let port = Mutex(0)

    init(host: String) { self.host = host }

    func serverDidStart(port: Int) { self.port.withLock { $0 = port } }

    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || (isAddress(host) && host.hasPrefix("127."))
    }

    private static func isAddress(_ host: String) -> Bool {
        var (four, six) = (in_addr(), in6_addr())
        return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
    }

    /// 32 random bytes.
    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let text = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
    }

    /// Compares all bytes, so that the time does not show how many are right.
    private static func isEqual(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        return one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Whether a form belongs to this page.
    func accepts(form token: String?) -> Bool { Self.isEqual(token ?? "", formToken) }

    private var cookieName: String { "rowan-\(port.withLock(\.self))" }

    /// The response to a request that may not see the page.
    func refusal(of request: Request) -> Response? {
        let authority = request.head.authority ?? ""
        guard let name = Self.hostName(authority), isKnown(name) else {
            return Self.text(
                .forbidden, "This page can't be reached by this name. Open the URL that rowan inspect printed.")
        }
        if let origin = request.headers[.origin], origin != "http://\(authority)" {
            return Self.text(.forbidden, "Other pages can't use this one.")
        }
        guard request.method == .get || request.method == .head || request.method == .post else {
            return Self.text(.methodNotAllowed, "This page only answers GET, HEAD and POST.")
        }
        let address = Address(request)
        if let token = address.values("token").first {
            guard Self.isEqual(token, self.token) else { return Self.locked }
            var plain = address
            plain.parameters.removeAll { $0.name == "token" }
            // Not a redirection: after a link of another site, browsers would not send the cookie.
            let page: Markup = """
                <!doctype html><html lang="en"><title>rowan</title><meta http-equiv="refresh" content="0;url=\(plain.text)">\
                <p><a href="\(plain.text)">Continue</a></p></html>
                """
            var response = Response(
                status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: page.text)))
            response.headers[.setCookie] = "\(cookieName)=\(session); Path=/; HttpOnly; SameSite=Strict"
            return response
        }
        // Pages at other ports of this machine, to which browsers send the cookie, too.
        if let site = request.headers[.init("Sec-Fetch-Site")!], site != "same-origin", site != "none" {
            return Self.text(.forbidden, "Other pages can't use this one.")
        }
        let cookies = (request.headers[.cookie] ?? "").split(separator: ";").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let isKnown = cookies.contains { cookie in
            let parts = cookie.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && parts[0] == cookieName && Self.isEqual(String(parts[1]), session)
        }
        return isKnown ? nil : Self.locked
    }

    /// The name in a Host.
    private static func hostName(_ authority: String) -> String? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let rest = authority[end...].dropFirst()
            return rest.isEmpty || rest.hasPrefix(":") ? String(authority[..<end].dropFirst()) : nil
        }
        let name = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).first.map(
            String.init)
        return name?.isEmpty ?? true ? nil : name?.lowercased()
    }

    /// Addresses can't be made to mean another machine. Names can, except for the one that the user has passed.
    private func isKnown(_ name: String) -> Bool {
        name == "localhost" || name == host.lowercased() || Self.isAddress(name)
    }

    private static var locked: Response {
        text(.unauthorized, "Open the URL that rowan inspect printed: its token is the key to this page.")
    }

    static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: text + "\n")))
    }

    /// The headers of all responses.
    static let headers: [(HTTPField.Name, String)] = [
        (
            .contentSecurityPolicy,
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; "
                + "base-uri 'none'; frame-ancestors 'none'"
        ), (.xContentTypeOptions, "nosniff"), (.init("Referrer-Policy")!, "same-origin"),
        (.init("Cross-Origin-Opener-Policy")!, "same-origin"),
        (.init("Cross-Origin-Resource-Policy")!, "same-origin"),
    ]
}
