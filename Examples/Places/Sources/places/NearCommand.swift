import ArgumentParser
import PlacesKit

struct NearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "near", abstract: "Lists the places near a coordinate, the nearest first.")

    @OptionGroup var options: DatabaseOptions

    // `unconditional`, because a value such as -33.87 is not an option.
    @Option(name: [.customLong("latitude"), .customLong("lat")], parsing: .unconditional, help: "Degrees north.")
    var latitude: Double

    @Option(name: [.customLong("longitude"), .customLong("lon")], parsing: .unconditional, help: "Degrees east.")
    var longitude: Double

    @Option(help: "The maximum distance, in kilometers.")
    var radius = 1000.0

    @Option(help: "How many places at most.")
    var limit = 10

    func validate() throws {
        guard (-90...90).contains(latitude) else { throw ValidationError("The latitude goes from -90 to 90.") }
        guard (-180...180).contains(longitude) else { throw ValidationError("The longitude goes from -180 to 180.") }
        guard (0...20_100).contains(radius) else {
            throw ValidationError("The radius goes from 0 to 20100 km, half way around the Earth.")
        }
        guard limit >= 0 else { throw ValidationError("The limit is not negative.") }
    }

    func run() throws {
        let log = StatementLog()
        let queue = try PlacesDatabase.openForReading(at: options.database, log: log)
        let point = Coordinate(latitude: latitude, longitude: longitude)
        let found = try queue.read { db in try Place.near(point, within: radius, limit: limit, db) }
        for (place, distance) in found {
            print(Report.place(place), "\(Int(distance.rounded())) km", separator: "  ")
        }
        if found.isEmpty { print("No place within \(Int(radius)) km of \(point).") }
        if options.showsSQL { Report.statements(log) }
    }
}
