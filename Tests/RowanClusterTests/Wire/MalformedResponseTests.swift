// Bytes that aren't a response: they throw, and never trap.

import Foundation
import Rowan
import RowanCluster
import Testing

@Suite struct MalformedResponseTests {
    static let malformed: [[UInt8]] = [
        // A frame that exceeds the limit, and one of an unknown type.
        [0xFF, 0xFF, 0xFF, 0xFF, 8, 0, 0, 0],
        frame(11, words(0)),
        frame(255, words(0)),
        // An unknown schema.
        frame(8, words(0), schema: 1),
        // Missing fields.
        frame(0, []),
        frame(0, words(1)),
        frame(0, words(0x0101_0101_0101_0101, 0x0101_0101_0101_0101)),
        frame(3, words(2, 1) + text("a") + words(0)),
        frame(3, words(.max)),
        frame(5, words(0)),
        frame(5, words(0, .max)),
        frame(6, words(0)),
        frame(9, words(1) + text("a") + words(9)),
        frame(9, words(1) + text("a") + words(.max)),
        frame(10, words(0)),
        // Rows without a column count, names, or an end; rows without columns.
        frame(7, []),
        frame(7, words(.max)),
        frame(7, words(1, .max)),
        frame(7, words(1) + text("a")),
        frame(7, words(1) + text("a") + words(0)),
        frame(7, words(0, 1, .max)),
        // More columns than SQLite can have.
        rowsFrame(Array(repeating: "a", count: 32_768), []),
        // A row that ends before its values, within their types, within a text, and within a blob.
        frame(7, words(1) + text("a") + words(1, .max)),
        frame(7, words(17) + (0..<17).flatMap { _ in text("a") } + words(1, .max)),
        frame(7, words(1) + text("a") + words(3, 0x0101_0101_0101_0101, .max)),
        frame(7, words(1) + text("a") + words(4, 1, .max)),
        frame(7, words(1) + text("a") + words(4, .max, .max)),
        frame(7, words(1) + text("a") + words(4, UInt64(Int64.max), .max)),
        // Values of unknown types.
        frame(7, words(1) + text("a") + words(0, 0, .max)),
        frame(7, words(1) + text("a") + words(6, 0, .max)),
        frame(7, words(1) + text("a") + words(.max, 0, .max)),
    ]

    @Test(arguments: malformed)
    func malformedResponsesThrow(_ bytes: [UInt8]) {
        let error = #expect(throws: WireError.self) { try values(bytes) }
        guard case .malformed = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    /// 20,000 mutations of frames of all kinds: each is read to the end, or throws one of two errors.
    @Test func mutations() throws {
        let rows: [[WireValue]] = (0..<4).map { number in
            [.integer(number), .double(0.5), .text("text \(number)"), .blob([1, 2, 3]), .null, .text("")]
        }
        let names = ["id", "score", "a name", "", "nothing", "e"]
        let valid =
            frame(0, words(5) + text("message")) + frame(3, words(1, 1) + text("127.0.0.1:9001") + words(0))
            + rowsFrame(names, rows, isLast: false) + rowsFrame(names, []) + frame(9, words(1) + text("a") + blob([1]))
            + rowsFrame((0..<17).map { "c\($0)" }, [(0..<17).map { .integer($0) }]) + frame(5, words(1, 2))
        var random = SeededGenerator(31)
        var counts = (read: 0, malformed: 0, refused: 0)
        for _ in 0..<20_000 {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, &random) }
            do {
                let rows = try values(bytes)
                #expect(rows.count < 1_000)
                counts.read += 1
            } catch WireError.malformed {
                counts.malformed += 1
            } catch DatabaseError.SQLITE_MISMATCH {
                counts.refused += 1
            } catch {
                Issue.record("\(error)")
            }
        }
        // The mutations reach every outcome.
        #expect(
            counts.read > 1_000 && counts.malformed > 1_000 && counts.refused > 20, "\(counts), seed \(random.seed)")
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes[position] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 2: bytes.removeSubrange(position...)
        case 3:
            // Removes a word, which shifts the frames after it.
            bytes.removeSubrange(position..<min(position + 8, bytes.count))
        case 4:
            bytes.insert(
                contentsOf: words([0, 1, .max, 1 << 63, 1 << 32].randomElement(using: &random)!), at: position)
        default:
            // Changes a size, a count or a type at the start of a word.
            bytes[position & ~7] = UInt8.random(in: 0...16, using: &random)
        }
    }
}
