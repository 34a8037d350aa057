// The addresses of pages.

import Foundation
import Hummingbird

/// A path and its parameters. Every view of the database has one.
struct Address {
    struct Parameter: Equatable {
        var name: String
        var value: String
    }

    /// The decoded parts of the path.
    var path: [String]
    /// In their order: a form repeats names.
    var parameters: [Parameter]

    init(_ path: [String], _ parameters: [(String, String)] = []) {
        self.path = path
        self.parameters = parameters.map { Parameter(name: $0, value: $1) }
    }

    init(_ request: Request) { self.init(text: request.uri.string) }

    init(text: String) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = (parts.first ?? "").split(separator: "/").map { Self.name(of: Self.decoded($0)) }
        parameters = Self.parameters(parts.count > 1 ? parts[1] : "")
    }

    /// The values of a form, which has its lines end with CRLF. Source: <https://url.spec.whatwg.org/#application/x-www-form-urlencoded>
    static func parameters(_ text: some StringProtocol) -> [Parameter] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { decoded(String($0).replacing("+", with: " ")).replacing("\r\n", with: "\n") }
            return Parameter(name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
    }

    func values(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    /// The value of a parameter that is not empty.
    subscript(name: String) -> String? { values(name).first { !$0.isEmpty } }

    /// The address with other values of some parameters; nil removes one.
    func with(_ changes: (String, String?)...) -> Address {
        var result = self
        for (name, value) in changes {
            result.parameters.removeAll { $0.name == name }
            if let value { result.parameters.append(Parameter(name: name, value: value)) }
        }
        return result
    }

    /// The address with another end of its path.
    func appending(_ part: String) -> Address {
        var result = self
        result.path.append(part)
        return result
    }

    var text: String {
        let pairs = parameters.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }
        return "/" + path.map { Self.encoded(Self.part(of: $0)) }.joined(separator: "/")
            + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
    }

    /// A name as a part of a path. Browsers take dots for folders, whether they are encoded or not.
    private static func part(of name: String) -> String {
        name.hasPrefix("~") || name.allSatisfy { $0 == "." } ? "~" + name : name
    }

    private static func name(of part: String) -> String { part.hasPrefix("~") ? String(part.dropFirst()) : part }

    private static func decoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text without any character that has a meaning in an address.
    static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"),
                UInt8(ascii: "."):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
