// Rows as a table of text, for terminals and for Markdown.

/// The style of a table.
enum TableStyle { case box, markdown }

/// A table of texts.
struct TextTable {
    var columns: [String]
    var rows: [[String]] = []
    /// The columns whose values are aligned to the right.
    var numbers: Set<Int> = []

    /// - Parameter width: the number of columns of the terminal. Longer values are truncated.
    func text(_ style: TableStyle, width: Int? = nil) -> String {
        switch style {
        case .box: box(width)
        case .markdown: markdown
        }
    }

    private func widths(_ cells: [[String]]) -> [Int] {
        columns.indices.map { index in cells.reduce(1) { max($0, $1[index].terminalWidth) } }
    }

    private func box(_ width: Int?) -> String {
        let header = columns.map(\.onOneLine)
        let body = rows.map { $0.map(\.onOneLine) }
        var widths = widths([header] + body)
        if let width { Self.fit(&widths, to: width - 3 * columns.count - 1) }
        func line(_ left: String, _ middle: String, _ right: String) -> String {
            left + widths.map { String(repeating: "─", count: $0 + 2) }.joined(separator: middle) + right + "\n"
        }
        func row(_ cells: [String], isHeader: Bool = false) -> String {
            let padded = cells.enumerated().map { index, cell in
                let text = cell.truncated(to: widths[index])
                    .padded(to: widths[index], isNumber: numbers.contains(index))
                return isHeader ? Console.styled(text, .bold) : text
            }
            return "│ " + padded.joined(separator: " │ ") + " │\n"
        }
        return line("┌", "┬", "┐") + row(header, isHeader: true) + line("├", "┼", "┤")
            + body.map { row($0) }.joined() + line("└", "┴", "┘")
    }

    /// Shortens the widest columns until all of them fit.
    static func fit(_ widths: inout [Int], to total: Int) {
        let minimum = 3
        var excess = widths.reduce(0, +) - total
        while excess > 0, let widest = widths.max(), widest > minimum {
            let next = widths.filter { $0 < widest }.max() ?? minimum
            let indices = widths.indices.filter { widths[$0] == widest }
            let step = max(1, min(widest - max(next, minimum), (excess + indices.count - 1) / indices.count))
            for index in indices where excess > 0 {
                widths[index] -= step
                excess -= step
            }
        }
    }

    private var markdown: String {
        func cell(_ text: String) -> String {
            text.onOneLine.replacing("\\", with: "\\\\").replacing("|", with: "\\|").replacing("<", with: "&lt;")
        }
        let (header, body) = (columns.map(cell), rows.map { $0.map(cell) })
        let widths = widths([header] + body).map { max($0, 3) }
        func row(_ cells: [String]) -> String {
            let padded = cells.enumerated().map { $1.padded(to: widths[$0], isNumber: numbers.contains($0)) }
            return "| " + padded.joined(separator: " | ") + " |\n"
        }
        let rules = widths.enumerated().map { index, width in
            numbers.contains(index)
                ? String(repeating: "-", count: width - 1) + ":" : String(repeating: "-", count: width)
        }
        return row(header) + row(rules) + body.map(row).joined()
    }
}
