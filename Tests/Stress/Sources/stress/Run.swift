// One round of a part: its seed, its folder, its counts and failures.

import Foundation
import Rowan

/// The context of a part. A round is determined by its seed: `stress <part> --seed <seed>` starts with the same one.
final class Run {
    let seed: UInt64
    let folder: TemporaryFolder
    let deadline: Date
    var random: SplitMix64
    /// The number of checks, by name.
    var counts: [String: Int] = [:]
    private(set) var failures: [String] = []
    /// The number of cases after which the part stops early.
    let caseLimit: Int?
    private(set) var cases = 0

    init(seed: UInt64, deadline: Date, caseLimit: Int? = nil) throws {
        self.seed = seed
        self.caseLimit = caseLimit
        self.deadline = deadline
        random = SplitMix64(seed: seed)
        folder = try TemporaryFolder()
    }

    var isOver: Bool { Date() >= deadline || casesLeft == 0 }

    /// The number of cases left, or nil if only the time limits them.
    var casesLeft: Int? { caseLimit.map { max(0, $0 - cases) } }

    /// Counts cases of a part that a number of cases can stop.
    func didCase(_ number: Int = 1) { cases += number }

    func count(_ name: String, _ number: Int = 1) { counts[name, default: 0] += number }

    /// Counts a check, and reports it if it fails.
    func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        count("checks")
        if !condition { fail(message()) }
    }

    func fail(_ message: String) {
        // Repeated failures of the same kind would fill the screen.
        if failures.count < 60 { failures.append(message) }
    }

    /// Records what is running: the supervisor shows it if the process crashes.
    func note(_ text: String) { Trail.shared.write(text) }

    /// Whether to run a case: the supervisor skips those that have crashed the process.
    func isWanted(_ name: String) -> Bool {
        note(name)
        return !Self.skipped.contains(name)
    }

    private static let skipped = Set(
        (ProcessInfo.processInfo.environment["STRESS_SKIP"] ?? "").split(separator: "\n").map(String.init))

    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    func pick<C: Collection>(_ choices: C) -> C.Element { choices.randomElement(using: &random)! }
}

/// The last case of a part, in a file that survives a crash.
final class Trail: @unchecked Sendable {
    static let shared = Trail()
    // Opened once, and written with pwrite.
    private let descriptor: CInt

    private init() {
        let path = ProcessInfo.processInfo.environment["STRESS_TRAIL"]
        descriptor = path.map { open($0, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) } ?? -1
    }

    func write(_ text: String) {
        guard descriptor >= 0 else { return }
        var bytes = Array(text.utf8.prefix(1_000))
        bytes.append(10)
        _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }
}

/// Prints a line immediately, so that it isn't lost in a crash.
func say(_ text: Any) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

/// SplitMix64.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// A folder that is deleted when it is released.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("rowan-stress-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}

/// The kinds of connections.
enum Kind: String, CaseIterable, Sendable {
    case queue, walQueue, pool

    func open(_ path: String, _ configuration: Configuration = Configuration()) throws -> any DatabaseWriter {
        var configuration = configuration
        switch self {
        case .queue: return try DatabaseQueue(path: path, configuration: configuration)
        case .walQueue:
            configuration.journalMode = .wal
            return try DatabaseQueue(path: path, configuration: configuration)
        case .pool: return try DatabasePool(path: path, configuration: configuration)
        }
    }
}

/// A value shared by threads.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value
    init(_ value: Value) { self.value = value }
    func with<T>(_ body: (inout Value) throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
    var current: Value { with { $0 } }
}

extension DatabaseWriter {
    /// Whether the writing connection is in a transaction after its accesses.
    func isInTransaction() throws -> Bool {
        try writeWithoutTransaction { db throws in db.isInsideTransaction }
    }
}

extension Database {
    func int(_ sql: String) throws -> Int { try Int.fetchOne(self, sql: sql) ?? -1 }
    func text(_ sql: String) throws -> String { try String.fetchOne(self, sql: sql) ?? "NULL" }
}

/// Runs a closure on a new thread, which it may block.
func onThread<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

/// Waits until a condition holds, because another thread may take a moment to release objects.
func eventually(_ condition: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: 1)
    while !condition() {
        if Date() >= end { return false }
        usleep(1_000)
    }
    return true
}
