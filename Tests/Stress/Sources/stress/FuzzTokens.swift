// Page tokens from clients: modified bytes aren't a token, give a page, or throw an error.

import Foundation
import Rowan

extension Part {
    static let fuzzTokens = Part(name: "fuzz-tokens", summary: "mutated page tokens", weight: 0.5) { run in
        let queue = try DatabaseQueue()
        let ids = Set(1...40)
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score)")
            for id in 1...40 {
                let score: DatabaseValue = run.pick([
                    .null, id.databaseValue, 0.5.databaseValue, "a".databaseValue, Data([1]).databaseValue,
                    Double.infinity.databaseValue,
                ])
                try db.execute(sql: "INSERT INTO player VALUES (?, ?, ?)", arguments: [id, "n\(id % 3)", score])
            }
        }
        let orders: [QueryInterfaceRequest<Player>] = [
            Player.all(), Player.order(Column("name")), Player.order(Column("score").desc, Column("name")),
            Player.order(Column("score").ascNullsLast),
        ]
        try queue.read { db in
            for request in orders {
                guard let token = try request.page(size: 7).fetch(db).next else {
                    run.fail("a page of 7 rows of 40 has no next one")
                    continue
                }
                // The token itself in each of its forms.
                run.expect(PageToken(token.description) == token, "a token is not that of its description")
                for _ in 0..<60 {
                    let text = mutated(token.description, run)
                    run.note("seed \(run.seed): \(text)")
                    run.count("tokens")
                    let json = try JSONEncoder().encode(text)
                    _ = try? JSONDecoder().decode(PageToken.self, from: json)
                    guard let token = PageToken(text) else { continue }
                    run.count("tokens that are some")
                    do {
                        let page = try request.page(after: token, size: 5).fetch(db)
                        run.expect(page.elements.count <= 5, "a page has \(page.elements.count) rows of 5")
                        run.expect(ids.isSuperset(of: page.elements.map(\.id)), "a page has rows of nobody")
                    } catch { run.count("errors") }
                }
            }
        }
    }
}

private struct Player: Codable, FetchableRecord, PersistableRecord {
    var id: Int
    var name: String
}

/// Changes the text itself, or the bytes that it encodes.
private func mutated(_ text: String, _ run: Run) -> String {
    var base64 = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    var bytes = run.chance(70) ? Array(Data(base64Encoded: base64) ?? Data()) : Array(text.utf8)
    let isEncoded = bytes != Array(text.utf8)
    for _ in 0..<run.pick([1, 1, 2, 4]) where !bytes.isEmpty {
        let place = run.number(0...bytes.count - 1)
        switch run.number(0...4) {
        case 0: bytes[place] = UInt8(run.number(32...126))
        case 1: bytes.remove(at: place)
        case 2:
            bytes.insert(contentsOf: run.pick(["[", "]", "{}", "null", "9", "-", "1e999", "\"", ","]).utf8, at: place)
        case 3: bytes = Array(bytes.prefix(place))
        default:
            // Changes a digit, if there is one.
            guard let digit = bytes.firstIndex(where: { (48...57).contains($0) }) else { continue }
            let numbers = ["18446744073709551615", "9223372036854775808", "-9223372036854775808", "0", "1.5"]
            bytes.replaceSubrange(digit...digit, with: run.pick(numbers).utf8)
        }
    }
    guard isEncoded else { return String(decoding: bytes, as: UTF8.self) }
    return Data(bytes).base64EncodedString().replacingOccurrences(of: "=", with: "")
}
