import ArgumentParser
import PlacesKit

struct FollowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow",
        abstract: "Follows the places while other processes change them, until Ctrl-C.",
        discussion: """
            A terminal shows the last changes. A file or a pipe receives one line for each change.

            A change of a favourite has a latency: "places toggle" and "places simulate" store the time in their \
            transaction, just before they commit it. The latency ends when the new value has been fetched and is about \
            to be printed. It therefore includes the commit. Other changes, such as those of an import, have no latency.
            """)

    @OptionGroup var options: DatabaseOptions

    @Option(help: "End after so many changes.")
    var changes: Int?

    @Option(help: "End after so many seconds.")
    var seconds: Double?

    @Option(help: "Follow the places of one country only, by its code.")
    var country: String?

    @Flag(help: "Start a second process that changes favourites at random times. Ends after 20 changes by default.")
    var withWriter = false

    @Option(help: "The seed of the second process: the same seed changes the same places.")
    var seed: UInt64 = 1

    func validate() throws {
        guard changes ?? 1 >= 1 else { throw ValidationError("The changes are at least 1.") }
        guard (0...86_400 * 365).contains(seconds ?? 0) else { throw ValidationError("The seconds go up to a year.") }
    }

    func run() async throws {
        let log = StatementLog()
        let pool = try PlacesDatabase.openForFollowing(at: options.database, log: log)
        try await Follow(
            path: options.database, pool: pool, countryCode: country?.uppercased(),
            changes: changes ?? (withWriter ? 20 : nil), seconds: seconds, writerSeed: withWriter ? seed : nil
        ).run()
        if options.showsSQL { Report.statements(log) }
    }
}
