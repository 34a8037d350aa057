/// Lines that a terminal shows in place of those before: the control sequences of ECMA-48, which all terminals know.
public struct TerminalScreen: Sendable {
    private var lineCount = 0

    public init() {}

    /// Hides the cursor. A long line is cut, because a second line would not be drawn over.
    public static let opening = "\u{1B}[?25l\u{1B}[?7l"
    /// Leaves the terminal as it was.
    public static let closing = "\u{1B}[?7h\u{1B}[?25h"

    /// What draws the lines over the last ones.
    public mutating func drawing(_ lines: [String]) -> String {
        let start = lineCount == 0 ? "" : "\u{1B}[\(lineCount)A"
        lineCount = lines.count
        return start + lines.map { "\r\u{1B}[2K\($0)\n" }.joined() + "\u{1B}[J"
    }
}
