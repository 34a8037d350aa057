// The numbers of each country, which jobs keep up to date.

import Foundation
import Hummingbird
import RowanJobs
import RowanRecords

/// A country and the sums of its places.
@Record("country") struct Country: Codable, Equatable {
    @PrimaryKey var code: String
    var places: Int
    var population: Int
}

extension Country: ResponseEncodable {}

/// Counts the places of a country.
struct CountCountry: Job {
    static let settings = JobSettings(queue: "countries", timeout: .seconds(30))

    let code: String
    /// One job for a country at a time.
    var concurrencyKey: String? { code }

    func run(_ context: JobContext) async throws {
        // The numbers are written with the completion of the job: once, even if the process is killed.
        try await context.write { db in
            let places = Place.filter { $0.country == code }
            let country = Country(
                code: code, places: try places.fetchCount(db),
                population: try places.select(sum(Column("population")), as: Int.self).fetchOne(db) ?? 0)
            if country.places == 0 { try country.delete(db) } else { try country.upsert(db) }
        }
    }
}

/// Counts the places of all countries.
struct CountAllCountries: Job {
    static let settings = JobSettings(queue: "countries")

    func run(_ context: JobContext) async throws {
        try await context.write { db in
            let codes = try String.fetchSet(db, sql: "SELECT country FROM place UNION SELECT code FROM country")
            for code in codes {
                try context.jobs.enqueue(CountCountry(code: code), .unique(by: code), in: db)
            }
        }
    }
}

/// The jobs of the server.
func placeJobs() -> Jobs {
    var jobs = Jobs()
    jobs.register(CountCountry.self)
    jobs.register(CountAllCountries.self)
    jobs.queue("countries", concurrency: 2)
    jobs.schedule("count", .daily(hour: 3, minute: 30, in: .gmt)) { CountAllCountries() }
    return jobs
}

struct CountryRoutes: Sendable {
    let database: any DatabaseWriter

    func add(to router: Router<BasicRequestContext>) {
        // GET /countries
        router.get("countries") { _, _ in
            try await database.read { db in try Country.order(\.population.desc).fetchAll(db) }
        }
    }
}
