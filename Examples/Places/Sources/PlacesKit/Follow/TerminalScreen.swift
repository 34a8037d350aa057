/// Lines that replace the previous ones on a terminal, with the control sequences of ECMA-48, which all terminals
/// support.
public struct TerminalScreen: Sendable {
    private var lineCount = 0

    public init() {}

    /// Hides the cursor. Long lines are truncated, because a second line would not be overwritten.
    public static let opening = "\u{1B}[?25l\u{1B}[?7l"
    /// Restores the terminal.
    public static let closing = "\u{1B}[?7h\u{1B}[?25h"

    /// The text that draws the lines over the last ones.
    public mutating func drawing(_ lines: [String]) -> String {
        let start = lineCount == 0 ? "" : "\u{1B}[\(lineCount)A"
        lineCount = lines.count
        return start + lines.map { "\r\u{1B}[2K\($0)\n" }.joined() + "\u{1B}[J"
    }
}
