/// A line that does not have its file's format, with its location and the problem.
public struct MalformedLine: Error, Equatable, CustomStringConvertible {
    public var file: String
    /// Numbered from one, as in editors.
    public var line: Int
    public var reason: Reason

    public var description: String { "\(file):\(line): \(reason)" }

    public enum Reason: Error, Equatable, CustomStringConvertible {
        case notUTF8
        case columns(found: Int, expected: ClosedRange<Int>)
        case countryCode(String)
        case countryName(code: String)
        case unknownCountry(String)
        case repeatedCountry(String)
        case coordinateForm(String)
        case coordinateRange(String)
        case zoneName(String)
        case repeatedZone(String)

        public var description: String {
            switch self {
            case .notUTF8:
                "the line is not UTF-8 text"
            case .columns(let found, let expected) where expected.count == 1:
                "\(expected.lowerBound) columns separated by tabs are expected, \(found) found"
            case .columns(let found, let expected):
                "\(expected.lowerBound) to \(expected.upperBound) columns separated by tabs are expected, \(found) found"
            case .countryCode(let code):
                "\"\(code)\" is not a country code: two capital letters are expected"
            case .countryName(let code):
                "the country \(code) has no name"
            case .unknownCountry(let code):
                "the country \(code) is not in iso3166.tab"
            case .repeatedCountry(let code):
                "the country \(code) is there twice"
            case .coordinateForm(let text):
                "\"\(text)\" is not a coordinate: ±DDMM±DDDMM or ±DDMMSS±DDDMMSS is expected"
            case .coordinateRange(let text):
                "the coordinate \(text) is not on the Earth"
            case .zoneName(let text):
                "\"\(text)\" is not the name of a time zone"
            case .repeatedZone(let zone):
                "the zone \(zone) is there twice"
            }
        }
    }
}
