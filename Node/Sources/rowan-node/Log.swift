// The log of a running node on standard error: one line for each event, for people and programs.

import Glibc

/// Writes `level=info event=ready id=1 address=127.0.0.1:9001`.
///
/// Values with spaces, quotes or control characters are in double quotes, with `\"`, `\\` and `\n`.
enum Log {
    enum Level: String { case info, warning, error }

    static func write(_ level: Level, _ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        writeLine(line(level, event, fields), to: STDERR_FILENO)
    }

    static func line(_ level: Level, _ event: String, _ fields: KeyValuePairs<String, String>) -> String {
        fields.reduce("level=\(level) event=\(event)") { $0 + " \($1.key)=\(quoted($1.value))" }
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "=" && $0.value != 0x7F }
        guard !isPlain || value.isEmpty else { return value }
        var result = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
