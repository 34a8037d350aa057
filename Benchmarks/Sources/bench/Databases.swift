import FloorSide
import Foundation
import Harness

/// The databases of the runs, in a directory of this process that is deleted with this object.
///
/// Runs that only read share a file, which is in the system's cache by the second run. Each run that writes gets its
/// own file.
final class Databases {
    private let floor = FloorSide()
    private let samples: Samples
    private let directory: URL
    private var shared: [Fixture: URL] = [:]
    private var lastNumber = 0

    init(in parent: URL, samples: Samples) throws {
        self.samples = samples
        directory = parent.appending(path: "rowan-bench-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// Calls `body` with the path to a database.
    func withDatabase<Result>(for fixture: Fixture, _ body: (String) throws -> Result) throws -> Result {
        guard fixture.isFresh else { return try body(sharedDatabase(fixture).path) }
        let url = newURL()
        defer { remove(url) }
        if fixture.rows == 0 {
            try floor.create(fixture, path: url.path, samples: samples)
        } else {
            try FileManager.default.copyItem(at: sharedDatabase(fixture.sharedByRuns()), to: url)
        }
        return try body(url.path)
    }

    func removeAll() {
        try? FileManager.default.removeItem(at: directory)
    }

    private func sharedDatabase(_ fixture: Fixture) throws -> URL {
        if let url = shared[fixture] { return url }
        let url = newURL()
        try floor.create(fixture, path: url.path, samples: samples)
        shared[fixture] = url
        return url
    }

    private func newURL() -> URL {
        lastNumber += 1
        return directory.appending(path: "\(lastNumber).sqlite")
    }

    private func remove(_ url: URL) {
        for suffix in ["", "-journal", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
    }
}
