// The publishers of a database, where the system has Combine. A subscription is one access or one observation.

#if canImport(Combine)
public import Combine

/// The types of the publishers: see ``DatabaseReader/readPublisher(receiveOn:value:)``,
/// ``DatabaseWriter/writePublisher(receiveOn:updates:)``, ``DatabaseMigrator/migratePublisher(_:receiveOn:)``,
/// ``ValueObservation/publisher(in:scheduling:)`` and ``DatabaseRegionObservation/publisher(in:)``.
///
/// All of them can be subscribed to from any thread, except for observations with `.immediate`, whose subscriber
/// requests its first value on the main thread. They start when the subscriber requests its first value. A cancelled
/// subscription delivers nothing more.
public enum DatabasePublishers {
    /// Publishes the result of a read and completes.
    public typealias Read<Output: Sendable> = Access<Output>
    /// Publishes the result of a write and completes.
    public typealias Write<Output: Sendable> = Access<Output>
    /// Publishes the end of the migrations and completes.
    public typealias Migrate = Access<Void>

    /// Publishes the result of an access and completes.
    ///
    /// Each subscription is a separate access. A cancelled access still runs but publishes nothing.
    public struct Access<Output: Sendable>: Publisher {
        /// The error of the access.
        public typealias Failure = any Error

        let schedule: AccessSchedule
        let run: AccessRun<Output>

        /// Adds a subscriber.
        public func receive<S: Subscriber<Output, any Error>>(subscriber: S) {
            subscriber.receive(subscription: AccessSubscription(Downstream(subscriber), schedule, run))
        }
    }

    /// Publishes observed values until an error ends the observation.
    ///
    /// A subscriber that has not requested more values receives the last one when it does.
    public struct Value<Output: Sendable>: Publisher, Sendable {
        /// The error that ends the observation.
        public typealias Failure = any Error

        let scheduler: any ValueObservationScheduler
        let start: AsyncValueObservation<Output>.Start

        /// Adds a subscriber.
        public func receive<S: Subscriber<Output, any Error>>(subscriber: S) {
            subscriber.receive(subscription: ValueSubscription(Downstream(subscriber), scheduler, start))
        }
    }

    /// Publishes the connection after each transaction that changed a region, inside the access that committed it.
    ///
    /// A subscriber that has not requested more values misses the transaction.
    public struct DatabaseRegion: Publisher, Sendable {
        /// The connection that committed.
        public typealias Output = Database
        /// The error of a region that can't be prepared, or of a closed connection.
        public typealias Failure = any Error

        let observation: DatabaseRegionObservation
        let writer: any DatabaseWriter

        /// Adds a subscriber.
        public func receive<S: Subscriber<Database, any Error>>(subscriber: S) {
            subscriber.receive(subscription: RegionSubscription(Downstream(subscriber), observation, writer))
        }
    }
}
#endif
