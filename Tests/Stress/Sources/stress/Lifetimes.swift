// Objects captured by an access are released at each of its ends: completed, thrown, cancelled before, while waiting,
// while running. So are the connection and its descriptors.

import Foundation
import Rowan

extension Part {
    static let lifetimes = Part(
        name: "lifetimes", summary: "captured objects and descriptors of every access verb, at each of its ends"
    ) { run in
        // A process's first asynchronous access and first timers open permanent descriptors of the system.
        let first = try DatabaseQueue()
        _ = try await first.read { try $0.int("SELECT 1") }
        try await Task.sleep(for: .milliseconds(1))
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
        }
        for kind in Kind.allCases {
            for verb in Verb.allCases {
                for end in verb.ends where run.isWanted("\(kind) \(verb) \(end)") {
                    run.count("ends")
                    try await lifetime(run, kind, verb, end)
                }
            }
            if run.isWanted("\(kind): closures of the connection") { try closures(run, kind) }
        }
    }
}

/// An object that counts its instances.
private final class Token: Sendable {
    static let alive = Locked(0)
    init() { Self.alive.with { $0 += 1 } }
    deinit { Self.alive.with { $0 -= 1 } }
    func touch() {}
}

private enum End: CaseIterable { case done, thrown, cancelledBefore, cancelledWaiting, cancelledRunning }

private struct Failure: Error {}

private enum Verb: CaseIterable {
    case read, unsafeRead, unsafeReentrantRead, write, writeWithoutTransaction, barrierWrite, unsafeReentrantWrite
    case readAsync, unsafeReadAsync, writeAsync, writeWithoutTransactionAsync, barrierWriteAsync
    case asyncRead, asyncUnsafeRead, asyncWrite, asyncWriteWithoutTransaction, asyncBarrierWrite, spawnConcurrentRead

    var isTask: Bool {
        switch self {
        case .readAsync, .unsafeReadAsync, .writeAsync, .writeWithoutTransactionAsync, .barrierWriteAsync: true
        default: false
        }
    }

    var isSync: Bool {
        switch self {
        case .read, .unsafeRead, .unsafeReentrantRead, .write, .writeWithoutTransaction, .barrierWrite,
            .unsafeReentrantWrite:
            true
        default: false
        }
    }

    var ends: [End] { isTask ? End.allCases : isSync || self == .asyncWrite ? [.done, .thrown] : [.done] }

    /// Runs an access to its end.
    func run(_ writer: any DatabaseWriter, _ body: @escaping @Sendable (Database) throws -> Int) async {
        if isSync { return await onThread { _ = try? callSync(writer, body) } }
        if isTask {
            _ = try? await callAsync(writer, body)
            return
        }
        await withCheckedContinuation { continuation in
            let done: @Sendable () -> Void = { continuation.resume() }
            callBack(writer, body, done)
        }
    }

    private func callSync(_ writer: any DatabaseWriter, _ body: (Database) throws -> Int) throws -> Int {
        switch self {
        case .read: try writer.read(body)
        case .unsafeRead: try writer.unsafeRead(body)
        case .unsafeReentrantRead: try writer.unsafeReentrantRead(body)
        case .write: try writer.write(body)
        case .writeWithoutTransaction: try writer.writeWithoutTransaction(body)
        case .barrierWrite: try writer.barrierWriteWithoutTransaction(body)
        default: try writer.unsafeReentrantWrite(body)
        }
    }

    func callAsync(
        _ writer: any DatabaseWriter, _ body: @escaping @Sendable (Database) throws -> Int
    ) async throws -> Int {
        switch self {
        case .readAsync: try await writer.read(body)
        case .unsafeReadAsync: try await writer.unsafeRead(body)
        case .writeAsync: try await writer.write(body)
        case .writeWithoutTransactionAsync: try await writer.writeWithoutTransaction(body)
        default: try await writer.barrierWriteWithoutTransaction(body)
        }
    }

    private func callBack(
        _ writer: any DatabaseWriter, _ body: @escaping @Sendable (Database) throws -> Int,
        _ done: @escaping @Sendable () -> Void
    ) {
        switch self {
        case .asyncRead:
            writer.asyncRead { result in
                _ = try? body(result.get())
                done()
            }
        case .asyncUnsafeRead:
            writer.asyncUnsafeRead { result in
                _ = try? body(result.get())
                done()
            }
        case .asyncWrite: writer.asyncWrite(body) { _, _ in done() }
        case .asyncWriteWithoutTransaction:
            writer.asyncWriteWithoutTransaction { db in
                _ = try? body(db)
                done()
            }
        case .asyncBarrierWrite:
            writer.asyncBarrierWriteWithoutTransaction { result in
                _ = try? body(result.get())
                done()
            }
        default:
            Thread.detachNewThread {
                try? writer.writeWithoutTransaction { _ throws in
                    writer.spawnConcurrentRead { result in
                        _ = try? body(result.get())
                        done()
                    }
                }
            }
        }
    }
}

