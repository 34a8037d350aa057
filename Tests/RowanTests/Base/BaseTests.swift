// Utilities: the waiter queue, the bounded cache, identifiers and locks.

import Rowan
import Testing

@Suite
struct BaseTests {
    @Test func firstInFirstOut() {
        var queue = FIFO<Int>()
        var model: [Int] = []
        var tickets: [Int: Int] = [:]
        var generator = SeededGenerator(3)
        let seed = generator.seed
        for step in 0..<5_000 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 5 where step % 4 == 0:
                let remainder = step % 3
                #expect(
                    queue.removeAll { $0 % 3 == remainder } == model.filter { $0 % 3 == remainder },
                    "ROWAN_SEED=\(seed)")
                model.removeAll { $0 % 3 == remainder }
            case 0, 1, 5:
                tickets[step] = queue.append(step)
                model.append(step)
            case 2, 3:
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()), "ROWAN_SEED=\(seed)")
            default:
                let victim = model.randomElement(using: &generator) ?? -1
                let expected = victim < 0 ? nil : victim
                if step.isMultiple(of: 2) {
                    #expect(queue.remove(where: { $0 == victim }) == expected, "ROWAN_SEED=\(seed)")
                } else {
                    #expect(queue.remove(tickets[victim] ?? -1) == expected, "ROWAN_SEED=\(seed)")
                }
                // A ticket is valid for a single element.
                #expect(queue.remove(tickets[victim] ?? -1) == nil, "ROWAN_SEED=\(seed)")
                model.removeAll { $0 == victim }
            }
            #expect(queue.count == model.count)
            #expect(queue.isEmpty == model.isEmpty)
        }
        #expect(queue.removeAll() == model)
        #expect(queue.isEmpty && queue.popFirst() == nil)
    }

    @Test func theCacheDropsWhatIsNotUsed() {
        var cache = TextCache<Int>(capacity: 10)
        for number in 0..<10 { cache.setValue(number, forKey: "\(number)") }
        #expect(cache.count == 10)
        _ = cache.value(forKey: "0")
        cache.setValue(10, forKey: "10")
        #expect(cache.count <= 10)
        #expect(cache.value(forKey: "0") == 0)
        #expect(cache.value(forKey: "10") == 10)
        #expect(cache.value(forKey: "1") == nil)
        cache.setValue(-1, forKey: "0")
        #expect(cache.value(forKey: "0") == -1)
        cache.removeAll()
        #expect(cache.count == 0 && cache.value(forKey: "0") == nil)
        for number in 0..<1_000 {
            cache.setValue(number, forKey: "\(number)")
            #expect(cache.count <= 10 && cache.value(forKey: "\(number)") == number)
        }
        var one = TextCache<Int>(capacity: 1)
        for number in 0..<5 {
            one.setValue(number, forKey: "\(number)")
            #expect(one.count == 1 && one.value(forKey: "\(number)") == number)
        }
    }

    /// Two texts that Swift considers equal may differ for SQLite.
    @Test func theCacheComparesBytes() {
        var cache = TextCache<Int>(capacity: 4)
        cache.setValue(1, forKey: "\u{E9}")
        #expect(cache.value(forKey: "e\u{301}") == nil)
        cache.setValue(2, forKey: "e\u{301}")
        #expect(cache.value(forKey: "\u{E9}") == 1)
        #expect(cache.value(forKey: "") == nil)
        cache.setValue(3, forKey: "")
        #expect(cache.value(forKey: "") == 3)
        #expect(cache.value(forUTF8: UnsafeBufferPointer(start: nil, count: 0)) == 3)
    }

    @Test func theCacheAgainstADictionary() {
        var generator = SeededGenerator(4)
        let seed = generator.seed
        var cache = TextCache<Int>(capacity: 1_000)
        var model: [[UInt8]: Int] = [:]
        for number in 0..<1_000 {
            // Short texts with few letters, so that many are prefixes of others.
            let bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                UInt8.random(in: 97...98, using: &generator)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(cache.value(forKey: text) == model[bytes], "ROWAN_SEED=\(seed) \(text)")
            cache.setValue(number, forKey: text)
            model[bytes] = number
            #expect(cache.count == model.count, "ROWAN_SEED=\(seed)")
        }
        for (bytes, number) in model {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(cache.value(forKey: text) == number, "ROWAN_SEED=\(seed) \(text)")
        }
    }

    @Test func identifiers() {
        #expect("player".quotedDatabaseIdentifier == "\"player\"")
        #expect("my \"table\"".quotedDatabaseIdentifier == "\"my \"\"table\"\"\"")
        #expect("".quotedDatabaseIdentifier == "\"\"")
        #expect("\"\u{301}".quotedDatabaseIdentifier == "\"\"\"\u{301}\"")
        #expect("O'Brien".quotedDatabaseString == "'O''Brien'")
        #expect("PLAYER É".foldedDatabaseName == "player É")
        #expect("Player".isSameDatabaseName(as: "PLAYER"))
        #expect(!"É".isSameDatabaseName(as: "é"))
    }

    @Test func aLock() async throws {
        let count = Mutex(0)
        try await onThreads(4) { _ in
            for _ in 0..<1_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 4_000)
    }
}
