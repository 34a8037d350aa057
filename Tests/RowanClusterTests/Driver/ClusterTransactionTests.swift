// The transaction of a connection, without nodes: each pair of a state and an event, and the sequences that are easy to
// get wrong.

import Foundation
import Testing

@testable import RowanCluster

@Suite struct ClusterTransactionTests {
    private static let ticket = TransactionTicket(
        database: "app", client: "c", sequence: 1, generation: 0, date: Date(timeIntervalSince1970: 0))

    /// The states, by their description.
    private static func states() -> [(name: String, state: ClusterTransaction)] {
        let paths: [[ClusterTransaction.Event]] = [
            [],
            [.begin(isImmediate: false)],
            [.begin(isImmediate: true)],
            [.savepoint(isImmediate: true)],
            [.begin(isImmediate: false), .began],
            [.begin(isImmediate: false), .began, .openedSavepoint("a")],
            [.savepoint(isImmediate: true), .began, .openedSavepoint("a")],
            [.begin(isImmediate: true), .began, .claimed(ticket)],
            [.begin(isImmediate: true), .began, .claimed(ticket), .openedSavepoint("a")],
            [.savepoint(isImmediate: true), .began, .openedSavepoint("a"), .claimed(ticket)],
            [.begin(isImmediate: true), .began, .lost],
            [.begin(isImmediate: true), .began, .claimed(ticket), .didNotRespondToCommit],
        ]
        return paths.map { path in
            var state = ClusterTransaction.none
            for event in path { _ = state.apply(event) }
            return (describe(state), state)
        }
    }

    private static let events: [(name: String, event: ClusterTransaction.Event)] = [
        ("BEGIN", .begin(isImmediate: false)), ("BEGIN IMMEDIATE", .begin(isImmediate: true)), ("reads", .read),
        ("writes", .write), ("SAVEPOINT", .savepoint(isImmediate: true)), ("RELEASE A", .release("A")),
        ("RELEASE z", .release("z")), ("ROLLBACK TO A", .rollBackTo("A")), ("ROLLBACK TO z", .rollBackTo("z")),
        ("COMMIT", .commit), ("ROLLBACK", .rollBack), ("began", .began), ("refused", .refusedToBegin),
        ("claimed", .claimed(ticket)), ("opened b", .openedSavepoint("b")), ("released a", .released("a")),
        ("rolled back to a", .rolledBackTo("a")), ("ended", .ended), ("lost", .lost),
        ("no response", .didNotRespondToCommit), ("reported", .reported),
    ]

    private static func describe(_ state: ClusterTransaction) -> String {
        func text(_ savepoints: ClusterTransaction.Savepoints) -> String {
            savepoints.names.isEmpty ? "" : " \(savepoints.names.joined()) \(savepoints.isTransaction ? "(all)" : "")"
        }
        let description =
            switch state {
            case .none: "none"
            case .announced(let beginning): "announced \(beginning)"
            case .open(let savepoints): "open" + text(savepoints)
            case .writing(let savepoints, let claim): "writing" + text(savepoints) + " at \(claim.depth)"
            case .lost: "lost"
            case .uncertain: "uncertain"
            }
        return description.split(separator: " ").joined(separator: " ")
    }

    private static func describe(_ action: ClusterTransaction.Action) -> String {
        switch action {
        case .begin(let isImmediate): isImmediate ? "begin immediate" : "begin"
        case .commit: "commit"
        default: "\(action)"
        }
    }

    /// The table of all pairs: the action, and the next state if it is another one. What changes nothing and requires
    /// nothing is left out.
    @Test func eachPair() {
        var lines: [String] = []
        for (name, state) in Self.states() {
            lines.append("\(name):")
            for (event, value) in Self.events {
                var next = state
                let action = Self.describe(next.apply(value))
                let change = next == state ? "" : " -> \(Self.describe(next))"
                if action != "nothing" || !change.isEmpty { lines.append("  \(event): \(action)\(change)") }
            }
        }
        for (line, expected) in zip(lines, Self.table.split(separator: "\n").map(String.init)) {
            #expect(line == expected)
        }
        #expect(lines.joined(separator: "\n") == Self.table)
    }

    /// Applies events, and describes the last state and all actions that aren't `nothing`.
    private func run(_ events: ClusterTransaction.Event...) -> String {
        var state = ClusterTransaction.none
        let actions = events.map { state.apply($0) }.filter { $0 != .nothing }.map(Self.describe)
        return (actions + [Self.describe(state)]).joined(separator: ", ")
    }

