import ArgumentParser
import PlacesKit

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the places, page by page.")

    @OptionGroup var options: DatabaseOptions

    @Option(help: "The page, from 1.")
    var page = 1

    @Option(help: "How many places a page holds.")
    var size = 20

    @Flag(help: "List the favourites only.")
    var favorites = false

    @Option(help: "List the places of one country only, by its code.")
    var country: String?

    func validate() throws {
        guard page >= 1, size >= 1 else { throw ValidationError("The page and its size are at least 1.") }
        guard page <= Int(Int32.max), size <= Int(Int32.max) else {
            throw ValidationError("There is no such page.")
        }
    }

    func run() throws {
        let log = StatementLog()
        let queue = try PlacesDatabase.openForReading(at: options.database, log: log)
        let places = try queue.read { db in
            try Place.page(page, size: size, favoritesOnly: favorites, countryCode: country?.uppercased(), db)
        }
        for place in places {
            print(Report.place(place))
        }
        if places.isEmpty { print("No place on page \(page).") }
        if options.showsSQL { Report.statements(log) }
    }
}
