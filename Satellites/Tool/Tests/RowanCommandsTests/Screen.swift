// What a terminal shows.

/// The lines of a terminal of any height, after the escape sequences that libedit uses.
struct Screen {
    private var cells: [[String]] = [[]]
    private var (row, column) = (0, 0)
    var width: Int
    private var insertsCharacters = false
    private var sequence: String?

    init(width: Int) { self.width = width }

    /// The text, without empty lines at the end.
    var text: String {
        let lines = cells.map { line in
            var line = line
            while line.last == " " { line.removeLast() }
            return line.joined()
        }
        let count = (lines.lastIndex { !$0.isEmpty } ?? -1) + 1
        return lines.prefix(count).joined(separator: "\n")
    }

    /// The lines up to that of the cursor, which stays after trailing spaces.
    var textToCursor: String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        while lines.count <= row { lines.append("") }
        let line = cells[row].prefix(column).joined()
        return (lines.prefix(row) + [line]).joined(separator: "\n")
    }

    mutating func write(_ text: String) {
        for scalar in text.unicodeScalars {
            if let begun = sequence {
                sequence = begun + String(scalar)
                if begun.count > 1, begun.first == "[" ? 0x40...0x7E ~= scalar.value : true { finishSequence() }
                if begun.isEmpty, scalar != "[", scalar != "(" { finishSequence() }
                if begun.count == 1, begun == "[", scalar.properties.isAlphabetic || scalar == "@" { finishSequence() }
                if begun == "(" { finishSequence() }
                continue
            }
            switch scalar {
            case "\u{1B}": sequence = ""
            case "\r": column = 0
            case "\n": move(to: row + 1)
            case "\u{8}": column = max(0, column - 1)
            case "\u{7}", "\0": break
            default: put(Character(scalar))
            }
        }
    }

    private mutating func move(to row: Int) {
        self.row = max(0, row)
        while cells.count <= self.row { cells.append([]) }
    }

    private mutating func put(_ character: Character) {
        let isWide = character.unicodeScalars.contains { 0x2E80...0x9FFF ~= $0.value || 0x1F300...0x1FAFF ~= $0.value }
        if column + (isWide ? 2 : 1) > width { (_, column) = (move(to: row + 1), 0) }
        while cells[row].count < column { cells[row].append(" ") }
        let new = [String(character)] + (isWide ? [""] : [])
        let end = insertsCharacters ? column : min(column + new.count, cells[row].count)
        cells[row].replaceSubrange(column..<end, with: new)
        column += new.count
    }

    private mutating func finishSequence() {
        guard let text = sequence, let command = text.last else { return }
        sequence = nil
        guard text.first == "[" else { return }
        let count = Int(text.dropFirst().dropLast()) ?? 0
        switch command {
        case "A": move(to: row - max(1, count))
        case "B": move(to: row + max(1, count))
        case "C": column += max(1, count)
        case "D": column = max(0, column - max(1, count))
        case "G": column = max(1, count) - 1
        case "H": (row, column) = (0, 0)
        case "J":
            erase()
            cells.removeSubrange((row + 1)...)
        case "K": erase()
        case "P":
            let end = min(column + max(1, count), cells[row].count)
            if column < end { cells[row].removeSubrange(column..<end) }
        case "@":
            while cells[row].count < column { cells[row].append(" ") }
            cells[row].insert(contentsOf: Array(repeating: " ", count: max(1, count)), at: column)
        case "h": insertsCharacters = count == 4 || insertsCharacters
        case "l": insertsCharacters = count != 4 && insertsCharacters
        default: break
        }
    }

    private mutating func erase() {
        if column < cells[row].count { cells[row].removeSubrange(column...) }
    }
}
