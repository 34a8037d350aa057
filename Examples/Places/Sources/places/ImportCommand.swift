import ArgumentParser
import PlacesKit

struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports the tz database, all or nothing. Favourites stay.")

    @OptionGroup var options: DatabaseOptions
    @OptionGroup var source: FolderOptions

    func run() throws {
        let log = StatementLog()
        let pool = try PlacesDatabase.open(at: options.database, log: log)
        let summary = try pool.write { db in try Importer(folder: source.zoneinfo).run(db) }
        print("Imported \(summary) from \(source.zoneinfo.path).")
        if options.showsSQL { Report.statements(log) }
    }
}
