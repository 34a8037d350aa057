import Foundation
import PlacesKit
import Rowan

/// Observes the places, and prints changes by other processes.
struct Follow: Sendable {
    let path: String
    /// Its configuration observes other processes.
    let pool: DatabasePool
    var countryCode: String?
    /// The number of changes after which it stops; nil for no limit.
    var changes: Int?
    var seconds: Double?
    /// The seed of a second process that changes places; nil for no such process.
    var writerSeed: UInt64?

    func run() async throws {
        let ending = Ending(after: seconds)
        defer { ending.close() }
        let following = Task { try await follow(ending) }
        Task { for await _ in ending.requests { following.cancel() } }
        try await following.value
    }

    /// The loop stops when its task is cancelled.
    private func follow(_ ending: Ending) async throws {
        let observation = ValueObservation.tracking { [countryCode] db in
            try FollowedPlaces.fetch(db, countryCode: countryCode)
        }
        let limit = changes ?? .max
        var (shown, view, writer) = (FollowedPlaces?.none, FollowView(path: path), SecondWriter?.none)
        defer { view.close() }
        // Also if the loop throws; its own error takes precedence.
        defer { try? writer?.stop() }
        for try await value in observation.values(in: pool) {
            let time = Edit.now()
            if let older = shown {
                view.show(value.changes(since: older, at: time).prefix(limit - view.summary.count), of: value)
            } else {
                view.open(value)
                writer = try startWriter(ending)
            }
            shown = value
            if view.summary.count >= limit { break }
        }
        try writer?.stop()
    }

    private func startWriter(_ ending: Ending) throws -> SecondWriter? {
        guard let writerSeed else { return nil }
        return try SecondWriter(
            executable: Program.executable, database: path, changes: changes ?? 20, seed: writerSeed,
            countryCode: countryCode, onFailure: { ending.request() })
    }
}
