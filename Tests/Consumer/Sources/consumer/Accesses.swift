// Asynchronous accesses take closures that don't escape: implicit `self` in an actor compiles, and a wrapper with such
// a parameter waits without blocking its thread. Warnings are errors here, so `await` before a synchronous overload
// fails.

import Rowan

/// An actor whose closures use its members without `self`.
actor Store {
    private let database: any DatabaseWriter
    private let increment = 1

    init(_ database: any DatabaseWriter) { self.database = database }

    func useEachAccess() async throws -> Int {
        var sum = 0
        sum += try await database.read { try count($0) + increment }
        sum += try await database.unsafeRead { try count($0) + increment }
        sum += try await database.write { try count($0) + increment }
        sum += try await database.writeWithoutTransaction { try count($0) + increment }
        sum += try await database.barrierWriteWithoutTransaction { try count($0) + increment }
        return sum
    }

    nonisolated private func count(_ db: Database) throws -> Int { try Player.fetchCount(db) }
}

/// Wrappers of each access, for a protocol and for each connection type.
struct Wrapper {
    var writer: any DatabaseWriter

    func read<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        try await writer.read(body)
    }
    func unsafeRead<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        try await writer.unsafeRead(body)
    }
    func write<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        try await writer.write(body)
    }
    func writeWithoutTransaction<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        try await writer.writeWithoutTransaction(body)
    }
    func barrier<T: Sendable>(_ body: @Sendable (Database) throws -> T) async throws -> T {
        try await writer.barrierWriteWithoutTransaction(body)
    }

    static func read<T: Sendable>(
        _ queue: DatabaseQueue, _ body: @Sendable (Database) throws -> T
    ) async throws -> T { try await queue.read(body) }

    static func write<T: Sendable>(
        _ pool: DatabasePool, _ body: @Sendable (Database) throws -> T
    ) async throws -> T { try await pool.write(body) }

    static func read<T: Sendable>(
        _ snapshot: DatabaseSnapshot, _ body: @Sendable (Database) throws -> T
    ) async throws -> T { try await snapshot.read(body) }

    static func unsafeRead<T: Sendable>(
        _ snapshot: DatabaseSnapshotPool, _ body: @Sendable (Database) throws -> T
    ) async throws -> T { try await snapshot.unsafeRead(body) }
}

/// - Returns: whether each access has returned the result of its closure.
func useAccesses(_ database: any DatabaseWriter) async throws -> Bool {
    let players = try await database.read { try Player.fetchCount($0) }
    let sum = try await Store(database).useEachAccess()
    let wrapper = Wrapper(writer: database)
    let values = [
        try await wrapper.read { _ in 1 }, try await wrapper.unsafeRead { _ in 2 }, try await wrapper.write { _ in 3 },
        try await wrapper.writeWithoutTransaction { _ in 4 }, try await wrapper.barrier { _ in 5 },
    ]
    return sum == 5 * (players + 1) && values == [1, 2, 3, 4, 5]
}
