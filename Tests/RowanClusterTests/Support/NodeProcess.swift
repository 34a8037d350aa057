// A process of rowan-node. It exits with this process, however that exits: it reads a pipe held only by this process.
// If it is paused at that time, its process group has lost its parent, and the kernel wakes it.

import Foundation
import Rowan

/// A running rowan-node, used by one thread at a time.
final class NodeProcess {
    let identifier: pid_t
    /// Its standard output.
    private let output: CInt
    /// The other end of its standard input.
    private let input: CInt
    private var isRunning = true

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Only one thread at a time creates pipes and passes them to processes: except on Linux, a descriptor is
    /// inheritable for a moment after its creation.
    private static let spawning = Mutex(())

    /// - Parameters:
    ///   - log: the file for its standard error.
    /// - Throws: ``Failure`` if the program can't be started.
    init(_ program: String, arguments: [String], log: String) throws {
        (identifier, input, output) = try Self.spawning.withLock { _ in
            let (stdin, input) = try Self.pipe()
            let (output, stdout) = try Self.pipe()
            defer { for descriptor in [stdin, stdout] { close(descriptor) } }
            let words = [program] + arguments + ["--end-with-input"]
            return (try Self.spawn(words, stdin, stdout, log), input, output)
        }
    }

    deinit {
        kill()
        for descriptor in [input, output] { close(descriptor) }
    }

    private static func pipe() throws -> (read: CInt, write: CInt) {
        var ends: [CInt] = [0, 0]
        guard Foundation.pipe(&ends) == 0 else { throw Failure(description: "can't make a pipe") }
        for end in ends where fcntl(end, F_SETFD, FD_CLOEXEC) != 0 {
            throw Failure(description: "can't configure a pipe")
        }
        return (ends[0], ends[1])
    }

    private static func spawn(_ words: [String], _ stdin: CInt, _ stdout: CInt, _ log: String) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, stdin, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, stdout, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        // A group of its own: see above. Signals blocked by a thread of this process are not blocked there.
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGMASK))
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, words[0], &actions, &attributes, &arguments, environ)
        guard code == 0 else {
            throw Failure(description: "can't start \(words[0]): \(String(cString: strerror(code)))")
        }
        return identifier
    }

    /// Waits for the line that says that the node accepts connections and is a member of its cluster.
    ///
    /// - Throws: ``Failure`` if it exits instead, or takes longer than a minute.
    func waitUntilReady() throws {
        let deadline = ContinuousClock.now + .seconds(60)
        var text: [UInt8] = []
        while !text.contains(UInt8(ascii: "\n")) {
            guard ContinuousClock.now < deadline else { throw Failure(description: "the node isn't ready in a minute") }
            var entry = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 100) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = read(output, &bytes, bytes.count)
            guard count > 0 else { throw Failure(description: "the node has ended before it was ready") }
            text += bytes[..<count]
        }
    }

    func send(_ signal: CInt) {
        if isRunning { _ = Foundation.kill(identifier, signal) }
    }

    /// Pauses the process, and waits until it has stopped, because a signal takes a moment.
    func pause() {
        guard isRunning else { return }
        _ = Foundation.kill(identifier, SIGSTOP)
        var info = siginfo_t()
        while waitid(P_PID, id_t(identifier), &info, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Kills the process, like a crash.
    func kill() {
        send(SIGKILL)
        _ = waitForEnd(until: .now + .seconds(60))
    }

    /// Makes it hand over and exit.
    ///
    /// - Throws: ``Failure`` if this fails, or takes longer than a minute.
    func terminate() throws {
        send(SIGCONT)
        send(SIGTERM)
        guard let status = waitForEnd(until: .now + .seconds(60)) else {
            kill()
            throw Failure(description: "the node doesn't end in a minute")
        }
        guard status == 0 else { throw Failure(description: "the node has ended with the status \(status)") }
    }

    /// Whether it is running or paused.
    var isAlive: Bool { isRunning && waitForEnd(until: .now) == nil && isRunning }

    /// - Returns: its exit status, or nil if it is running.
    private func waitForEnd(until deadline: ContinuousClock.Instant) -> CInt? {
        guard isRunning else { return nil }
        while true {
            var status: CInt = 0
            let ended = waitpid(identifier, &status, WNOHANG)
            if ended == identifier || (ended < 0 && errno == ECHILD) {
                isRunning = false
                return status
            }
            guard ContinuousClock.now < deadline else { return nil }
            usleep(2000)
        }
    }
}
