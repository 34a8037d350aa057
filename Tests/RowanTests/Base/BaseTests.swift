// The small tools: queue of waiters, bounded cache, identifiers, lock.

import Rowan
import Testing

@Suite
struct BaseTests {
    @Test func firstInFirstOut() {
        var queue = FIFO<Int>()
        var model: [Int] = []
        var generator = SeededGenerator()
        let seed = generator.seed
        for step in 0..<5_000 {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                queue.append(step)
                model.append(step)
            case 2, 3:
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()), "ROWAN_TEST_SEED=\(seed)")
            default:
                let victim = model.randomElement(using: &generator) ?? -1
                #expect(queue.remove(where: { $0 == victim }) == (victim < 0 ? nil : victim), "ROWAN_TEST_SEED=\(seed)")
                model.removeAll { $0 == victim }
            }
            #expect(queue.count == model.count)
            #expect(queue.isEmpty == model.isEmpty)
        }
        #expect(queue.removeAll() == model)
        #expect(queue.isEmpty && queue.popFirst() == nil)
    }

    @Test func theCacheDropsWhatIsNotUsed() {
        var cache = BoundedCache<Int, String>(capacity: 10)
        for key in 0..<10 { cache.setValue("\(key)", forKey: key) }
        #expect(cache.count == 10)
        _ = cache.value(forKey: 0)
        cache.setValue("10", forKey: 10)
        #expect(cache.count <= 10)
        #expect(cache.value(forKey: 0) == "0")
        #expect(cache.value(forKey: 10) == "10")
        #expect(cache.value(forKey: 1) == nil)
        cache.setValue("new", forKey: 0)
        #expect(cache.value(forKey: 0) == "new")
        cache.removeValue(forKey: 0)
        #expect(cache.value(forKey: 0) == nil)
        cache.removeAll()
        #expect(cache.count == 0)
        for key in 0..<1_000 {
            cache.setValue("\(key)", forKey: key)
            #expect(cache.count <= 10 && cache.value(forKey: key) == "\(key)")
        }
        var one = BoundedCache<Int, Int>(capacity: 1)
        for key in 0..<5 {
            one.setValue(key, forKey: key)
            #expect(one.count == 1 && one.value(forKey: key) == key)
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

    @Test func blankSQL() {
        for sql in ["", " ", ";", "-- a", "/* a */", "/* a", " ;\n-- a\n/* b */;", "--"] {
            #expect(sql.isBlankSQL, "\(sql)")
        }
        for sql in ["x", "-", "/", "- - a", "-- a\nx", "/* a */ x", "; x", "/*/ x */ y"] {
            #expect(!sql.isBlankSQL, "\(sql)")
        }
        #expect(String(decoding: "-- a\n/* b */ ; SELECT 1".firstSQLToken, as: UTF8.self) == "SELECT 1")
    }

    @Test func aLock() async throws {
        let count = Mutex(0)
        try await onThreads(4) { _ in
            for _ in 0..<1_000 { count.withLock { $0 += 1 } }
        }
        #expect(count.withLock { $0 } == 4_000)
    }
}