private func descriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}

private func lifetime(_ run: Run, _ kind: Kind, _ verb: Verb, _ end: End) async throws {
    // Objects retained by an earlier case have already been counted.
    let (before, kept) = (descriptors(), Token.alive.current)
    let count = 4
    for number in 0..<count {
        let path = run.folder.path("\(kind)-\(number).sqlite")
        try await access(kind, verb, end, path)
    }
    let name = "\(kind) \(verb), \(end)"
    let areFreed = eventually { Token.alive.current <= kept }
    run.expect(areFreed, "\(name): \(Token.alive.current - kept) of \(count) captured objects are kept")
    let areClosed = eventually { descriptors() <= before }
    run.expect(areClosed, "\(name): \(descriptors() - before) descriptors stay open after \(count) connections")
}

private func access(_ kind: Kind, _ verb: Verb, _ end: End, _ path: String) async throws {
    var configuration = Configuration()
    configuration.maximumReaderCount = 1
    let writer = try kind.open(path, configuration)
    try prepare(writer)
    let token = Token()
    let body: @Sendable (Database) throws -> Int = { [token] db in
        token.touch()
        if end == .thrown { throw Failure() }
        guard end == .cancelledRunning else { return try db.int("SELECT count(*) FROM t") }
        return try db.int("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c")
    }
    switch end {
    case .done, .thrown: await verb.run(writer, body)
    case .cancelledBefore:
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await verb.callAsync(writer, body)
        }
        _ = await task.result
    case .cancelledWaiting:
        try await whileOccupied(kind, writer) {
            let task = Task { try await verb.callAsync(writer, body) }
            usleep(2_000)
            task.cancel()
            return task
        }
    case .cancelledRunning:
        let isRunning = Locked(false)
        let task = Task {
            try await verb.callAsync(writer) { db in
                isRunning.with { $0 = true }
                return try body(db)
            }
        }
        _ = eventually { isRunning.current }
        usleep(1_000)
        task.cancel()
        // Lost cancellations are tested by another part.
        Thread.detachNewThread { [weak writer] in
            for _ in 0..<100 {
                usleep(20_000)
                writer?.interrupt()
            }
        }
        _ = await task.result
    }
}

/// A synchronous access, so that there is no other asynchronous one.
private func prepare(_ writer: any DatabaseWriter) throws {
    try writer.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t(x)") }
}

/// Other accesses hold the connections while the closure starts a task, until it has finished or 50 ms have passed.
private func whileOccupied(
    _ kind: Kind, _ writer: any DatabaseWriter, _ body: () async throws -> Task<Int, any Error>
) async throws {
    let gate = DispatchSemaphore(value: 0)
    let isHeld = DispatchSemaphore(value: 0)
    let isPool = kind == .pool
    Thread.detachNewThread {
        writer.writeWithoutTransaction { _ in
            isHeld.signal()
            gate.wait()
        }
    }
    if isPool {
        Thread.detachNewThread {
            try? writer.unsafeRead { _ in
                isHeld.signal()
                gate.wait()
            }
        }
    }
    for _ in 0..<(isPool ? 2 : 1) { await onThread { isHeld.wait() } }
    let task = try await body()
    Thread.detachNewThread {
        usleep(20_000)
        for _ in 0..<(isPool ? 2 : 1) { gate.signal() }
    }
    _ = await task.result
}

/// Objects passed to a connection are released with it: setups, functions, collations, traces.
private func closures(_ run: Run, _ kind: Kind) throws {
    let before = descriptors()
    for isClosed in [false, true] {
        let kept = Token.alive.current
        try scoped {
            let token = Token()
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                db.add(
                    function: DatabaseFunction("f") { _ in
                        token.touch(); return 1
                    })
                db.add(
                    collation: DatabaseCollation("c") {
                        token.touch(); return $0.compare($1)
                    })
                db.trace { _ in token.touch() }
            }
            let writer = try kind.open(run.folder.path("closures-\(kind).sqlite"), configuration)
            try writer.write { db in
                db.afterNextTransaction { _ in token.touch() }
                _ = try db.int("SELECT f() ORDER BY 'a' COLLATE c")
            }
            _ = try writer.read { try $0.int("SELECT f()") }
            if isClosed { try writer.close() }
        }
        let areFreed = eventually { Token.alive.current <= kept }
        run.expect(areFreed, "\(kind): closures are kept\(isClosed ? " after close" : "")")
    }
    run.expect(eventually { descriptors() <= before }, "\(kind): descriptors stay open")
}

/// Releases all objects created by the closure.
private func scoped(_ body: () throws -> Void) rethrows { try body() }
