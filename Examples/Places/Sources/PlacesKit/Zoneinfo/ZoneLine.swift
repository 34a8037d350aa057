/// A line of `zone1970.tab`: countries, a coordinate, the name of the zone, and optional comments.
struct ZoneLine {
    /// The country of the principal location, followed by the others that the zone overlaps.
    let countryCodes: [String]
    let coordinate: Coordinate
    let zone: String

    init(columns: [String]) throws {
        guard (3...4).contains(columns.count) else {
            throw MalformedLine.Reason.columns(found: columns.count, expected: 3...4)
        }
        countryCodes = try columns[0].split(separator: ",", omittingEmptySubsequences: false).map(CountryLine.code)
        for (index, code) in countryCodes.enumerated() where countryCodes[..<index].contains(code) {
            throw MalformedLine.Reason.repeatedCountry(code)
        }
        coordinate = try Coordinate(iso6709: columns[1])
        zone = columns[2]
        guard Self.isZoneName(zone) else { throw MalformedLine.Reason.zoneName(zone) }
    }

    /// The place of this zone, not yet a favorite.
    var place: Place {
        let city = zone.split(separator: "/").last ?? Substring(zone)
        let title = String(city.map { $0 == "_" ? " " : $0 })
        return Place(zone: zone, title: title, countryCode: countryCodes[0], coordinate: coordinate)
    }

    /// Whether the text consists of words joined by slashes, such as `America/Argentina/Buenos_Aires` or `Etc/GMT+1`.
    private static func isZoneName(_ text: String) -> Bool {
        text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { word in
            !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-+".contains($0)) }
        }
    }
}
