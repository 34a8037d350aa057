// The publishers of observations, on all kinds of connections.

#if canImport(Combine)
import Combine
import Dispatch
import Foundation
import Rowan
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ObservationPublisherConcurrencyTests {
    private let queue = DispatchQueue(label: "ObservationPublisherConcurrencyTests")
    private let observation = ValueObservation.tracking { db in try db.values() }

    @Test(arguments: ConnectionKind.allCases)
    func values(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let subscriber = TestSubscriber<[Int]>()
            let publisher: DatabasePublishers.Value<[Int]> = observation.publisher(
                in: writer, scheduling: .async(onQueue: queue))
            publisher.subscribe(subscriber)
            await eventually { subscriber.entries.last == "[1, 2]" }
            try await writer.write { try $0.insert(3) }
            await eventually { subscriber.entries.last == "[1, 2, 3]" }
            subscriber.cancel()
            try await writer.write { try $0.insert(4) }
            let other = TestSubscriber<[Int]>()
            publisher.subscribe(other)
            await eventually { other.entries.last == "[1, 2, 3, 4]" }
            #expect(subscriber.entries.last == "[1, 2, 3]")
            other.cancel()
        }
    }

    /// A subscriber that requests one value at a time receives the latest one.
    @Test(arguments: ConnectionKind.allCases)
    func demand(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let starts = Log<Int>()
            let traced = observation.handleEvents(willStart: { starts.append(1) })
            let subscriber = TestSubscriber<[Int]>(demand: .none)
            traced.publisher(in: writer, scheduling: .async(onQueue: queue)).subscribe(subscriber)
            #expect(starts.elements == [])
            subscriber.request(.max(1))
            await eventually { subscriber.entries.last == "[1, 2]" }
            let seen = Log<String>()
            let cancellable = observation.start(in: writer, scheduling: .async(onQueue: queue)) { _ in
            } onChange: {
                seen.append("\($0)")
            }
            for value in 3...5 {
                try await writer.write { try $0.insert(value) }
                await eventually { seen.elements.last?.hasSuffix("\(value)]") == true }
            }
            queue.sync {}
            #expect(Set(subscriber.entries) == ["[1, 2]"])
            subscriber.request(.max(1))
            await eventually { subscriber.entries.last == "[1, 2, 3, 4, 5]" }
            #expect(starts.elements == [1])
            subscriber.onValue = { _ in .max(1) }
            subscriber.request(.max(1))
            for value in 6...8 { try await writer.write { try $0.insert(value) } }
            await eventually { subscriber.entries.last == "[1, 2, 3, 4, 5, 6, 7, 8]" }
            subscriber.cancel()
            cancellable.cancel()
        }
    }

    /// The first value is received during the subscription, and the subscriber may cancel in response.
    @Test @MainActor func immediate() throws {
        try withTable(.pool) { writer in
            let subscriber = TestSubscriber<[Int]>()
            observation.publisher(in: writer, scheduling: .immediate).subscribe(subscriber)
            #expect(subscriber.entries == ["[1, 2]"])
            subscriber.cancel()
            let once = TestSubscriber<[Int]>()
            let cancels = Log<Int>()
            once.onValue = { [unowned once] _ in
                once.cancel()
                return .none
            }
            observation.handleEvents(didCancel: { cancels.append(1) })
                .publisher(in: writer, scheduling: .immediate).subscribe(once)
            #expect(once.entries == ["[1, 2]"])
            #expect(cancels.elements == [1])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func failures(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let failing = ValueObservation.tracking { db -> Int in
                if try db.values().count > 2 { throw Refusal() }
                return 1
            }
            let subscriber = TestSubscriber<Int>()
            failing.publisher(in: writer, scheduling: .async(onQueue: queue)).subscribe(subscriber)
            await eventually { !subscriber.entries.isEmpty }
            try await writer.write { try $0.insert(3) }
            await subscriber.completed()
            #expect(subscriber.entries.last == "failure")
            #expect(subscriber.error is Refusal)
        }
    }

    /// A cancelled subscription releases the subscriber, the observation, and its database.
    @Test(arguments: ConnectionKind.allCases)
    func releases(_ kind: ConnectionKind) async throws {
        let folder = try TemporaryFolder()
        let cancels = Log<Int>()
        weak var weakWriter: (any DatabaseWriter)?
        weak var weakSubscriber: TestSubscriber<Int>?
        do {
            let writer = try kind.make(in: folder)
            weakWriter = writer
            let subscriber = TestSubscriber<Int>()
            weakSubscriber = subscriber
            ValueObservation.tracking { db in try Int.fetchOne(db, sql: "SELECT 1")! }
                .handleEvents(didCancel: { cancels.append(1) })
                .publisher(in: writer, scheduling: .async(onQueue: queue)).subscribe(subscriber)
            await eventually { subscriber.entries == ["1"] }
            subscriber.cancel()
        }
        #expect(cancels.elements == [1])
        await eventually { weakSubscriber == nil && weakWriter == nil }
        #expect(weakSubscriber == nil)
        #expect(weakWriter == nil)
    }

    @Test(arguments: ConnectionKind.allCases)
    func sharedObservations(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let starts = Log<Int>()
            let shared = observation.handleEvents(willStart: { starts.append(1) })
                .shared(in: writer, scheduling: .async(onQueue: queue))
            let subscribers = (0..<3).map { _ in TestSubscriber<[Int]>() }
            for subscriber in subscribers { shared.publisher().subscribe(subscriber) }
            for subscriber in subscribers { await eventually { subscriber.entries.last == "[1, 2]" } }
            try await writer.write { try $0.insert(3) }
            for subscriber in subscribers { await eventually { subscriber.entries.last == "[1, 2, 3]" } }
            #expect(starts.elements == [1])
            for subscriber in subscribers { subscriber.cancel() }
        }
    }

    // MARK: Regions

    @Test(arguments: ConnectionKind.allCases)
    func regions(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            try await writer.write { try $0.execute(sql: "CREATE TABLE u(x)") }
            let counts = Log<Int>()
            let subscriber = TestSubscriber<Database>(demand: .max(2))
            subscriber.onValue = { db in
                counts.append((try? db.values().count) ?? -1)
                return .none
            }
            let publisher: DatabasePublishers.DatabaseRegion = DatabaseRegionObservation(tracking: Table("t"))
                .publisher(in: writer)
            publisher.subscribe(subscriber)
            try await writer.write { try $0.insert(3) }
            #expect(counts.elements == [3])
            try await writer.write { try $0.execute(sql: "INSERT INTO u VALUES (1)") }
            try await writer.write { try $0.insert(4) }
            #expect(counts.elements == [3, 4])
            // Without demand, transactions are missed.
            try await writer.write { try $0.insert(5) }
            #expect(counts.elements == [3, 4])
            subscriber.request(.unlimited)
            try await writer.write { try $0.insert(6) }
            #expect(counts.elements == [3, 4, 6])
            subscriber.cancel()
            try await writer.write { try $0.insert(7) }
            #expect(counts.elements == [3, 4, 6])
            try writer.close()
            let closed = TestSubscriber<Database>()
            publisher.subscribe(closed)
            #expect((closed.error as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
        }
    }
}
#endif
