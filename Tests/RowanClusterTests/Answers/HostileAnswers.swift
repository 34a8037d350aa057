// Answers that no honest node gives: of all types, with any counts, sizes, values and order, cut, merged or without end.

/// What a node does in place of an answer, or as part of one.
enum AnswerPart {
    case bytes([UInt8])
    /// The same bytes again and again.
    ///
    /// - Parameters:
    ///   - byteCount: after which the node closes the connection.
    ///   - mayBeRead: whether the program has queried the rows, and so reads all of them.
    case endless([UInt8], byteCount: Int, mayBeRead: Bool)
    /// The answer follows that of the next request.
    case late([UInt8])
    /// Another thread interrupts the client at this moment.
    case interruption
    /// Nothing more arrives, but the connection stays open.
    case silence
    case close
}

/// Makes hostile answers.
struct HostileAnswers {
    var random: SeededRandom

    /// The size of an answer without end, which is more than the client may take.
    static let endlessByteCount = 80 << 20
    /// The size of long rows that a program has queried, and takes.
    static let longByteCount = 4 << 20

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    mutating func pick<Element>(_ choices: [Element]) -> Element { choices.randomElement(using: &random)! }
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    /// A hostile answer in place of a proper one.
    ///
    /// - Parameters:
    ///   - proper: the answer of an honest node.
    ///   - isForProgram: whether the program has queried the rows, and may want many of them.
    ///   - allowsSilence: whether the client waits only for a moment.
    mutating func answer(_ proper: [UInt8], isForProgram: Bool, allowsSilence: Bool) -> [AnswerPart] {
        let end = allowsSilence && chance(50) ? AnswerPart.silence : .close
        switch number(0...99) {
        case 0...4: return [end]
        case 5...14: return [.bytes(failure())]
        case 15...24: return [.bytes(response())]
        case 25...44: return rows().map { .bytes($0) }
        case 45...64: return [.bytes(mutated(proper))]
        case 65...69: return [.bytes(mutated(response()))]
        case 70...79: return [.bytes(withOtherValues(proper))]
        case 80...83: return [.bytes(Array(proper.prefix(number(0...proper.count)))), end]
        case 84...86: return [.bytes(proper + proper)]
        case 87...89: return [.bytes(proper + response())]
        case 90...92: return [.late(proper)]
        case 93...95: return [.interruption, .bytes(proper)]
        case 96...97: return [.bytes(leader())]
        case 98: return [.bytes(frame(7, words(UInt64(number(0...40)))) + proper)]
        default: return chance(40) ? endless(isForProgram) : [.bytes(failure() + proper)]
        }
    }

    // MARK: Well-formed responses

    private mutating func word() -> UInt64 {
        switch number(0...9) {
        case 0: .random(in: .min ... .max, using: &random)
        case 1: .max
        case 2: UInt64(Int64.max)
        case 3: 1 << 63
        case 4: 1 << UInt64(number(0...63))
        default: UInt64(number(0...12))
        }
    }

    private mutating func string() -> String {
        switch number(0...9) {
        case 0: ""
        case 1: String(repeating: pick(["x", "é", "\u{1}"]), count: number(0...300))
        case 2: pick(["127.0.0.1:9001", "a:1", "[::1]:1", "a:99999", ":", "[", "a:1:2", "%", "a b:1"])
        default:
            pick([
                "table", "index", "view", "trigger", "t", "rowan_client", "sqlite_sequence", "sqlite_stat1",
                "CREATE TABLE t (a, b)", "CREATE TABLE t (a", "CREATE VIEW t AS SELECT 1", "ROLLBACK",
                "CREATE TABLE t AS SELECT 1", "CREATE INDEX t ON u (a)", "PRAGMA schema_version = 7",
                "CREATE VIRTUAL TABLE t USING fts5(a, b)", "interrupted", "out of memory", "no database opened",
                "attempt to write a readonly database", "database is locked",
            ])
        }
    }

    /// Codes of SQLite and dqlite, also with other bits than those of the primary code.
    private mutating func failure() -> [UInt8] {
        let code: UInt64
        switch number(0...5) {
        case 0: code = word()
        case 1: code = UInt64(number(0...101)) | UInt64(number(0...40)) << 8
        default:
            code = pick([
                0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 19, 20, 21, 24, 26, 100, 101, 266, 356, 357, 517,
                522,
                1_001, 2_067, 3_082, 10_250, 10_506, 1 << 31, 1 << 32, .max,
            ])
        }
        // Rows may precede the code.
        let before = chance(10) ? words(2) + text("a") + text("b") + words(0x11, 1, 2) : []
        return frame(0, before + words(code) + text(string()))
    }

    private mutating func leader() -> [UInt8] { frame(1, words(word()) + text(string())) }

