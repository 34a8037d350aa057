// Deltas: applied one after another, they give the same arrays as full fetches.

import Dispatch
import Foundation
import Testing

@testable import Rowan

struct ArrayDeltaTests {
    struct Item: Identifiable, Hashable, Codable, FetchableRecord, Sendable {
        static let databaseTableName = "item"
        var id: Int
        var rank: Int
        var name: String
    }

    private func delta(_ old: [Item], _ new: [Item]) -> ArrayDelta<Item> {
        ArrayDelta(from: old, to: new, by: \.id, areEqual: ==)
    }

    private func items(_ ids: Int...) -> [Item] { ids.map { Item(id: $0, rank: 0, name: "") } }

    @Test func insertionsAndDeletions() {
        let delta = delta(items(1, 2, 3), items(0, 2, 3, 4))
        #expect(delta.deletions.map(\.index) == [0])
        #expect(delta.deletions.map(\.element.id) == [1])
        #expect(delta.insertions.map(\.index) == [0, 3])
        #expect(delta.insertions.map(\.element.id) == [0, 4])
        #expect(delta.moves.isEmpty)
        #expect(delta.updates.isEmpty)
        #expect(delta.elements == items(0, 2, 3, 4))
    }

    @Test func movesAreAsFewAsPossible() {
        let delta = delta(items(1, 2, 3, 4, 5), items(5, 1, 2, 3, 4))
        #expect(delta.moves.map(\.from) == [4])
        #expect(delta.moves.map(\.to) == [0])
        #expect(delta.moves.map(\.element.id) == [5])
        #expect(delta.insertions.isEmpty && delta.deletions.isEmpty && delta.updates.isEmpty)
    }

    @Test func anElementMovesAndChanges() {
        var (old, new) = (items(1, 2, 3), items(3, 1, 2))
        old[2].name = "c"
        new[0].name = "C"
        let delta = delta(old, new)
        #expect(delta.moves.map(\.from) == [2])
        #expect(delta.moves.map(\.element.name) == ["C"])
        #expect(delta.updates.map(\.index) == [0])
        #expect(delta.updates.map(\.old.name) == ["c"])
        #expect(delta.updates.map(\.new.name) == ["C"])
        var applied = old
        delta.apply(to: &applied)
        #expect(applied == new)
    }

    @Test func nothingChanges() {
        #expect(delta(items(1, 2), items(1, 2)).isEmpty)
        #expect(delta([], []).isEmpty)
    }

    @Test func elementsWithOneKeyAreToldApartByTheirOrder() {
        var (old, new) = (items(1, 1, 1), items(1, 1))
        for index in old.indices { old[index].rank = index }
        new[1].rank = 1
        let delta = delta(old, new)
        #expect(delta.deletions.map(\.index) == [2])
        #expect(delta.updates.isEmpty && delta.moves.isEmpty)
    }

    /// The minimal number of moves is the number of elements outside a longest increasing subsequence, which a slower
    /// algorithm finds.
    private func leastMoveCount(_ old: [Item], _ new: [Item]) -> Int {
        let indices = Dictionary(uniqueKeysWithValues: old.enumerated().map { ($1.id, $0) })
        let kept = new.compactMap { indices[$0.id] }
        var lengths: [Int] = []
        for (index, number) in kept.enumerated() {
            let before = (0..<index).filter { kept[$0] < number }.map { lengths[$0] }
            lengths.append((before.max() ?? 0) + 1)
        }
        return kept.count - (lengths.max() ?? 0)
    }

    @Test(arguments: 0..<UInt64(40))
    func deltasOfRandomArrays(_ seed: UInt64) {
        var random = SeededGenerator(seed)
        for _ in 0..<100 {
            let hasDuplicates = Bool.random(using: &random)
            func array(_ random: inout SeededGenerator) -> [Item] {
                let ids = (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0...14, using: &random)
                }
                let keys = hasDuplicates ? ids : Array(Set(ids)).shuffled(using: &random)
                return keys.map { Item(id: $0, rank: Int.random(in: 0...1, using: &random), name: "") }
            }
            let (old, new) = (array(&random), array(&random))
            let delta = delta(old, new)
            var applied = old
            delta.apply(to: &applied)
            #expect(applied == new, "seed \(random.seed): \(old) to \(new)")
            #expect(delta.isEmpty == (old == new))
            if !hasDuplicates { #expect(delta.moves.count == leastMoveCount(old, new), "seed \(random.seed)") }
            for update in delta.updates { #expect(update.old.id == update.new.id && update.old != update.new) }
        }
    }

    @Test func manyElementsTakeLittleTime() {
        // Quadratic work on 50,000 elements would exceed the test's time limit.
        let old = (0..<50_000).map { Item(id: $0, rank: 0, name: "") }
        let delta = delta(old, old.reversed())
        #expect(delta.moves.count == 49_999)
        var applied = old
        delta.apply(to: &applied)
        #expect(applied == old.reversed())
    }
}

@Suite(.timeLimit(.minutes(5)), .tags(.runsOnClusters))
struct ObservedDeltaConcurrencyTests {
    typealias Item = ArrayDeltaTests.Item

    /// Applies the deltas notified by an observation.
    private final class Model: Sendable {
        let state = Mutex<(items: [Item], deltaCount: Int, isEqual: Bool)>(([], 0, true))
        var items: [Item] { state.withLock { $0.items } }

