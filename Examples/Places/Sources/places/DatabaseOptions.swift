import ArgumentParser
import PlacesKit

/// The options common to all commands.
struct DatabaseOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "The database file.")
    var database = "places.sqlite"

    @Flag(name: .customLong("sql"), inversion: .prefixedNo, help: "Show the SQL that ran, and its time.")
    var showsSQL = true
}

/// The option of commands that read the tz database.
struct FolderOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "The folder of zone1970.tab and iso3166.tab. By default the system's, or a copy when it has none.")
    var folder: String?

    var zoneinfo: ZoneinfoFolder {
        folder.map(ZoneinfoFolder.init(path:)) ?? .standard
    }
}
