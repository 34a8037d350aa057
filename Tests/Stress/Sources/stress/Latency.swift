// The duration of a write while readers are blocked in their transactions, and while they are busy: printed, not
// checked.

import Foundation
import Rowan

extension Part {
    static let latency = Part(
        name: "latency", summary: "the time of a write beside blocked and busy readers (printed only)", weight: 0.6
    ) { run in
        run.note("latency")
        let path = run.folder.path("latency.sqlite")
        var configuration = Configuration()
        configuration.maximumReaderCount = 8
        let pool = try DatabasePool(path: path, configuration: configuration)
        try await pool.write { db in
            try db.execute(sql: "CREATE TABLE t(x); CREATE TABLE fixed(x)")
            for number in 0..<500 { try db.execute(sql: "INSERT INTO fixed VALUES (?)", arguments: [number]) }
        }
        let seconds = min(1, max(0.2, run.deadline.timeIntervalSinceNow / 4))
        say("latency, alone: \(try await times(run, pool, seconds))")

        // Readers that wait inside their transactions.
        let gate = DispatchSemaphore(value: 0)
        let isReading = DispatchSemaphore(value: 0)
        for _ in 0..<4 {
            pool.asyncRead { result in
                _ = try? result.get().int("SELECT count(*) FROM t")
                isReading.signal()
                gate.wait()
            }
        }
        for _ in 0..<4 { await wait(isReading) }
        say("latency, 4 blocked readers: \(try await times(run, pool, seconds))")
        for _ in 0..<4 { gate.signal() }

        let isOver = Locked(false)
        let readers = (0..<4).map { _ in
            Task {
                while !isOver.current {
                    _ = try await pool.read { try $0.int("SELECT count(*) FROM fixed a, fixed b WHERE a.x < b.x") }
                }
            }
        }
        say("latency, 4 busy readers: \(try await times(run, pool, seconds))")
        isOver.with { $0 = true }
        for reader in readers { _ = await reader.result }
    }
}

private func wait(_ semaphore: DispatchSemaphore) async {
    await onThread { semaphore.wait() }
}

private func times(_ run: Run, _ pool: DatabasePool, _ seconds: Double) async throws -> String {
    var times: [Double] = []
    let end = Date(timeIntervalSinceNow: seconds)
    while times.count < 10 || Date() < end {
        let start = DispatchTime.now().uptimeNanoseconds
        try await pool.write { try $0.execute(sql: "INSERT INTO t VALUES (-1)") }
        times.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1_000_000)
    }
    run.count("writes", times.count)
    times.sort()
    func at(_ part: Double) -> String { String(format: "%.2f", times[Int(Double(times.count - 1) * part)]) }
    return "\(times.count) writes; median \(at(0.5)) ms, 99 % \(at(0.99)) ms, longest \(at(1)) ms"
}
