// Texts in the parts of a URI. <https://www.rfc-editor.org/rfc/rfc3986>

extension String {
    /// The text with percent-encoded UTF-8, except for ASCII letters and digits and some other ASCII characters.
    func percentEncoded(except allowed: StaticString) -> String {
        let allowed = UnsafeBufferPointer(start: allowed.utf8Start, count: allowed.utf8CodeUnitCount)
        return String(
            decoding: utf8.flatMap { byte -> [UInt8] in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return [byte]
                case _ where allowed.contains(byte): return [byte]
                default: return [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 0xF)]
                }
            }, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 - 10 + value }
}
