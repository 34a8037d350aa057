// A bounded cache with least-recently-used eviction, for one connection: prepared statements, persistence plans.
// When it is full it drops the older half at once, so that a hit costs one dictionary lookup and one store.

package struct BoundedCache<Key: Hashable, Value> {
    private struct Entry {
        var value: Value
        var lastUse: Int
    }

    private var entries: [Key: Entry] = [:]
    private var clock = 0
    package let capacity: Int

    package init(capacity: Int) {
        precondition(capacity > 0, "a cache holds at least one entry")
        self.capacity = capacity
    }

    package var count: Int { entries.count }
    package var values: [Value] { entries.values.map(\.value) }

    package mutating func value(forKey key: Key) -> Value? {
        guard let index = entries.index(forKey: key) else { return nil }
        clock &+= 1
        entries.values[index].lastUse = clock
        return entries.values[index].value
    }

    package mutating func setValue(_ value: Value, forKey key: Key) {
        if entries.count >= capacity, entries[key] == nil { evict() }
        clock &+= 1
        entries[key] = Entry(value: value, lastUse: clock)
    }

    package mutating func removeValue(forKey key: Key) {
        entries[key] = nil
    }

    package mutating func removeAll() {
        entries.removeAll()
    }

    private mutating func evict() {
        let uses = entries.values.map(\.lastUse).sorted()
        let threshold = uses[uses.count / 2]
        entries = entries.filter { $0.value.lastUse > threshold }
    }
}
