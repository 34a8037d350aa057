// Commits as server-sent events.
// Source: <https://html.spec.whatwg.org/multipage/server-sent-events.html>

import Foundation
import Hummingbird
import Rowan
import RowanCommands
import ServiceLifecycle
import Synchronization

/// One observation of the database, whose notifications all open pages share.
final class LiveFeed: Service {
    private struct State {
        var commitCount = 0
        var nextID = 0
        var pages: [Int: AsyncStream<Void>.Continuation] = [:]
        var isFinished = false
    }

    private let queue: DatabaseQueue
    private let state = Mutex(State())

    /// Proxies and browsers close silent connections.
    private static let heartbeat = Duration.seconds(15)

    init(path: String) throws { queue = try DatabaseFile.open(path, isReadOnly: true, observesOthers: true) }

    /// Observes until the server shuts down.
    func run() async throws {
        // Each commit changes the database; the value is not used.
        let observation = ValueObservation.tracking(region: .fullDatabase) { _ in 0 }
        let commits = observation.values(in: queue, bufferingPolicy: .bufferingNewest(1)).cancelOnGracefulShutdown()
        var isFirst = true
        do {
            for try await _ in commits {
                if isFirst { isFirst = false } else { didCommit() }
            }
        } catch {
            // The pages still work; their requests report the error.
            Console.printError("changes are not shown any more: \(error)")
            try await gracefulShutdown()
        }
        finish()
    }

    private func didCommit() {
        let pages = state.withLock { state in
            state.commitCount += 1
            return Array(state.pages.values)
        }
        for page in pages { page.yield() }
    }

    private func finish() {
        let pages = state.withLock { state in
            state.isFinished = true
            return Array(state.pages.values)
        }
        for page in pages { page.finish() }
    }

    /// The number of commits since the start.
    var commitCount: Int { state.withLock(\.commitCount) }

    /// The number of open pages.
    var pageCount: Int { state.withLock(\.pages.count) }

    /// Writes an event for each commit, or for the last of several.
    func write(to writer: inout any ResponseBodyWriter) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (id, first) = state.withLock { state in
            if state.isFinished { continuation.finish() }
            state.nextID += 1
            state.pages[state.nextID] = continuation
            return (state.nextID, state.commitCount)
        }
        var last = first
        defer { state.withLock { _ = $0.pages.removeValue(forKey: id) } }
        try await writer.write(
            ByteBuffer(string: "retry: 1000\nevent: hello\ndata: {\"pages\":\(pageCount),\"commit\":\(first)}\n\n"))
        let beats = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: Self.heartbeat)
                continuation.yield()
            }
        }
        defer { beats.cancel() }
        for await _ in stream {
            let count = state.withLock(\.commitCount)
            let event = count == last ? ": \n\n" : "event: commit\ndata: {\"commit\":\(count)}\n\n"
            last = count
            try await writer.write(ByteBuffer(string: event))
        }
    }
}
