// A subscriber that requests values on the test's demand.

#if canImport(Combine)
import Combine
import Rowan

/// A subscriber that records what it receives.
final class TestSubscriber<Input>: Subscriber, @unchecked Sendable {
    typealias Failure = any Error

    private let log = Log<String>()
    private let gate = Gate()
    private let initialDemand: Subscribers.Demand
    private let subscription = Held<any Subscription>()
    private let failure = Held<any Error>()
    /// Called with each value; returns the additional demand.
    var onValue: ((Input) -> Subscribers.Demand)?

    init(demand: Subscribers.Demand = .unlimited) { initialDemand = demand }

    /// The values and the completion.
    var entries: [String] { log.elements }
    var error: (any Error)? { failure.value }

    func receive(subscription: any Subscription) {
        self.subscription.value = subscription
        if initialDemand > 0 { subscription.request(initialDemand) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        log.append("\(input)")
        return onValue?(input) ?? .none
    }

    func receive(completion: Subscribers.Completion<any Error>) {
        switch completion {
        case .finished: log.append("finished")
        case .failure(let error):
            failure.value = error
            log.append("failure")
        }
        gate.open()
    }

    func request(_ demand: Subscribers.Demand) { subscription.value?.request(demand) }

    func cancel() {
        subscription.value?.cancel()
        subscription.value = nil
    }

    /// Waits for the completion.
    func completed() async { await gate.opened() }
}
#endif
