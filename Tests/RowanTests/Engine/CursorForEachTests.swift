// A cursor's combinators iterate with its own `next()` or its own `forEach(_:)`: both visit the same elements, and stop
// at the same one.

import Rowan
import Testing

/// Counts up to a limit, with a faster way to visit all elements.
private final class Counter: Cursor {
    let limit: Int
    var position = 0
    var steps = 0
    var walks = 0

    init(to limit: Int) { self.limit = limit }

    func next() -> Int? {
        steps += 1
        guard position < limit else { return nil }
        position += 1
        return position
    }

    func forEach(_ body: (Int) throws -> Void) throws {
        walks += 1
        while position < limit {
            position += 1
            try body(position)
        }
    }
}

private struct Stop: Error {}

private struct Combinator: Sendable, CustomTestStringConvertible {
    let name: String
    /// Whether it ends before its base, and so can't use its `forEach(_:)`.
    var endsEarly = false
    let make: @Sendable (Counter) -> AnyVisits
    var testDescription: String { name }
}

/// The elements of a cursor as texts, in either way.
private struct AnyVisits {
    let next: () throws -> String?
    let forEach: ((String) throws -> Void) throws -> Void

    init(_ cursor: some Cursor) {
        next = { try cursor.next().map { "\($0)" } }
        forEach = { body in try cursor.forEach { try body("\($0)") } }
    }
}

private let combinators: [Combinator] = [
    Combinator(name: "map") { AnyVisits($0.map { $0 * 10 }) },
    Combinator(name: "filter") { AnyVisits($0.filter { $0.isMultiple(of: 2) }) },
    Combinator(name: "compactMap") { AnyVisits($0.compactMap { $0 == 2 ? nil : $0 }) },
    Combinator(name: "flatMap of sequences") { AnyVisits($0.flatMap { Array(repeating: $0, count: $0 % 3) }) },
    Combinator(name: "flatMap of cursors") { AnyVisits($0.flatMap { Counter(to: $0) }) },
    Combinator(name: "joined") { AnyVisits($0.map { [$0, $0] }.joined()) },
    Combinator(name: "enumerated") { AnyVisits($0.enumerated()) },
    Combinator(name: "dropFirst") { AnyVisits($0.dropFirst()) },
    Combinator(name: "dropFirst(3)") { AnyVisits($0.dropFirst(3)) },
    Combinator(name: "dropFirst(99)") { AnyVisits($0.dropFirst(99)) },
    Combinator(name: "drop(while:)") { AnyVisits($0.drop { $0 < 3 }) },
    Combinator(name: "prefix(3)", endsEarly: true) { AnyVisits($0.prefix(3)) },
    Combinator(name: "prefix(0)", endsEarly: true) { AnyVisits($0.prefix(0)) },
    Combinator(name: "prefix(while:)", endsEarly: true) { AnyVisits($0.prefix { $0 < 4 }) },
    Combinator(name: "AnyCursor") { AnyVisits(AnyCursor($0)) },
    Combinator(name: "all together") {
        AnyVisits($0.dropFirst().map { $0 + 1 }.filter { $0 > 3 }.flatMap { [$0, -$0] }.enumerated())
    },
]

@Suite struct CursorForEachTests {
    private func all(_ visits: AnyVisits) throws -> [String] {
        var elements: [String] = []
        while let element = try visits.next() { elements.append(element) }
        return elements
    }

    @Test(arguments: combinators) private func bothWaysVisitTheSameElements(_ combinator: Combinator) throws {
        for limit in 0..<8 {
            let (stepped, walked) = (Counter(to: limit), Counter(to: limit))
            let expected = try all(combinator.make(stepped))
            let visits = combinator.make(walked)
            var elements: [String] = []
            try visits.forEach { elements.append($0) }
            #expect(elements == expected)
            #expect(walked.position == stepped.position)
            #expect(combinator.endsEarly ? walked.walks == 0 : walked.walks == 1 && walked.steps == 0)
            #expect(try visits.next() == nil)
        }
    }

    /// An iteration stopped by an error has consumed exactly the visited elements.
    @Test(arguments: combinators) private func aWalkThatEndsCanBeContinued(_ combinator: Combinator) throws {
        let expected = try all(combinator.make(Counter(to: 7)))
        for count in 0...expected.count {
            let visits = combinator.make(Counter(to: 7))
            var elements: [String] = []
            for _ in 0..<(count / 2) { elements.append(try #require(try visits.next())) }
            do {
                try visits.forEach {
                    elements.append($0)
                    if elements.count >= count { throw Stop() }
                }
            } catch is Stop {}
            let (visited, rest) = (elements.count, try all(visits))
            #expect(elements + rest == expected)
            #expect(visited == max(count, min(1, expected.count)))
        }
    }

    @Test func cursorsOfAStatementWalkAlike() throws {
        try withDatabase { db throws in
            let sql = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t WHERE x < 9) SELECT x FROM t"
            var walked: [Int] = []
            try Int.fetchCursor(db, sql: sql).filter { $0 > 2 }.map { $0 * 2 }.prefix(3).forEach { walked.append($0) }
            #expect(walked == [6, 8, 10])
            #expect(try Array(Int.fetchCursor(db, sql: sql).filter { $0 > 2 }.map { $0 * 2 }.prefix(3)) == walked)
        }
    }
}
