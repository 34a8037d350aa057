// Percent-encoding, compared with Foundation's.

import Foundation
import Testing

@testable import Rowan

@Suite struct PercentEncodingTests {
    private let texts = (0..<0x180).map { String(Unicode.Scalar($0)!) } + ["", "a b/c?d#e%f", "é\u{301}日本🏳️‍🌈", "e\0f"]

    @Test func names() {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        for text in texts {
            #expect(text.percentEncoded(except: "-._~") == text.addingPercentEncoding(withAllowedCharacters: allowed))
        }
    }

    @Test func paths() {
        for text in texts {
            // Foundation also encodes a colon at the start of a relative path.
            let text = "/\(text)"
            let encoded = text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
            #expect(text.percentEncoded(except: "/-._~!$&'()*+,:=@") == encoded)
        }
    }
}
