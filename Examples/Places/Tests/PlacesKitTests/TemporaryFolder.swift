import Foundation
import PlacesKit

/// A folder for a test, deleted when it is released.
final class TemporaryFolder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("places-tests-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    var database: String { url.appendingPathComponent("places.sqlite").path }

    func write(_ text: String, to name: String) throws -> String {
        try write(Data(text.utf8), to: name)
    }

    func write(_ bytes: Data, to name: String) throws -> String {
        let file = url.appendingPathComponent(name)
        try bytes.write(to: file)
        return file.path
    }

    /// Writes the two tables of the tz database.
    func zoneinfo(zones: String, countries: String = Sample.countries) throws -> ZoneinfoFolder {
        _ = try write(zones, to: "zone1970.tab")
        _ = try write(countries, to: "iso3166.tab")
        return ZoneinfoFolder(path: url.path)
    }
}

/// Small tables.
enum Sample {
    static let countries = "# comment\nFR\tFrance\nMC\tMonaco\nFJ\tFiji\nTO\tTonga\n"
    static let zones = """
        # comment
        FR,MC\t+4852+00220\tEurope/Paris
        FJ\t-1808+17825\tPacific/Fiji
        TO\t-210800-1751200\tPacific/Tongatapu\tall of Tonga

        """
}
