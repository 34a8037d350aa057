// The terminal: its width, its colors, and text without control characters.

@preconcurrency import Foundation

package enum Console {
    /// Prints a message, whose names and values may be those of a hostile file.
    package static func printError(_ message: String) {
        // There is no other place for an error.
        try? FileHandle.standardError.write(contentsOf: Data((message.withVisibleControls + "\n").utf8))
    }

    /// Opens closed standard files, which no other file can then replace. They can't be read or written.
    static func reserveStandardFiles() {
        for (file, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(file, F_GETFD) < 0 {
            // The lowest number is free.
            _ = open("/dev/null", mode)
        }
    }

    static func readStandardInput() throws -> Data {
        do { return try FileHandle.standardInput.readToEnd() ?? Data() } catch let error as CocoaError {
            throw Failure(message: "can't read the standard input: \(error.sentence)")
        }
    }

    /// Writes what was printed.
    ///
    /// - Throws: a `Failure` if some of it couldn't be written.
    package static func flush() throws {
        let hasFlushed = fflush(stdout) == 0
        let reason = hasFlushed ? "" : ": \(String(cString: strerror(errno)))"
        guard hasFlushed, ferror(stdout) == 0 else {
            clearerr(stdout)
            throw Failure(message: "can't write the standard output\(reason)")
        }
    }

    /// Whether results are written to a file instead of the standard output.
    @TaskLocal package static var isRedirected = false

    /// The number of columns; nil if the results are not written to a terminal.
    package static var width: Int? {
        guard isatty(STDOUT_FILENO) == 1, !isRedirected else { return nil }
        if let columns = environment("COLUMNS").flatMap(Int.init), columns > 0 { return columns }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether a person reads the standard error.
    package static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether text has colors: <https://no-color.org>.
    package static var hasColors: Bool { terminalHasColors && !isRedirected }

    private static let terminalHasColors =
        isatty(STDOUT_FILENO) == 1 && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"

    package enum Style: String { case bold = "1", dim = "2", warning = "33" }

    package static func styled(_ text: String, _ style: Style) -> String {
        hasColors ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }

    private static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

extension Int {
    /// The number with a noun in the singular or plural.
    package func counted(_ one: String, _ many: String) -> String { "\(self) \(self == 1 ? one : many)" }
}

extension String {
    /// The text on one line. Values could move the cursor, or change what was printed before.
    package var onOneLine: String {
        guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control || $0.isBidiControl }) else {
            return self
        }
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.properties.generalCategory == .control || scalar.isBidiControl:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text with its lines, for a terminal: escape sequences in it are shown. Files and pipes get it as it is.
    package var forTerminal: String { Console.width == nil ? self : withVisibleControls }

    /// The text with its lines, and with escape sequences for other control characters.
    package var withVisibleControls: String {
        var (result, part) = ("", "")
        for scalar in replacing("\r\n", with: "\n").unicodeScalars {
            guard scalar == "\n" || scalar == "\t" else {
                part.unicodeScalars.append(scalar)
                continue
            }
            result += part.onOneLine
            result.unicodeScalars.append(scalar)
            part = ""
        }
        return result + part.onOneLine
    }

    /// The number of columns that the text takes in a terminal.
    package var terminalWidth: Int { reduce(0) { $0 + $1.terminalWidth } }

    /// The text without what exceeds a width.
    package func truncated(to width: Int) -> String {
        guard terminalWidth > width else { return self }
        var result = ""
        var rest = width - 1
        for character in self {
            rest -= character.terminalWidth
            if rest < 0 { break }
            result.append(character)
        }
        return result + "…"
    }

    package func padded(to width: Int, isNumber: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - terminalWidth))
        return isNumber ? space + self : self + space
    }
}

extension Unicode.Scalar {
    /// Whether the character changes the direction of the text after it.
    fileprivate var isBidiControl: Bool { properties.isBidiControl }
}

extension Character {
    /// Source: <https://www.unicode.org/reports/tr11/>
    fileprivate var terminalWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.isASCII { return 1 }
        if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return Self.wide.contains { $0.contains(first.value) } ? 2 : 1
        }
    }

    /// The blocks of wide characters.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1B000...0x1B2FF, 0x20000...0x3FFFD,
    ]
}
