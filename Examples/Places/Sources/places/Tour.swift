import Foundation
import PlacesKit
import Rowan
import RowanChangesets

/// All features of the example, step by step.
struct Tour {
    private let path: String
    private let zoneinfo: ZoneinfoFolder
    private let scratch: URL
    private let log = StatementLog()
    private let pool: DatabasePool

    init(database path: String, zoneinfo: ZoneinfoFolder, scratch: URL) throws {
        self.path = path
        self.zoneinfo = zoneinfo
        self.scratch = scratch
        pool = try PlacesDatabase.open(at: path, log: log, observesOtherProcesses: true)
    }

    func run() async throws {
        try await step(
            "An import in one transaction, and a second process that reads meanwhile", importWhileAnotherReads)
        try await step("The same import again: nothing is new", importAgain)
        try await step("The places within 600 km of Paris", near)
        try await step("The places whose names begin with san, with the matches marked", search)
        try await step("A favourite: only the column that changes is written, and no change writes nothing", toggle)
        try await step("The countries with most places: an association through another, counted", countries)
        try await step("A batch update: all of the Atlantic becomes a favourite", batchUpdate)
        try await step("The second page of five favourites", page)
        try await step("An insert that meets a conflict is ignored, and noticed", ignoredInsert)
        try await step("A batch delete: the places of Antarctica, undone and redone", batchDelete)
        try await step("A malformed line stops an import, and the database stays as it was", malformedLine)
        try await step("The import once more: Antarctica is back, the favourites are still there", importKeepsFavorites)
        try await step("A file of version 1 is migrated: first on a copy, to see what happens", migrateOlderFile)
        try await step(
            "An observation follows what a second process commits, with the time from commit to screen", follow)
        try await step("Some countries, dumped as CSV", dumpCountries)
    }

    private func step(_ title: String, _ body: () async throws -> Void) async throws {
        print("\n── \(title)")
        _ = log.takeAll()
        try await body()
        Report.statements(log)
    }

    private func importWhileAnotherReads() throws {
        let reader = try SecondReader(executable: Program.executable, database: path)
        let before = try reader.count()
        let (summary, during) = try pool.write { db in
            let summary = try Importer(folder: zoneinfo).run(db)
            return (summary, try reader.count())
        }
        let after = try reader.count()
        print("Imported \(summary) from \(zoneinfo.path).")
        print("The second process saw \(before) places before, \(during) during the transaction, \(after) after.")
        try reader.stop()
        print("It met no error.")
    }

    private func importAgain() throws {
        let summary = try pool.write { db in try Importer(folder: zoneinfo).run(db) }
        print("Imported \(summary).")
    }

    private func near() throws {
        let paris = Coordinate(latitude: 48.8534, longitude: 2.3488)
        let found = try pool.read { db in try Place.near(paris, within: 600, limit: 5, db) }
        for (place, distance) in found {
            print(Report.place(place), "\(Int(distance.rounded())) km", separator: "  ")
        }
    }

    private func search() throws {
        let found = try pool.read { db in try Place.search("san", limit: 5, db) }
        for place in found { print(place.markedTitle, place.place.zone, separator: "  ") }
    }

    private func toggle() throws {
        let (place, changedAgain) = try pool.write { db in
            var place = try Place.find(zone: "Europe/Paris", db)
            try place.toggleFavorite(db)
            let favorite = place.isFavorite
            return (place, try place.updateChanges(db) { $0.isFavorite = favorite })
        }
        print(Report.place(place))
        print("The same value once more: \(changedAgain ? "written again" : "nothing to write").")
    }

    private func countries() throws {
        for count in try pool.read({ db in try CountryCount.fetchAll(db, limit: 5) }) {
            print(Report.country(count))
        }
    }

    private func batchUpdate() throws {
        let count = try pool.write { db in try Place.favorite(region: "Atlantic", db) }
        print("\(count) places are new favourites.")
    }

    private func page() throws {
        for place in try pool.read({ db in try Place.page(2, size: 5, favoritesOnly: true, db) }) {
            print(Report.place(place))
        }
    }

    private func ignoredInsert() throws {
        let inserted = try pool.write { db in
            let copy = try Place.find(zone: "Europe/Rome", db)
            let duplicate = Place(
                zone: copy.zone, title: "Roma", countryCode: copy.countryCode, coordinate: copy.coordinate)
            return try duplicate.insertIfNew(db)
        }
        print(inserted ? "Inserted." : "Europe/Rome is there already: the insert was ignored.")
    }

    private func batchDelete() throws {
        var history = UndoStack()
        try pool.write { db in
            try history.perform(db) {
                let count = try Place.delete(countryCode: "AQ", db)
                print("\(count) places are gone, \(try Place.fetchCount(db)) are left.")
            }
            // The triggers keep the full-text table up to date.
            try history.undo(db, triggers: .run)
            print("Undone: \(try Place.fetchCount(db)) places.")
            try history.redo(db, triggers: .run)
            print("Redone: \(try Place.fetchCount(db)) places.")
        }
    }

    private func malformedLine() throws {
        let broken = try brokenCopy()
        let before = try pool.read(Place.fetchCount)
        do {
            let summary = try pool.write { db in try Importer(folder: broken).run(db) }
            print("Imported \(summary).")
        } catch let error as MalformedLine {
            print("Stopped: \(error)")
        }
        let after = try pool.read(Place.fetchCount)
        print("\(before) places before, \(after) after.")
    }

    private func importKeepsFavorites() throws {
        let summary = try pool.write { db in try Importer(folder: zoneinfo).run(db) }
        let favorites = try pool.read { db in try Place.filter { $0.isFavorite == true }.fetchCount(db) }
        print("Imported \(summary); \(favorites) favourites.")
    }

    private func migrateOlderFile() throws {
        let migrator = PlacesDatabase.migrator
        let older = try DatabaseQueue(path: scratch.appendingPathComponent("version-1.sqlite").path)
        try migrator.migrate(older, upTo: migrator.migrations[0])
        print(try migrator.preview(older))
        try migrator.migrate(older)
        let differences = try older.read { db in try migrator.schemaDifferences(db) }
        print("Version \(migrator.migrations.count): \(differences.count) differences from the definition.")
        try older.close()
    }

    private func follow() async throws {
        try await Follow(path: path, pool: pool, changes: 12, seconds: 30, writerSeed: 1).run()
    }

    private func dumpCountries() throws {
        try pool.dumpRequest(Country.filter { $0.name.like("S%") }.order(\.name).limit(4), format: .csv())
    }

    /// A copy of the tables whose last line is malformed, so that all other lines are written before the error.
    private func brokenCopy() throws -> ZoneinfoFolder {
        let folder = ZoneinfoFolder(path: scratch.appendingPathComponent("broken").path)
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: zoneinfo.countriesPath, toPath: folder.countriesPath)
        let zones = try String(contentsOfFile: zoneinfo.zonesPath, encoding: .utf8)
        try (zones + "FR\t+9951+00220\tEurope/Lutetia\n").write(
            toFile: folder.zonesPath, atomically: true, encoding: .utf8)
        return folder
    }
}
