import Testing

@testable import PlacesKit

struct CountryLineTests {
    @Test func readsACountry() throws {
        let line = try CountryLine(columns: ["CI", "Côte d'Ivoire"])
        #expect(line.country == Country(code: "CI", name: "Côte d'Ivoire"))
    }

    @Test(arguments: [
        (["FR"], MalformedLine.Reason.columns(found: 1, expected: 2...2)),
        (["FR", "France", ""], .columns(found: 3, expected: 2...2)),
        (["fr", "France"], .countryCode("fr")),
        (["FRA", "France"], .countryCode("FRA")),
        (["", "France"], .countryCode("")),
        (["É", "France"], .countryCode("É")),
        (["FR", ""], .countryName(code: "FR")),
    ])
    func refuses(columns: [String], reason: MalformedLine.Reason) {
        #expect(throws: reason) { try CountryLine(columns: columns) }
    }
}

struct ZoneLineTests {
    @Test func readsAZoneOfOneCountry() throws {
        let line = try ZoneLine(columns: ["AR", "-3436-05827", "America/Argentina/Buenos_Aires", "Buenos Aires"])
        #expect(line.countryCodes == ["AR"])
        #expect(line.place.zone == "America/Argentina/Buenos_Aires")
        #expect(line.place.title == "Buenos Aires")
        #expect(line.place.countryCode == "AR")
        #expect(abs(line.place.coordinate.latitude + 34.6) < 1e-9)
        #expect(!line.place.isFavorite)
        #expect(line.place.id == nil)
    }

    @Test func theFirstCountryIsThePlacesOwn() throws {
        let line = try ZoneLine(columns: ["AE,OM,RE", "+2518+05518", "Asia/Dubai"])
        #expect(line.countryCodes == ["AE", "OM", "RE"])
        #expect(line.place.countryCode == "AE")
    }

    @Test(arguments: [
        (["FR", "+4852+00220"], MalformedLine.Reason.columns(found: 2, expected: 3...4)),
        (["FR", "+4852+00220", "Europe/Paris", "", ""], .columns(found: 5, expected: 3...4)),
        (["FR,", "+4852+00220", "Europe/Paris"], .countryCode("")),
        (["FR, MC", "+4852+00220", "Europe/Paris"], .countryCode(" MC")),
        (["FR,MC,FR", "+4852+00220", "Europe/Paris"], .repeatedCountry("FR")),
        (["FR", "48.85,2.33", "Europe/Paris"], .coordinateForm("48.85,2.33")),
        (["FR", "+9152+00220", "Europe/Paris"], .coordinateRange("+9152+00220")),
        (["FR", "+4852+00220", ""], .zoneName("")),
        (["FR", "+4852+00220", "Europe/"], .zoneName("Europe/")),
        (["FR", "+4852+00220", "/Paris"], .zoneName("/Paris")),
        (["FR", "+4852+00220", "Europe/Le Havre"], .zoneName("Europe/Le Havre")),
    ])
    func refuses(columns: [String], reason: MalformedLine.Reason) {
        #expect(throws: reason) { try ZoneLine(columns: columns) }
    }
}
