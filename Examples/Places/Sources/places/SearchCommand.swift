import ArgumentParser
import PlacesKit

struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Searches places by the words of their titles.")

    @OptionGroup var options: DatabaseOptions

    @Argument(help: "Words, or their beginnings.")
    var words: [String]

    @Option(help: "How many places at most.")
    var limit = 10

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("The limit is not negative.") }
    }

    func run() throws {
        let log = StatementLog()
        let queue = try PlacesDatabase.openForReading(at: options.database, log: log)
        let text = words.joined(separator: " ")
        let found = try queue.read { db in try Place.search(text, limit: limit, db) }
        for place in found { print(place.markedTitle, place.place.zone, separator: "  ") }
        if found.isEmpty { print("No place has the words \(text).") }
        if options.showsSQL { Report.statements(log) }
    }
}
