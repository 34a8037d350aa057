import ArgumentParser
import Foundation
import PlacesKit

struct TourCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tour", abstract: "Runs everything in order, and shows the SQL of each step.")

    @Option(name: .shortAndLong, help: "The database file. By default a temporary one.")
    var database: String?

    @OptionGroup var source: FolderOptions

    func run() async throws {
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("places-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }

        let path = database ?? scratch.appendingPathComponent("places.sqlite").path
        let tour = try Tour(database: path, zoneinfo: source.zoneinfo, scratch: scratch)
        try await tour.run()
    }
}
