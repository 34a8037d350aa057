import Rowan
import Testing

@testable import PlacesKit

struct SecondProcessTests {
    /// The other process responds during the open transaction, and never sees a partial import.
    @Test func aSecondProcessReadsWhileAnImportRuns() throws {
        let folder = try TemporaryFolder()
        let zoneinfo = try folder.zoneinfo(zones: Sample.zones)
        let pool = try PlacesDatabase.open(at: folder.database)
        let reader = try SecondReader(executable: Program.executable, database: folder.database)

        #expect(try reader.count() == 0)
        try pool.write { db in
            _ = try Importer(folder: zoneinfo).run(db)
            #expect(try Place.fetchCount(db) == 3)
            #expect(try reader.count() == 0)
            #expect(try reader.count() == 0)
        }
        #expect(try reader.count() == 3)
        try reader.stop()
    }

    @Test func aSecondProcessSeesNothingOfAnImportThatFails() throws {
        let folder = try TemporaryFolder()
        let pool = try PlacesDatabase.open(at: folder.database)
        let good = try folder.zoneinfo(zones: Sample.zones)
        _ = try pool.write { db in try Importer(folder: good).run(db) }
        let reader = try SecondReader(executable: Program.executable, database: folder.database)

        let broken = try folder.zoneinfo(zones: "FR\t+4545+00450\tEurope/Lyon\nFR\t?\tEurope/Nice\n")
        #expect(throws: MalformedLine(file: broken.zonesPath, line: 2, reason: .coordinateForm("?"))) {
            try pool.write { db in try Importer(folder: broken).run(db) }
        }
        #expect(try reader.count() == 3)
        try reader.stop()
    }

    @Test func aSecondProcessThatCannotReadIsNoticed() throws {
        let folder = try TemporaryFolder()
        let reader = try SecondReader(executable: Program.executable, database: folder.database)
        #expect(throws: SecondReader.Failure.self) { try reader.count() }
        #expect(throws: SecondReader.Failure.self) { try reader.stop() }
    }
}
