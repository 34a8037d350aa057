extension Coordinate {
    /// Reads `±DDMM±DDDMM` or `±DDMMSS±DDDMMSS`, the two forms of ISO 6709 in the tz database.
    public init(iso6709 text: String) throws {
        let bytes = Array(text.utf8)
        guard
            let split = bytes.indices.dropFirst().first(where: { Self.isSign(bytes[$0]) }),
            let latitude = Self.angle(bytes[..<split], degreeDigits: 2),
            let longitude = Self.angle(bytes[split...], degreeDigits: 3),
            // Both with seconds, or both without.
            bytes.count == 2 * split + 1
        else { throw MalformedLine.Reason.coordinateForm(text) }
        guard abs(latitude) <= 90, abs(longitude) <= 180 else { throw MalformedLine.Reason.coordinateRange(text) }
        self.init(latitude: latitude, longitude: longitude)
    }

    /// A sign, degrees, two digits of minutes, and optionally two of seconds.
    private static func angle(_ bytes: ArraySlice<UInt8>, degreeDigits: Int) -> Double? {
        let digits = bytes.dropFirst()
        guard let sign = bytes.first, isSign(sign),
            digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            digits.count == degreeDigits + 2 || digits.count == degreeDigits + 4
        else { return nil }
        let degrees = number(digits.prefix(degreeDigits))
        let minutes = number(digits.dropFirst(degreeDigits).prefix(2))
        let seconds = number(digits.dropFirst(degreeDigits + 2))
        guard minutes < 60, seconds < 60 else { return nil }
        let angle = degrees + minutes / 60 + seconds / 3600
        return sign == UInt8(ascii: "-") ? -angle : angle
    }

    private static func isSign(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Double {
        digits.reduce(0) { $0 * 10 + Double($1 - UInt8(ascii: "0")) }
    }
}
