import Foundation
import PlacesKit
import Testing

struct ProgramTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func anImportShowsItsSQL() throws {
        let zoneinfo = try folder.zoneinfo(zones: Sample.zones)
        let result = try Program.run("import", "--folder", zoneinfo.path, "--database", folder.database)
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("Imported 4 countries (4 new) and 3 places (3 new) from \(zoneinfo.path).\n"))
        #expect(result.output.contains("ON CONFLICT"))

        let list = try Program.run("list", "--no-sql", "--database", folder.database)
        #expect(list.output.split(separator: "\n").count == 3)
    }

    @Test func aMalformedLineIsReportedWithItsPlace() throws {
        let zoneinfo = try folder.zoneinfo(zones: Sample.zones + "FR\t+4852+00220\tEurope/Paris\n")
        let result = try Program.run("import", "--folder", zoneinfo.path, "--database", folder.database)
        #expect(result.code != 0)
        #expect(result.errors.contains("\(zoneinfo.zonesPath):5: the zone Europe/Paris is there twice"))
        #expect(try Program.run("count", "--database", folder.database).output == "0\n")
    }

    @Test func readingBeforeAnImportSaysWhatToDo() throws {
        let result = try Program.run("list", "--database", folder.database)
        #expect(result.code != 0)
        #expect(result.errors.contains("run \"places import\" first"))
        #expect(!FileManager.default.fileExists(atPath: folder.database))
    }

    @Test(arguments: ["import", "list"])
    func aFileThatIsNoDatabaseIsNamed(command: String) throws {
        let path = try folder.write("this is no database, but it is long enough to be read as one\n", to: "no.sqlite")
        let result = try Program.run(command, "--database", path)
        #expect(result.code != 0)
        #expect(result.errors.contains("the database \(path) cannot be opened: "))
    }

    @Test func theTourRunsFromTheFirstStepToTheLast() throws {
        let result = try Program.run("tour", "--folder", ZoneinfoFolder.bundled.path)
        #expect(result.code == 0, "\(result.errors)")
        #expect(result.output.split(separator: "\n").count { $0.hasPrefix("── ") } == 15)
        // Undo brings the deleted places back, and redo deletes them again.
        func count(after text: String) -> Substring? {
            result.output.split(separator: text).dropFirst().first?.prefix { $0.isNumber }
        }
        #expect(count(after: "Undone: ") == "312", "\(result.output)")
    }
}
