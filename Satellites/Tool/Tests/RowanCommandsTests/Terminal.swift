// The program in a terminal.

import Foundation
import Testing

/// A pseudo terminal in which the program runs.
final class Terminal {
    private let file: Int32
    private var process: pid_t = 0
    private var screen = Screen(width: 80)
    private var bytes: [UInt8] = []
    private var hasExited = false
    /// All that the program has written, with escape sequences.
    private(set) var log = ""

    /// - Parameter environment: additional variables; nil removes one.
    init(_ tool: Tool, _ arguments: [String], environment: [String: String?] = [:]) throws {
        let path: String
        (file, path) = try Self.open()
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        var variables: [String: String?] = ProcessInfo.processInfo.environment
        let none = String?.none
        let own: [String: String?] = [
            "HOME": tool.folder.path, "TERM": "xterm", "NO_COLOR": "1", "XDG_STATE_HOME": none, "COLUMNS": none,
            "LC_ALL": none, "LC_CTYPE": none, "LANG": none,
        ]
        variables.merge(own) { $1 }
        variables.merge(environment) { $1 }

        // The first terminal that the leader of a session opens is its terminal: Ctrl-C sends signals.
        #if os(Linux)
        let newSession: Int16 = 0x80
        var attributes = posix_spawnattr_t()
        var actions = posix_spawn_file_actions_t()
        #else
        let newSession = Int16(POSIX_SPAWN_SETSID)
        var attributes: posix_spawnattr_t?
        var actions: posix_spawn_file_actions_t?
        #endif
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, newSession)
        posix_spawn_file_actions_init(&actions)
        defer {
            posix_spawnattr_destroy(&attributes)
            posix_spawn_file_actions_destroy(&actions)
        }
        posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var argv = ([Tool.program.path] + arguments).map { strdup($0) } + [nil]
        var envp = variables.compactMap { name, value in value.map { strdup("\(name)=\($0)") } } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        var process = pid_t()
        resize(columns: 80)
        try #require(posix_spawn(&process, Tool.program.path, &actions, &attributes, &argv, &envp) == 0)
        self.process = process
    }

    /// Opens a pseudo terminal.
    ///
    /// - Returns: its file, and the path of what the program sees.
    private static func open() throws -> (Int32, String) {
        #if os(Linux)
        // Glibc's module lacks posix_openpt: https://man7.org/linux/man-pages/man2/TIOCSPTLCK.2const.html
        let file = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (isLocked, number): (Int32, UInt32) = (0, 0)
        try #require(file >= 0 && ioctl(file, 0x4004_5431, &isLocked) == 0 && ioctl(file, 0x8004_5430, &number) == 0)
        return (file, "/dev/pts/\(number)")
        #else
        let file = posix_openpt(O_RDWR | O_NOCTTY)
        try #require(file >= 0 && grantpt(file) == 0 && unlockpt(file) == 0)
        return (file, String(cString: try #require(ptsname(file))))
        #endif
    }

    deinit {
        if !hasExited {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        close(file)
    }

    func type(_ keys: String) {
        var rest = Array(keys.utf8)[...]
        while !rest.isEmpty {
            let count = write(file, Array(rest), rest.count)
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sets the width, which sends a signal.
    func resize(columns: UInt16) {
        screen.width = Int(columns)
        var size = winsize(ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(file, UInt(TIOCSWINSZ), &size)
    }

    func send(_ signal: Int32) { kill(process, signal) }

    /// The settings of the terminal that editing changes.
    var isEchoing: Bool {
        var settings = termios()
        return tcgetattr(file, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON)
    }

    /// Waits until the terminal shows exactly a text, up to the cursor.
    func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        wait { self.screen.textToCursor == text && self.screen.text == self.screen.textToCursor.trimmed }
        #expect(screen.textToCursor == text, sourceLocation: sourceLocation)
    }

    /// Waits until the screen fits, or the time is over.
    func wait(_ condition: () -> Bool) {
        let end = ContinuousClock.now + .seconds(60)
        while !condition(), ContinuousClock.now < end, read() {}
    }

    /// Waits for a text on the screen.
    func expect(containing text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        wait { self.screen.text.contains(text) }
        #expect(screen.text.contains(text), "\(screen.text)", sourceLocation: sourceLocation)
    }

    /// Waits for a text, and for what the screen ends with.
    func expect(ending text: String, _ end: String, sourceLocation: SourceLocation = #_sourceLocation) {
        wait { self.screen.text.contains(text) && self.screen.textToCursor.hasSuffix("\n" + end) }
        #expect(screen.textToCursor.hasSuffix("\n" + end), "\(screen.text)", sourceLocation: sourceLocation)
    }

    /// Waits for the end of the program.
    ///
    /// - Returns: what the terminal shows then, and the exit code.
    func finish() -> (text: String, code: Int32) {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end, read() {}
        var status: Int32 = 0
        while !hasExited, ContinuousClock.now < end { hasExited = waitpid(process, &status, WNOHANG) == process }
        return (screen.text, status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F))
    }

    /// - Returns: false after the end of the program.
    private func read() -> Bool {
        var files = [pollfd(fd: file, events: Int16(POLLIN), revents: 0)]
        guard poll(&files, 1, 1000) > 0 else { return true }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = Foundation.read(file, &buffer, buffer.count)
        guard count > 0 else { return false }
        bytes += buffer.prefix(count)
        // A character may arrive in parts.
        var whole = bytes.count
        while whole > 0, bytes.count - whole < 3, String(validating: bytes[..<whole], as: UTF8.self) == nil {
            whole -= 1
        }
        let text = String(decoding: bytes[..<whole], as: UTF8.self)
        log += text
        screen.write(text)
        bytes.removeFirst(whole)
        return true
    }
}

extension String {
    /// Without spaces at the end of lines and empty lines at the end.
    fileprivate var trimmed: String {
        let lines = split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        return lines.prefix((lines.lastIndex { !$0.isEmpty } ?? -1) + 1).joined(separator: "\n")
    }
}