        func apply(_ delta: ArrayDelta<Item>) {
            state.withLock { state in
                delta.apply(to: &state.items)
                state.deltaCount += 1
                if state.items != delta.elements { state.isEqual = false }
            }
        }
    }

    private func fetch(_ db: Database) throws -> [Item] {
        try Item.fetchAll(db, sql: "SELECT * FROM item ORDER BY rank, id")
    }

    @Test(arguments: ConnectionKind.allCases, [UInt64(1), 2, 3])
    func appliedDeltasEqualWholeFetches(_ kind: ConnectionKind, _ seed: UInt64) async throws {
        try await withTable(kind) { writer in
            try await writer.write { db in
                try db.execute(sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, rank INTEGER, name TEXT)")
            }
            let model = Model()
            let observation = ValueObservation.tracking { try self.fetch($0) }.deltas()
            let cancellable = observation.start(
                in: writer, scheduling: .task, onError: { Issue.record($0) }, onChange: { model.apply($0) })
            await eventually { model.state.withLock { $0.deltaCount } == 1 }
            var random = SeededGenerator(seed)
            for step in 0..<80 {
                let (id, rank) = (Int.random(in: 1...30, using: &random), Int.random(in: 0...9, using: &random))
                let sql = [
                    "INSERT OR REPLACE INTO item VALUES (\(id), \(rank), 'n\(step)')",
                    "DELETE FROM item WHERE id = \(id)", "UPDATE item SET rank = \(rank) WHERE id = \(id)",
                    "UPDATE item SET name = 'u\(step)' WHERE id % 5 = \(id % 5)",
                    "UPDATE item SET rank = 9 - rank", "DELETE FROM item WHERE rank = \(rank)",
                ].randomElement(using: &random)!
                try await writer.write { try $0.execute(sql: sql) }
                if step % 10 == 0 { await Task.yield() }
            }
            let expected = try await writer.read { try self.fetch($0) }
            await eventually { model.items == expected }
            #expect(model.items == expected, "seed \(random.seed)")
            #expect(model.state.withLock { $0.isEqual })
            #expect(model.state.withLock { $0.deltaCount } > 1)
            cancellable.cancel()
        }
    }

    /// A scheduler that notifies the first value immediately, on any thread.
    private struct ImmediateScheduler: ValueObservationScheduler {
        let queue: DispatchQueue
        func immediateInitialValue() -> Bool { true }
        func schedule(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }
    }

    /// Values fetched while the first one is being delivered come after it.
    @Test(arguments: ConnectionKind.allCases)
    func immediateStartsUnderWrites(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { db in
                try db.execute(sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, rank INTEGER, name TEXT)")
            }
            let observation = ValueObservation.tracking { try self.fetch($0) }.deltas()
            for round in 0..<20 {
                let model = Model()
                async let writes: Void = onThread {
                    for step in 0..<4 {
                        try writer.write { db in
                            try db.execute(
                                sql: "INSERT INTO item VALUES (?, ?, '')", arguments: [round * 4 + step, step])
                            if step == 2 { try db.execute(sql: "UPDATE item SET rank = 9 - rank") }
                        }
                    }
                }
                let cancellable = try await onThread {
                    observation.start(
                        in: writer, scheduling: ImmediateScheduler(queue: DispatchQueue(label: "immediate")),
                        onError: { Issue.record($0) }, onChange: { model.apply($0) })
                }
                try await writes
                let expected = try await writer.read { try self.fetch($0) }
                await eventually { model.items == expected }
                #expect(model.items == expected, "round \(round)")
                #expect(model.state.withLock { $0.isEqual })
                cancellable.cancel()
            }
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func anEmptyTableIsNotifiedOnce(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { try $0.execute(sql: "DELETE FROM t") }
            let recorder = ValueObservation.tracking { try $0.values() }.deltas(by: { $0 }).record(in: writer)
            await eventually { recorder.values.count == 1 }
            try await writer.fence()
            #expect(recorder.values.first?.isEmpty == true)
            // This does not change the values.
            try await writer.write { db in
                try db.insert(1)
                try db.execute(sql: "DELETE FROM t")
            }
            try await writer.write { try $0.insert(7) }
            await eventually { recorder.values.count == 2 }
            #expect(recorder.values.last?.insertions.map(\.element) == [7])
            #expect(recorder.values.count == 2)
            recorder.cancel()
        }
    }

    /// A slow program misses no delta: arrays are compared in the order of their notifications.
    @Test func aSlowProgramMissesNothing() async throws {
        try await withTable(.pool) { writer in
            let (sum, mayGoOn, isWaiting) = (Mutex<[Int]>([]), Gate(), Gate())
            let queue = DispatchQueue(label: "slow")
            let recorder = Recorder<[Int]>()
            let observation = ValueObservation.tracking { try $0.values() }.deltas(by: { $0 }).map { delta in
                sum.withLock { values in
                    delta.apply(to: &values)
                    return values
                }
            }
            queue.async {
                isWaiting.open()
                mayGoOn.wait()
            }
            await isWaiting.opened()
            recorder.start(observation, in: writer, on: queue)
            for value in 3...40 { try await writer.write { try $0.insert(value) } }
            mayGoOn.open()
            await eventually { recorder.values.last?.count == 40 }
            #expect(recorder.values.last == Array(1...40))
            recorder.cancel()
        }
    }
}
