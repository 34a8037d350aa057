import ArgumentParser

/// `places`: the time zones of the world in a SQLite database.
@main
struct Places: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "places",
        abstract: "Keeps the places of the tz database in a SQLite database, and shows the SQL that does it.",
        subcommands: [
            ImportCommand.self, NearCommand.self, SearchCommand.self, ToggleCommand.self, CountriesCommand.self,
            ListCommand.self, CountCommand.self, FollowCommand.self, SimulateCommand.self, TourCommand.self,
        ])
}
