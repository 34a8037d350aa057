import ArgumentParser
import PlacesKit

struct ToggleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "toggle", abstract: "Makes a place a favourite, or no longer one.")

    @OptionGroup var options: DatabaseOptions

    @Argument(help: "The zone of the place, such as Europe/Paris.")
    var zone: String

    func run() throws {
        let log = StatementLog()
        let pool = try PlacesDatabase.open(at: options.database, log: log)
        let place = try pool.write { db in try Place.toggleFavorite(zone: zone, db) }
        print(Report.place(place))
        if options.showsSQL { Report.statements(log) }
    }
}
