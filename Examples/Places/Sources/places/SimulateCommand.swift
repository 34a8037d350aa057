import ArgumentParser
import Foundation
import PlacesKit
import Rowan

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Changes favourites at random times, as somebody else would.")

    @OptionGroup var options: DatabaseOptions

    @Option(help: "How many changes.")
    var changes = 20

    @Option(help: "The same seed changes the same places.")
    var seed: UInt64 = 1

    @Option(help: "The longest pause before a change, in milliseconds.")
    var pause = 200

    @Option(help: "Change the places of one country only, by its code.")
    var country: String?

    func validate() throws {
        guard changes >= 0, pause >= 0 else { throw ValidationError("The changes and the pause are not negative.") }
    }

    func run() throws {
        // The process inherits ignored signals from its parent.
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
        let log = StatementLog()
        let pool = try PlacesDatabase.open(at: options.database, log: log)
        var random = SeededGenerator(seed: seed)
        let places = try pool.read { db in try FollowedPlaces.fetch(db, countryCode: country?.uppercased()).places }
        for _ in 0..<changes {
            guard let zone = places.randomElement(using: &random)?.zone else {
                throw PlacesError.nothingToChange(path: options.database)
            }
            Thread.sleep(forTimeInterval: Double(Int.random(in: 0...pause, using: &random)) / 1000)
            try print(Report.place(pool.write { db in try Place.toggleFavorite(zone: zone, db) }))
        }
        if options.showsSQL { Report.statements(log) }
    }
}
