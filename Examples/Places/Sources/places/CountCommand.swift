import ArgumentParser
import Foundation
import PlacesKit

struct CountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Prints how many places there are.")

    @OptionGroup var options: DatabaseOptions

    @Flag(help: "Count again for each line of standard input, until it ends.")
    var eachLine = false

    func run() throws {
        let queue = try PlacesDatabase.openForReading(at: options.database)
        if eachLine {
            while readLine() != nil {
                try printCount(queue.read(Place.fetchCount))
            }
        } else {
            try printCount(queue.read(Place.fetchCount))
        }
    }

    /// Prints immediately, because the reader of a pipe is waiting.
    private func printCount(_ count: Int) throws {
        try FileHandle.standardOutput.write(contentsOf: Data("\(count)\n".utf8))
    }
}
