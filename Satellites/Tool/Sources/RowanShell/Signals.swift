// Ctrl-C, and the signals that end the program.

import Dispatch
import Foundation
import Synchronization

/// Ctrl-C, SIGTERM, SIGQUIT and SIGHUP: they interrupt the running statement and wake up what waits for input.
final class Signals: Sendable {
    private struct State {
        var isRunning = false
        var isInterrupted = false
        var ending: Int32?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "rowan.signals")
    private let interrupt: @Sendable () -> Void
    /// A pipe with a byte for each signal.
    private let pipe: [Int32]

    /// The end of the pipe to wait for.
    var wakingFile: Int32 { pipe[0] }

    /// - Parameter interrupt: interrupts the running statement.
    init(interrupt: @escaping @Sendable () -> Void) throws {
        self.interrupt = interrupt
        var files: [Int32] = [0, 0]
        guard Foundation.pipe(&files) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EMFILE) }
        for file in files { _ = fcntl(file, F_SETFL, O_NONBLOCK) }
        pipe = files
    }

    deinit { for file in pipe { close(file) } }

    /// Runs a session that receives the signals.
    func receiving<T>(_ body: () throws -> T) rethrows -> T {
        let numbers = [SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGWINCH, SIGCONT]
        let sources = numbers.map { number in
            if ![SIGWINCH, SIGCONT].contains(number) { signal(number, SIG_IGN) }
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [self] in received(number) }
            source.resume()
            return source
        }
        defer {
            for source in sources { source.cancel() }
            for number in numbers { signal(number, SIG_DFL) }
        }
        return try body()
    }

    private func received(_ number: Int32) {
        if ![SIGWINCH, SIGCONT].contains(number) {
            state.withLock {
                $0.isInterrupted = true
                if number != SIGINT { $0.ending = number }
            }
            interruptWhileRunning()
        }
        // A full pipe wakes up as well.
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(pipe[1], &byte, 1)
    }

    /// SQLite ignores an interruption before the first step of a statement, so it is repeated.
    private func interruptWhileRunning() {
        let isRunning = state.withLock { state in
            if state.isRunning, state.isInterrupted { interrupt() }
            return state.isRunning && state.isInterrupted
        }
        guard isRunning else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(10)) { [self] in interruptWhileRunning() }
    }

    /// Whether the present statement or input must stop.
    var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// The signal that ends the program.
    var ending: Int32? { state.withLock { $0.ending } }

    /// The next signals concern the next input.
    func reset() { state.withLock { $0.isInterrupted = $0.ending != nil } }

    /// Runs a statement.
    ///
    /// - Throws: ``Interruption`` if a signal has arrived since the last reset.
    func interrupting<T>(_ body: () throws -> T) throws -> T {
        try state.withLock {
            guard !$0.isInterrupted else { throw Interruption() }
            $0.isRunning = true
        }
        defer { state.withLock { $0.isRunning = false } }
        return try body()
    }
}

/// Ctrl-C or another signal has stopped a statement or a script.
struct Interruption: Error {}
