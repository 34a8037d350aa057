/// A line of `iso3166.tab`: a code and a name.
struct CountryLine {
    let country: Country

    init(columns: [String]) throws {
        guard columns.count == 2 else {
            throw MalformedLine.Reason.columns(found: columns.count, expected: 2...2)
        }
        let code = try Self.code(columns[0])
        guard !columns[1].isEmpty else { throw MalformedLine.Reason.countryName(code: code) }
        country = Country(code: code, name: columns[1])
    }

    /// Validates a country code.
    static func code(_ text: some StringProtocol) throws -> String {
        guard text.utf8.count == 2, text.utf8.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains) else {
            throw MalformedLine.Reason.countryCode(String(text))
        }
        return String(text)
    }
}
