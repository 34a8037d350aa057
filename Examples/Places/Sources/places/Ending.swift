import Dispatch
import Foundation

/// Requests to stop a process that runs indefinitely: Ctrl-C, a time limit, or the program itself.
final class Ending: Sendable {
    let requests: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    // Dispatch sources can be used on any thread.
    nonisolated(unsafe) private let sources: [any DispatchSourceProtocol]
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Handles Ctrl-C and termination requests in place of the system, until `close`.
    init(after seconds: Double?) {
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
        (self.requests, self.continuation) = (requests, continuation)
        var sources: [any DispatchSourceProtocol] = Self.signals.map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number)
        }
        if let seconds {
            let timer = DispatchSource.makeTimerSource()
            timer.schedule(deadline: .now() + seconds)
            sources.append(timer)
        }
        for source in sources {
            source.setEventHandler { continuation.yield() }
            source.activate()
        }
        self.sources = sources
    }

    func request() { continuation.yield() }

    func close() {
        continuation.finish()
        for source in sources { source.cancel() }
        for number in Self.signals { signal(number, SIG_DFL) }
    }
}
