// Requests of all kinds, with any ids, values and sizes, some of them damaged.

/// A sequence of requests that depends on a seed.
struct RandomRequests {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private static let statements = [
        "SELECT 1", "INSERT INTO t VALUES (1, 2)", "BEGIN", "COMMIT", "ROLLBACK", "SELECT * FROM t", "", "-- x",
        "SELECT ?",
        "SELECT 1; SELECT 2", ";", " ", "DELETE FROM t", "CREATE TABLE IF NOT EXISTS t (a, b)", "DROP TABLE t", "x y",
        "SAVEPOINT a", "RELEASE a", "PRAGMA user_version", "INSERT INTO t VALUES (?, ?)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) SELECT i FROM n",
    ]

    private mutating func next(_ count: Int) -> Int {
        // The constants of Knuth's MMIX.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % count
    }

    private mutating func pick<T>(_ values: [T]) -> T { values[next(values.count)] }

    /// What a client sends: mostly after an introduction.
    mutating func connection() -> [[UInt8]] {
        var messages: [[UInt8]] = []
        if next(10) > 0 { messages.append(request(1, word(1))) }
        if next(10) > 0 { messages.append(request(3, text("data") + word(0) + word(0))) }
        for _ in 0...next(8) { messages.append(damaged(message())) }
        return messages
    }

    private mutating func message() -> [UInt8] {
        let type = pick([0, 1, 2, 3, 4, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 8, 9, 9, 9, 10, 13, 15, 16, 18, 19])
        let database = pick([0, 0, 0, 0, 0, 0, 1, UInt64(UInt32.max)])
        let statement = pick([0, 0, 0, 1, 2, 7, UInt64(UInt32.max)]) << 32
        let name = pick(["data", "other", "", "a/b", "../x", String(repeating: "x", count: 300), "data-wal"])
        let body =
            switch type {
            case 3: text(name) + word(0) + text(pick(["", "x"]))
            case 4: word(database) + text(pick(Self.statements))
            case 5, 6: word(database | statement) + values()
            case 7: word(database | statement)
            case 8, 9: word(database) + text(pick(Self.statements)) + values()
            case 13: word(pick([9, 77])) + word(UInt64(next(5)))
            case 15: text(name)
            default: word(UInt64(next(4)))
            }
        return request(UInt8(type), body)
    }

    private mutating func values() -> [UInt8] {
        let types = (0..<pick([0, 0, 0, 1, 2, 3, 255])).map { _ in pick([1, 2, 3, 4, 5, 9, 10, 11] as [UInt8]) }
        var bytes = [UInt8(types.count)] + types
        bytes += Array(repeating: 0, count: (8 - bytes.count % 8) % 8)
        for type in types {
            switch type {
            case 3, 10: bytes += text(pick(["", "a", "a long text", "2020-01-01"]))
            case 4:
                let count = pick([0, 1, 8, 9])
                bytes += word(UInt64(count)) + Array(repeating: 0, count: (count + 7) / 8 * 8)
            default: bytes += word(pick([0, 1, 1 << 63, .max]))
            }
        }
        return bytes
    }

    private mutating func damaged(_ message: [UInt8]) -> [UInt8] {
        var message = message
        switch next(20) {
        case 0, 1, 2: message[next(message.count)] = UInt8(next(256))
        case 3: message.removeLast(next(message.count))
        case 4: message.replaceSubrange(..<4, with: word(pick([0, 1, 1_000, 1 << 28, UInt64(UInt32.max)]))[..<4])
        default: break
        }
        return message
    }
}
