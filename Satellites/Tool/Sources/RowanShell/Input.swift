// The bytes of the standard input and of files, and their lines.

import Foundation
import RowanCommands

/// A line, or why there is none.
enum InputLine: Equatable {
    case line(String)
    /// A line that is not valid UTF-8.
    case invalid
    case interrupted
    case end
}

/// Where lines come from.
protocol LineSource: AnyObject {
    func next(prompt: String) throws -> InputLine
    /// Keeps an entry, which may have several lines.
    func remember(_ entry: String)
}

extension LineSource {
    func remember(_ entry: String) {}
}

/// The bytes of a file, which signals wake up.
final class Input: LineSource {
    enum Event: Equatable {
        case byte(UInt8)
        case signal
        case end
        case failure(Int32)
    }

    private let file: Int32
    private let name: String
    private let signals: Signals
    private var buffer: [UInt8] = []
    private var position = 0

    init(_ file: Int32, name: String = "the standard input", signals: Signals) {
        (self.file, self.name, self.signals) = (file, name, signals)
    }

    /// Opens a file.
    convenience init(path: String, signals: Signals) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Self.failure(path, errno) }
        self.init(file, name: path, signals: signals)
    }

    deinit { if file != STDIN_FILENO { close(file) } }

    /// The next byte, or why there is none yet.
    func next() -> Event {
        if position == buffer.count {
            var files = [
                pollfd(fd: file, events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals.wakingFile, events: Int16(POLLIN), revents: 0),
            ]
            while poll(&files, 2, -1) < 0 { guard errno == EINTR else { return .failure(errno) } }
            if files[1].revents != 0 {
                var bytes = [UInt8](repeating: 0, count: 64)
                while read(signals.wakingFile, &bytes, bytes.count) > 0 {}
                return .signal
            }
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = read(file, &bytes, bytes.count)
            guard count > 0 else { return count == 0 ? .end : .failure(errno) }
            (buffer, position) = (Array(bytes.prefix(count)), 0)
        }
        position += 1
        return .byte(buffer[position - 1])
    }

    /// The next line, without the prompt.
    func next(prompt: String) throws -> InputLine {
        var line: [UInt8] = []
        while true {
            switch next() {
            case .byte(10): return Self.line(line)
            case .byte(let byte): line.append(byte)
            case .signal: if signals.isInterrupted { return .interrupted }
            case .end: return line.isEmpty ? .end : Self.line(line)
            case .failure(let error): throw Self.failure(name, error)
            }
        }
    }

    private static func line(_ bytes: [UInt8]) -> InputLine {
        String(validating: bytes, as: UTF8.self).map { .line($0) } ?? .invalid
    }

    private static func failure(_ name: String, _ error: Int32) -> Failure {
        Failure(message: "can't read \(name): \(String(cString: strerror(error)))")
    }
}
