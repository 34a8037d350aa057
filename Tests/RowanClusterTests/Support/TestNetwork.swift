// The network of a test cluster: a relay for each ordered pair of nodes, and one in front of each node for clients.

import Foundation
import Rowan

@testable import RowanCluster

/// The network of a cluster, which a test can damage.
final class TestNetwork: Sendable {
    private let count: Int
    /// Indexed by the connecting node and the target.
    private let pairs: [[Relay?]]
    /// Indexed by node.
    private let fronts: [Relay]

    init(_ layout: Layout) throws {
        count = layout.count
        fronts = try (0..<count).map { try Relay(from: layout.advertised($0), to: layout.bound($0)) }
        pairs = try (0..<layout.count).map { from in
            try (0..<layout.count).map { to in
                from == to ? nil : try Relay(from: layout.relay(from: from, to: to), to: layout.bound(to))
            }
        }
    }

    private var all: [Relay] { fronts + pairs.joined().compactMap(\.self) }

    func stop() { for relay in all { relay.stop() } }

    /// Sets the state of the connections between two nodes, in both directions.
    func set(_ state: Relay.State, between first: Int, and second: Int) {
        for relay in [pairs[first][second], pairs[second][first]] { relay?.state = state }
    }

    /// Sets the state of the connections from one node to another, on which it sends its log.
    func set(_ state: Relay.State, from first: Int, to second: Int) { pairs[first][second]?.state = state }

    /// Sets the state of the connections between a node and all others.
    func set(_ state: Relay.State, around node: Int) {
        for other in 0..<count where other != node { set(state, between: node, and: other) }
    }

    /// Sets the state of the connections from clients to a node.
    func set(_ state: Relay.State, fromClientsTo node: Int) { fronts[node].state = state }

    /// Opens all relays.
    func heal() { for relay in all { relay.state = .open } }
}
