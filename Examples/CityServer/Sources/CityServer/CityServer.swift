import Hummingbird
import RowanRecords

@main
struct CityServer {
    static func main() async throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 4
        let database = try DatabasePool(path: "cities.sqlite", configuration: configuration)
        try migrator.migrate(database)

        let application = Application(
            router: router(database), configuration: .init(address: .hostname("127.0.0.1", port: 8080)))
        // Returns after SIGINT or SIGTERM, when all requests have been answered.
        try await application.runService()
        try database.close()
    }
}
