// A bounded cache of values by text, with least-recently-used eviction: prepared statements, plurals. It is a custom
// hash table because it is searched with raw bytes: building a String and hashing it with SipHash took longer than the
// rest of the lookup (benchmark request-build). A full cache drops its older half at once, so a hit costs one search
// and one store.

import RowanPlatform

package struct TextCache<Value> {
    private struct Entry {
        let hash: UInt64
        let text: String
        var value: Value
        var lastUse: Int
    }

    private var entries: [Entry] = []
    /// Open addressing: the index of an entry, or -1. At least half of the slots stay empty.
    private var slots: [Int32]
    private var clock = 0
    package let capacity: Int

    package init(capacity: Int) {
        precondition(capacity > 0, "the capacity of a cache must be positive")
        self.capacity = capacity
        var slotCount = 2
        while slotCount < 2 * capacity { slotCount *= 2 }
        slots = Array(repeating: -1, count: slotCount)
    }

    package var count: Int { entries.count }

    package mutating func value(forUTF8 text: UnsafeBufferPointer<UInt8>) -> Value? {
        guard let index = find(text, TextHash.of(text)) else { return nil }
        clock &+= 1
        entries[index].lastUse = clock
        return entries[index].value
    }

    package mutating func value(forKey text: String) -> Value? {
        return text.withBytes { value(forUTF8: $0) }
    }

    package mutating func setValue(_ value: Value, forKey text: String) {
        let hash = text.withBytes { TextHash.of($0) }
        clock &+= 1
        if let index = text.withBytes({ find($0, hash) }) {
            entries[index].value = value
            entries[index].lastUse = clock
            return
        }
        if entries.count >= capacity { evict() }
        add(Entry(hash: hash, text: text, value: value, lastUse: clock))
    }

    package mutating func removeAll() { keep { _ in false } }

    private func find(_ text: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Int? {
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while true {
            let index = Int(slots[slot])
            if index < 0 { return nil }
            if entries[index].hash == hash, entries[index].text.hasUTF8(text) { return index }
            slot = (slot + 1) & (slots.count - 1)
        }
    }

    /// Adds an entry whose text is not in the cache.
    private mutating func add(_ entry: Entry) {
        var slot = Int(truncatingIfNeeded: entry.hash) & (slots.count - 1)
        while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = Int32(entries.count)
        entries.append(entry)
    }

    private mutating func evict() {
        let uses = entries.map(\.lastUse).sorted()
        let threshold = uses[uses.count / 2]
        keep { $0.lastUse > threshold }
    }

    private mutating func keep(_ isKept: (Entry) -> Bool) {
        let kept = entries.filter(isKept)
        entries.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = -1 }
        for entry in kept { add(entry) }
    }
}

extension String {
    fileprivate func hasUTF8(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let isEqual = utf8.withContiguousStorageIfAvailable { bytes in
            guard bytes.count == text.count else { return false }
            guard let start = bytes.baseAddress, let other = text.baseAddress else { return true }
            return memcmp(start, other, bytes.count) == 0
        }
        return isEqual ?? utf8.elementsEqual(text)
    }
}

/// A hash of bytes, eight at a time: multiplies each group and keeps both halves of the product. The seed differs in
/// each process, so colliding texts can't be crafted. Source of the step: wyhash,
/// <https://github.com/wangyi-fudan/wyhash> (public domain).
private enum TextHash {
    private static let seed = UInt64.random(in: .min ... .max)

    static func of(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = mix(seed, UInt64(text.count))
        let bytes = UnsafeRawBufferPointer(text)
        var index = 0
        while index + 8 <= bytes.count {
            hash = mix(hash, bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var rest: UInt64 = 0
        while index < bytes.count {
            rest = rest << 8 | UInt64(bytes[index])
            index += 1
        }
        return mix(hash, rest)
    }

    @inline(__always)
    private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = (a ^ 0xa076_1d64_78bd_642f).multipliedFullWidth(by: b ^ 0xe703_7ed1_a0b4_28db)
        return product.high ^ product.low
    }
}
