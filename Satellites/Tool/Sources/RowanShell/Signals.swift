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
    /// A pipe with the numbers of the signals, which their handler writes.
    private let received: [Int32]
    /// A pipe that has a byte if input must stop waiting.
    private let waking: [Int32]

    /// The file to wait for.
    var wakingFile: Int32 { waking[0] }

    /// - Parameter interrupt: interrupts the running statement.
    init(interrupt: @escaping @Sendable () -> Void) throws {
        self.interrupt = interrupt
        (received, waking) = (try Self.pipe(), try Self.pipe())
    }

    private static func pipe() throws -> [Int32] {
        var files: [Int32] = [0, 0]
        guard Foundation.pipe(&files) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EMFILE) }
        for file in files { _ = fcntl(file, F_SETFL, O_NONBLOCK) }
        return files
    }

    deinit { for file in received + waking { close(file) } }

    /// Runs a session that receives the signals.
    ///
    /// A source of Dispatch for signals begins later than it is resumed, and would lose the ones before.
    func receiving<T>(_ body: () throws -> T) rethrows -> T {
        let source = DispatchSource.makeReadSource(fileDescriptor: received[0], queue: queue)
        source.setEventHandler { [self] in
            var byte: UInt8 = 0
            while read(received[0], &byte, 1) == 1 { receive(Int32(byte)) }
        }
        source.resume()
        signalFile.store(received[1], ordering: .relaxed)
        let previous = [SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGWINCH, SIGCONT].map { number in
            (number, signal(number, noteSignal))
        }
        defer {
            for (number, handler) in previous { signal(number, handler) }
            source.cancel()
        }
        return try body()
    }

    private func receive(_ number: Int32) {
        // Another size of the terminal, or the program continues: these only redraw the line.
        if ![SIGWINCH, SIGCONT].contains(number) {
            state.withLock {
                $0.isInterrupted = true
                if number != SIGINT { $0.ending = number }
            }
            interruptWhileRunning()
        }
        // A full pipe wakes up as well.
        _ = write(waking[1], [1], 1)
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

/// Where the handler writes.
private let signalFile = Atomic<Int32>(-1)

/// The handler may only call what is safe in one. <https://man7.org/linux/man-pages/man7/signal-safety.7.html>
private func noteSignal(_ number: Int32) {
    let error = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(signalFile.load(ordering: .relaxed), &byte, 1)
    errno = error
}