    /// A response of any type.
    private mutating func response() -> [UInt8] {
        switch number(0...11) {
        case 0: return failure()
        case 1: return leader()
        case 2: return frame(2, words(word()))
        case 3:
            let count = number(0...4)
            let nodes = (0..<count).flatMap { _ in words(word()) + text(string()) + words(word()) }
            return frame(3, words(chance(80) ? UInt64(count) : word()) + nodes)
        case 4: return frame(4, words(word()))
        case 5: return frame(5, words(word(), word()))
        case 6: return frame(6, words(word(), word()))
        case 7: return frame(8, chance(50) ? [] : words(word()))
        case 8:
            let count = number(0...3)
            let files = (0..<count).flatMap { _ in
                text(pick(["app", "app-wal", "../x", ""])) + blob(Array(repeating: 7, count: number(0...5_000)))
            }
            return frame(9, words(chance(80) ? UInt64(count) : word()) + files)
        case 9:
            return frame(UInt8(number(0...255)), (0..<number(0...6)).flatMap { _ in words(word()) })
        default: return rows().flatMap(\.self)
        }
    }

    private mutating func value() -> WireValue {
        switch number(0...11) {
        case 0...3: .integer(Int64(bitPattern: word()))
        case 4: .double(pick([.nan, .infinity, -0.0, 0.5, .greatestFiniteMagnitude]))
        case 5...7: .text(string())
        case 8: .blob(Array(repeating: 255, count: number(0...100)))
        case 9: WireValue(type: UInt8(number(0...15)), bytes: words(word()))
        default: .null
        }
    }

    /// Parts with rows, whose columns may differ.
    private mutating func rows() -> [[UInt8]] {
        var columnCount = chance(5) ? number(0...2_100) : number(0...6)
        let partCount = chance(70) ? 1 : number(2...5)
        return (0..<partCount).map { index in
            if chance(20) { columnCount = number(0...6) }
            let rowCount = columnCount == 0 || columnCount > 40 ? 0 : number(0...4)
            let rows = (0..<rowCount).map { _ in (0..<columnCount).map { _ in value() } }
            let names = (0..<columnCount).map { chance(90) ? "c\($0)" : string() }
            return rowsFrame(names, rows, isLast: index == partCount - 1 ? chance(95) : chance(5))
        }
    }

    // MARK: Changed responses

    /// The same response with other values where there is a whole word.
    private mutating func withOtherValues(_ proper: [UInt8]) -> [UInt8] {
        var bytes = proper
        for _ in 0..<number(1...2) where bytes.count >= 24 {
            // The last word of rows is their end.
            let position = 8 * number(1...bytes.count / 8 - 2)
            bytes.replaceSubrange(position..<position + 8, with: words(word()))
        }
        return bytes
    }

    private mutating func mutated(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0..<number(1...4) where !bytes.isEmpty {
            let position = number(0...bytes.count - 1)
            switch number(0...6) {
            case 0: bytes[position] = UInt8(number(0...255))
            case 1: bytes[position] ^= 1 << UInt8(number(0...7))
            case 2: bytes.removeSubrange(position...)
            // Removes a word, which shifts the frames after it.
            case 3: bytes.removeSubrange(position..<min(position + 8, bytes.count))
            case 4: bytes.insert(contentsOf: words(word()), at: position)
            // The number of words, or the type.
            case 5: bytes[pick([0, 4, 5]) % bytes.count] = UInt8(number(0...12))
            // A count or a type at the start of a word.
            default: bytes[position & ~7] = UInt8(number(0...16))
            }
        }
        return bytes
    }

    // MARK: Without end

    private mutating func endless(_ isForProgram: Bool) -> [AnswerPart] {
        let byteCount = isForProgram ? Self.longByteCount : Self.endlessByteCount
        switch number(0...4) {
        case 0: return [.endless(rowsFrame(["a"], [], isLast: false), byteCount: byteCount, mayBeRead: isForProgram)]
        case 1:
            let row: [WireValue] = [.blob(Array(repeating: 7, count: 1 << number(0...20)))]
            return [.endless(rowsFrame(["a"], [row], isLast: false), byteCount: byteCount, mayBeRead: isForProgram)]
        case 2: return [.endless(rowsFrame([], [], isLast: false), byteCount: byteCount, mayBeRead: isForProgram)]
        case 3:
            // A frame that does not end, of any type.
            let size = UInt32(1) << UInt32(number(16...27))
            let header = [UInt8](words(UInt64(size) | UInt64(number(0...9)) << 32))
            return [.bytes(header), .endless(words(word(), word()), byteCount: byteCount, mayBeRead: isForProgram)]
        default:
            let row: [WireValue] = [.text("table"), .text("t"), .text("t"), .null]
            return [
                .endless(
                    rowsFrame(["a", "b", "c", "d"], Array(repeating: row, count: number(1...200)), isLast: false),
                    byteCount: byteCount, mayBeRead: isForProgram)
            ]
        }
    }
}
