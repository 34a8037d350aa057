// The memory of the process from round to round: memory that grows with the number of rounds is never released.

import Foundation

struct MemoryGrowth: CustomStringConvertible {
    private var rounds = 0
    /// The maximum during the first rounds, which fill caches and thread pools.
    private var first = 0
    private var last = 0

    private static let firstRounds = 10
    /// The allocator retains some released memory.
    private static let allowance = 96 << 20

    mutating func roundDidEnd() {
        rounds += 1
        last = Self.residentBytes
        if rounds <= Self.firstRounds { first = max(first, last) }
    }

    var isGrowing: Bool { rounds > Self.firstRounds && last > first * 3 / 2 + Self.allowance }

    var description: String { "memory \(first >> 20) MB at first, \(last >> 20) MB at last" }

    /// 0 if the system does not report it.
    private static var residentBytes: Int {
        #if os(Linux)
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
        #else
        return 0
        #endif
    }
}