    /// Rolling back to a savepoint removes the row of a ticket that was written after it, but not one written before.
    @Test func aSavepointThatTakesTheTicketAlong() {
        let begin: [ClusterTransaction.Event] = [.begin(isImmediate: true), .began]
        func run(_ events: ClusterTransaction.Event...) -> String {
            var state = ClusterTransaction.none
            for event in begin { _ = state.apply(event) }
            var last = ClusterTransaction.Action.nothing
            for event in events { last = state.apply(event) }
            return "\(Self.describe(state)), \(Self.describe(last))"
        }
        let ticket = Self.ticket
        #expect(run(.openedSavepoint("s"), .claimed(ticket), .rolledBackTo("S"), .write) == "open s, claimAndRun")
        #expect(run(.openedSavepoint("s"), .claimed(ticket), .rolledBackTo("s"), .commit) == "open s, endRead")
        #expect(run(.claimed(ticket), .openedSavepoint("s"), .rolledBackTo("s"), .commit) == "writing s at 0, commit")
        // The ticket belongs to the inner savepoint, then to the outer one, and survives the release of both.
        #expect(
            run(.openedSavepoint("s"), .openedSavepoint("t"), .claimed(ticket), .released("t"), .rolledBackTo("s"))
                == "open s, nothing")
        #expect(
            run(.openedSavepoint("s"), .claimed(ticket), .released("s"), .openedSavepoint("t"), .rolledBackTo("t"))
                == "writing t at 0, nothing")
        // Of two savepoints of one name, the inner one is meant.
        #expect(
            run(.openedSavepoint("s"), .claimed(ticket), .openedSavepoint("s"), .rolledBackTo("s"))
                == "writing ss at 1, nothing")
        // A newer generation of the ticket does not move its row.
        #expect(
            run(.claimed(ticket), .openedSavepoint("s"), .claimed(ticket), .rolledBackTo("s"), .commit)
                == "writing s at 0, commit")
    }

    /// Names are compared as SQLite compares them: bytes, except for the case of ASCII letters.
    @Test func namesOfSavepoints() {
        let decomposed = "e\u{301}"
        #expect(
            run(.begin(isImmediate: false), .began, .openedSavepoint("\u{e9}"), .release(decomposed)) == "open \u{e9}")
        #expect(run(.begin(isImmediate: false), .began, .openedSavepoint("É"), .release("é")) == "open É")
        #expect(run(.begin(isImmediate: false), .began, .openedSavepoint("aB"), .release("Ab")) == "run, open aB")
    }

    /// What a leader sends for a transaction that has ended changes nothing.
    @Test func lateReplies() {
        let ticket = Self.ticket
        #expect(run(.began) == "none")
        #expect(run(.claimed(ticket)) == "none")
        #expect(run(.rolledBackTo("s")) == "none")
        #expect(run(.begin(isImmediate: true), .began, .ended, .claimed(ticket), .lost) == "none")
        // Another client held the lock for too long.
        #expect(run(.savepoint(isImmediate: true), .refusedToBegin, .began) == "begin immediate, none")
        #expect(
            run(.begin(isImmediate: true), .read, .refusedToBegin, .read) == "begin immediate, begin immediate, "
                + "announced immediate")
        #expect(
            run(.begin(isImmediate: false), .write, .refusedToBegin, .write) == "begin immediate, begin immediate, "
                + "announced deferred")
        // The outcome of a COMMIT without a response ends it either way.
        let uncertain: [ClusterTransaction.Event] = [
            .begin(isImmediate: true), .began, .claimed(ticket), .didNotRespondToCommit,
        ]
        var state = ClusterTransaction.none
        for event in uncertain { _ = state.apply(event) }
        #expect(state == .uncertain(ticket) && state.isPresent && !state.isOpen)
        var committed = state
        _ = committed.apply(.ended)
        #expect(committed == .none)
        _ = state.apply(.lost)
        #expect(state == .lost && !state.isPresent)
    }

    /// SQLite itself refuses it, after the driver has seen it.
    @Test func aRepeatedBegin() {
        let ticket = Self.ticket
        #expect(run(.begin(isImmediate: false), .begin(isImmediate: true)) == "announced deferred")
        #expect(
            run(.begin(isImmediate: false), .began, .openedSavepoint("s"), .begin(isImmediate: true)) == "open s")
        #expect(
            run(.begin(isImmediate: true), .began, .claimed(ticket), .begin(isImmediate: false), .commit)
                == "commit, writing at 0")
    }

    private static let table = """
        none:
          BEGIN: nothing -> announced deferred
          BEGIN IMMEDIATE: nothing -> announced immediate
          reads: runAlone
          writes: runAlone
          SAVEPOINT: begin immediate -> announced savepoint
        announced deferred:
          reads: begin
          writes: begin immediate
          SAVEPOINT: begin immediate
          COMMIT: nothing -> none
          ROLLBACK: nothing -> none
          began: nothing -> open
          ended: nothing -> none
          lost: nothing -> lost
        announced immediate:
          reads: begin immediate
          writes: begin immediate
          SAVEPOINT: begin immediate
          COMMIT: nothing -> none
          ROLLBACK: nothing -> none
          began: nothing -> open
          ended: nothing -> none
          lost: nothing -> lost
        announced savepoint:
          reads: begin
          writes: begin immediate
          SAVEPOINT: begin immediate
          COMMIT: nothing -> none
          ROLLBACK: nothing -> none
          began: nothing -> open
          refused: nothing -> none
          ended: nothing -> none
          lost: nothing -> lost
        open:
          reads: run
          writes: claimAndRun
          SAVEPOINT: run
          COMMIT: endRead
          ROLLBACK: rollBack
          claimed: nothing -> writing at 0
          opened b: nothing -> open b
          ended: nothing -> none
          lost: nothing -> lost
        open a:
          reads: run
          writes: claimAndRun
          SAVEPOINT: run
          RELEASE A: run
          ROLLBACK TO A: run
          COMMIT: endRead
          ROLLBACK: rollBack
          claimed: nothing -> writing a at 1
          opened b: nothing -> open ab
          released a: nothing -> open
          ended: nothing -> none
          lost: nothing -> lost
        open a (all):
          reads: run
          writes: claimAndRun
          SAVEPOINT: run
          RELEASE A: endRead
          ROLLBACK TO A: run
          COMMIT: endRead
          ROLLBACK: rollBack
          claimed: nothing -> writing a (all) at 1
          opened b: nothing -> open ab (all)
          released a: nothing -> open
          ended: nothing -> none
          lost: nothing -> lost
        writing at 0:
          reads: run
          writes: run
          SAVEPOINT: run
          COMMIT: commit
          ROLLBACK: rollBack
          opened b: nothing -> writing b at 0
          ended: nothing -> none
          lost: nothing -> lost
          no response: ask -> uncertain
        writing a at 0:
          reads: run
          writes: run
          SAVEPOINT: run
          RELEASE A: run
          ROLLBACK TO A: run
          COMMIT: commit
          ROLLBACK: rollBack
          opened b: nothing -> writing ab at 0
          released a: nothing -> writing at 0
          ended: nothing -> none
          lost: nothing -> lost
          no response: ask -> uncertain
        writing a (all) at 1:
          reads: run
          writes: run
          SAVEPOINT: run
          RELEASE A: commit
          ROLLBACK TO A: run
          COMMIT: commit
          ROLLBACK: rollBack
          opened b: nothing -> writing ab (all) at 1
          released a: nothing -> writing at 0
          rolled back to a: nothing -> open a (all)
          ended: nothing -> none
          lost: nothing -> lost
          no response: ask -> uncertain
        lost:
          BEGIN: refuse
          BEGIN IMMEDIATE: refuse
          reads: refuse
          writes: refuse
          SAVEPOINT: refuse
          RELEASE A: refuse
          RELEASE z: refuse
          ROLLBACK TO A: refuse
          ROLLBACK TO z: refuse
          COMMIT: refuse
          ROLLBACK: nothing -> none
          began: refuse
          refused: refuse
          claimed: refuse
          opened b: refuse
          released a: refuse
          rolled back to a: refuse
          ended: nothing -> none
          no response: refuse
          reported: nothing -> none
        uncertain:
          BEGIN: refuse
          BEGIN IMMEDIATE: refuse
          reads: refuse
          writes: refuse
          SAVEPOINT: refuse
          RELEASE A: refuse
          RELEASE z: refuse
          ROLLBACK TO A: refuse
          ROLLBACK TO z: refuse
          COMMIT: refuse
          ROLLBACK: refuse
          began: refuse
          refused: refuse
          claimed: refuse
          opened b: refuse
          released a: refuse
          rolled back to a: refuse
          ended: nothing -> none
          lost: nothing -> lost
          no response: refuse
        """
}
