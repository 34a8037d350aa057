import ArgumentParser
import PlacesKit

struct CountriesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "countries", abstract: "Counts the places that serve each country.")

    @OptionGroup var options: DatabaseOptions

    @Option(help: "How many countries at most.")
    var limit = 10

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("The limit is not negative.") }
    }

    func run() throws {
        let log = StatementLog()
        let queue = try PlacesDatabase.openForReading(at: options.database, log: log)
        for count in try queue.read({ db in try CountryCount.fetchAll(db, limit: limit) }) {
            print(Report.country(count))
        }
        if options.showsSQL { Report.statements(log) }
    }
}
