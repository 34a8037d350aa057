// The access that uses a connection, its start and its call site: readable from any thread without stopping the access.

import Dispatch
import RowanPlatform
import Synchronization

/// A place in the source code of a program.
public struct CallSite: Sendable, Hashable, CustomStringConvertible {
    /// The module and the file: `App/PlayerStore.swift`.
    public let fileID: String
    /// The line number.
    public let line: Int

    /// `App/PlayerStore.swift:42`.
    public var description: String { "\(fileID):\(line)" }
}

/// The call site of an access. It costs nothing until it is shown.
struct StaticCallSite: Sendable {
    /// The address of a NUL-terminated static string, or 0.
    fileprivate let file: UInt
    fileprivate let line: UInt

    /// - Parameter fileID: the default value `#fileID`.
    init(_ fileID: StaticString, _ line: UInt) {
        // A single Unicode scalar has no address and is not a file.
        file = fileID.hasPointerRepresentation ? UInt(bitPattern: fileID.utf8Start) : 0
        self.line = line
    }

    fileprivate init(file: UInt, line: UInt) { (self.file, self.line) = (file, line) }

    /// An access that Rowan begins itself.
    static let unknown = StaticCallSite(file: 0, line: 0)

    var callSite: CallSite? {
        guard let pointer = UnsafePointer<UInt8>(bitPattern: file) else { return nil }
        return CallSite(fileID: String(cString: pointer), line: Int(line))
    }
}

/// The access that uses a connection. One thread writes it, and others may read it concurrently.
///
/// A read while the access finishes may return the beginning of the next access.
final class AccessRecord: Sendable {
    private let beginning = Atomic<UInt64>(0)
    private let file = Atomic<UInt>(0)
    private let line = Atomic<UInt>(0)
    private let lastSQL = Mutex<String?>(nil)
    private let hasSQL = Atomic(false)

    /// Called when an access begins.
    func begin(_ site: StaticCallSite) {
        file.store(site.file, ordering: .relaxed)
        line.store(site.line, ordering: .relaxed)
        if hasSQL.load(ordering: .relaxed) { lastSQL.withLock { $0 = nil } }
        beginning.store(Uptime.coarse, ordering: .releasing)
    }

    /// Called when the access has finished.
    func end() { beginning.store(0, ordering: .relaxed) }

    /// Called when the access runs a statement.
    func run(_ sql: String) {
        hasSQL.store(true, ordering: .relaxed)
        lastSQL.withLock { $0 = sql }
    }

    /// The recorded properties of the access; nil between two accesses.
    var current: (beginning: UInt64, site: StaticCallSite, sql: String?)? {
        let beginning = beginning.load(ordering: .acquiring)
        guard beginning != 0 else { return nil }
        let site = StaticCallSite(file: file.load(ordering: .relaxed), line: line.load(ordering: .relaxed))
        return (beginning, site, lastSQL.withLock { $0 })
    }
}

/// Nanoseconds of a monotonic clock.
enum Uptime {
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// The uptime in steps of some milliseconds, which is almost free to read.
    static var coarse: UInt64 {
        #if os(Linux)
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
        #else
        return now
        #endif
    }

    static func duration(from start: UInt64, to end: UInt64) -> Duration {
        .nanoseconds(end > start ? Int64(clamping: end - start) : 0)
    }
}

extension Duration {
    /// The number of nanoseconds; 0 for negative durations and the largest number for infinite ones.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return .max }
        let (sum, isEndless) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return isEndless ? .max : sum
    }
}
