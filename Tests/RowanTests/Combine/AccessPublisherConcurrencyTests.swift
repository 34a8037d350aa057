// The publishers of accesses, on all kinds of connections.

#if canImport(Combine)
import Combine
import Dispatch
import Rowan
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AccessPublisherConcurrencyTests {
    private static let queue = DispatchQueue(label: "AccessPublisherConcurrencyTests")

    @Test(arguments: ConnectionKind.allCases)
    func reads(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let subscriber = TestSubscriber<[Int]>()
            let publisher: DatabasePublishers.Read<[Int]> = writer.readPublisher(receiveOn: Self.queue) { db in
                try db.values()
            }
            try await writer.write { try $0.insert(3) }
            // The access begins with the subscription.
            publisher.subscribe(subscriber)
            await subscriber.completed()
            #expect(subscriber.entries == ["[1, 2, 3]", "finished"])
            // Another subscription is another access.
            try await writer.write { try $0.insert(4) }
            let other = TestSubscriber<[Int]>()
            publisher.subscribe(other)
            await other.completed()
            #expect(other.entries == ["[1, 2, 3, 4]", "finished"])
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func failures(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let subscriber = TestSubscriber<Void>()
            writer.readPublisher(receiveOn: Self.queue) { db in try db.insert(3) }.subscribe(subscriber)
            await subscriber.completed()
            #expect((subscriber.error as? DatabaseError)?.resultCode == .SQLITE_READONLY)
            let refused = TestSubscriber<Void>()
            writer.writePublisher(receiveOn: Self.queue) { db in
                try db.insert(3)
                throw Refusal()
            }.subscribe(refused)
            await refused.completed()
            #expect(refused.error is Refusal)
            try #expect(await writer.values() == [1, 2])
            try writer.close()
            let closed = TestSubscriber<Int>()
            writer.writePublisher(
                receiveOn: Self.queue, updates: { db in try db.insert(3) }, thenRead: { _, _ in 1 }
            ).subscribe(closed)
            await closed.completed()
            #expect((closed.error as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func writes(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let subscriber = TestSubscriber<Int>()
            let publisher: DatabasePublishers.Write<Int> = writer.writePublisher(receiveOn: Self.queue) { db -> Int in
                try db.insert(3)
                return try db.values().count
            }
            publisher.subscribe(subscriber)
            await subscriber.completed()
            #expect(subscriber.entries == ["3", "finished"])
            let reading = TestSubscriber<[Int]>()
            let thenRead: DatabasePublishers.Write<[Int]> = writer.writePublisher(
                receiveOn: Self.queue,
                updates: { db in
                    try db.insert(4); return 10
                },
                thenRead: { db, number in try db.values() + [number] })
            thenRead.subscribe(reading)
            await reading.completed()
            #expect(reading.entries == ["[1, 2, 3, 4, 10]", "finished"])
        }
    }

    /// Nothing starts without demand, and nothing is received after a cancellation.
    @Test(arguments: ConnectionKind.allCases)
    func demandAndCancellation(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            let subscriber = TestSubscriber<Void>(demand: .none)
            let publisher = writer.writePublisher(receiveOn: Self.queue) { db in try db.insert(3) }
            publisher.subscribe(subscriber)
            try #expect(await writer.values() == [1, 2])
            subscriber.request(.max(1))
            subscriber.request(.max(1))
            await subscriber.completed()
            #expect(subscriber.entries == ["()", "finished"])
            try #expect(await writer.values() == [1, 2, 3])

            // The write is running when the subscription is cancelled: it finishes without notifying the subscriber.
            let (began, goesOn) = (Gate(), Gate())
            let cancelled = TestSubscriber<Void>()
            writer.writePublisher(receiveOn: Self.queue) { db in
                began.open()
                goesOn.wait()
                try db.insert(4)
            }.subscribe(cancelled)
            await began.opened()
            cancelled.cancel()
            goesOn.open()
            try #expect(await writer.values().count >= 3)
            try await writer.writeWithoutTransaction { _ in }
            Self.queue.sync {}
            #expect(cancelled.entries == [])
            try #expect(await writer.values() == [1, 2, 3, 4])
        }
    }

    /// A cancelled subscription releases its subscriber immediately.
    @Test func releases() async throws {
        try await withTable(.pool) { writer in
            let (began, goesOn) = (Gate(), Gate())
            weak var weakSubscriber: TestSubscriber<Void>?
            do {
                let subscriber = TestSubscriber<Void>()
                weakSubscriber = subscriber
                writer.writePublisher(receiveOn: Self.queue) { _ in
                    began.open()
                    goesOn.wait()
                }.subscribe(subscriber)
                await began.opened()
                subscriber.cancel()
            }
            #expect(weakSubscriber == nil)
            goesOn.open()
        }
    }

    @Test(arguments: ConnectionKind.allCases)
    func migrations(_ kind: ConnectionKind) async throws {
        try await withTable(kind) { writer in
            var migrator = DatabaseMigrator()
            migrator.registerMigration("v1") { db in try db.insert(3) }
            let subscriber = TestSubscriber<Void>()
            let publisher: DatabasePublishers.Migrate = migrator.migratePublisher(writer, receiveOn: Self.queue)
            publisher.subscribe(subscriber)
            await subscriber.completed()
            #expect(subscriber.entries == ["()", "finished"])
            try #expect(await writer.values() == [1, 2, 3])
            migrator.registerMigration("v2") { _ in throw Refusal() }
            let failing = TestSubscriber<Void>()
            migrator.migratePublisher(writer, receiveOn: Self.queue).subscribe(failing)
            await failing.completed()
            #expect(failing.error is Refusal)
        }
    }

    /// The default is the main queue, and the subscriber may be a closure.
    @Test func sinks() async throws {
        try await withTable(.pool) { writer in
            let values = Log<String>()
            let gate = Gate()
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            let cancellable = writer.readPublisher { db in try db.values() }
                .map { "\($0)" }
                .sink { completion in
                    values.append("\(completion) \(DispatchQueue.getSpecific(key: key) == true)")
                    gate.open()
                } receiveValue: {
                    values.append($0)
                }
            await gate.opened()
            #expect(values.elements == ["[1, 2]", "finished true"])
            cancellable.cancel()
        }
    }
}
#endif
