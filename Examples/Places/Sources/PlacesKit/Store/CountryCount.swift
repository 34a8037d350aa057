import Rowan

/// A country, and how many places serve it.
public struct CountryCount: Equatable, Sendable {
    public var country: Country
    public var places: Int

    /// The countries with most places first.
    public static func fetchAll(_ db: Database, limit: Int) throws -> [CountryCount] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT country.code, country.name, COUNT(*) AS places
                FROM placeCountry
                JOIN country ON country.code = placeCountry.countryCode
                GROUP BY country.code
                ORDER BY places DESC, country.name
                LIMIT ?
                """,
            arguments: [limit])
        return rows.map { row in
            CountryCount(country: Country(code: row["code"], name: row["name"]), places: row["places"])
        }
    }
}
