// Compares random requests on random rows with a naive evaluation in Swift. A failure prints the seed of its round:
// `ROWAN_SEED=<seed> swift test --filter DifferentialTests` runs that round first, and ROWAN_REQUESTS=<count> sets the
// number of requests.

import Foundation
import Rowan
import Testing

struct DifferentialTests {
    @Test func requests() async throws {
        let environment = ProcessInfo.processInfo.environment
        let requestCount = environment["ROWAN_REQUESTS"].flatMap { Int($0) } ?? 20_000
        let seed = SeededGenerator(2).seed
        let requestsInRound = 50
        let roundCount = max(1, requestCount / requestsInRound)
        let next = Mutex(0)
        let failures = Log<String>()
        try await onThreads(min(4, ProcessInfo.processInfo.activeProcessorCount)) { _ in
            while failures.elements.count < 5 {
                let round = next.withLock { round in
                    round += 1
                    return round - 1
                }
                guard round < roundCount else { return }
                let roundSeed = seed &+ UInt64(round)
                do {
                    let differences = try Self.differences(seed: roundSeed, count: requestsInRound)
                    for difference in differences { failures.append(difference) }
                } catch {
                    failures.append("seed \(roundSeed): \(error)")
                }
            }
        }
        for failure in failures.elements.prefix(5) { Issue.record("\(failure)") }
    }

    /// Rounds that once found a bug, in the library or in the evaluator.
    @Test(arguments: [12_450_887_248_766_275_854 as UInt64])
    func storedRound(_ seed: UInt64) throws {
        for difference in try Self.differences(seed: seed, count: 50) { Issue.record("\(difference)") }
    }

    /// Runs the requests of a seed, and returns those with wrong results.
    private static func differences(seed: UInt64, count: Int) throws -> [String] {
        var random = SeededGenerator(seed: seed)
        let variant = Differential.Variant.all.randomElement(using: &random)!
        let content = Differential.content(&random)
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(configuration: configuration)
        var generator = Differential.Generator(random: random, links: Differential.makeLinks())
        let evaluator = Differential.Evaluator(content: content)
        return try queue.write { db in
            try Differential.create(db, variant)
            try Differential.insert(db, content)
            var differences: [String] = []
            for number in 0..<count {
                if number % 10 == 9 {
                    let compound = generator.compound()
                    let aliases = generator.aliasNames.mapValues { TableAlias<Row>(name: $0, for: Row.self) }
                    guard let request = Differential.Builder(aliases: aliases).request(compound) else { continue }
                    let difference = Self.difference(db, request, compound, evaluator.texts(compound))
                    if let difference { differences.append("seed \(seed), compound \(number): \(difference)") }
                    continue
                }
                let description = generator.request()
                let aliases = generator.aliasNames.mapValues { TableAlias<Row>(name: $0, for: Row.self) }
                let request = Differential.Builder(aliases: aliases).request(description)
                let expected = evaluator.texts(description)
                let difference = Self.difference(db, request, description, expected)
                if let difference {
                    differences.append("seed \(seed), request \(number) (\(variant)): \(difference)")
                    if differences.count == 2 { break }
                }
            }
            return differences
        }
    }

    /// Whether a query has more nested parentheses than SQLite's parser supports, as about one request in several
    /// hundred thousand does. Source: <https://sqlite.org/compile.html#yystackdepth>
    private static func isTooDeep(_ error: DatabaseError) -> Bool { error.message == "parser stack overflow" }

    private static func difference(
        _ db: Database, _ request: CompoundRequest<Row>, _ description: Differential.Compound, _ expected: [String]
    ) -> String? {
        do {
            let sql = try request.makePreparedRequest(db, forSingleResult: false).statement.sql
            var texts = try Row.fetchAll(db, request).map { row in
                Differential.Tree(columns: row.map { "\($0)=\(Differential.Value($1).text)" }).looseText
            }
            if !description.hasOrder { texts.sort() }
            let count = try request.fetchCount(db)
            if texts == expected, count == expected.count { return nil }
            return "\(count) rows:\n\(texts)\nSQL: \(sql)\nexpected:\n\(expected)"
        } catch let error as DatabaseError where Self.isTooDeep(error) {
            return nil
        } catch {
            return "\(error)\nexpected:\n\(expected)"
        }
    }

    private static func difference(
        _ db: Database, _ request: QueryInterfaceRequest<Row>, _ description: Differential.Request, _ expected: [String]
    ) -> String? {
        func told(_ what: String) -> String {
            let prepared = try? request.makePreparedRequest(db, forSingleResult: false)
            let sql = prepared.map { "\($0.statement.sql) \($0.statement.arguments)" } ?? "no SQL"
            return "\(what)\nSQL: \(sql)\nexpected:\n\(expected.joined(separator: "\n"))"
        }
        do {
            let trees = try Row.fetchAll(db, request).map { Differential.Tree($0, ordered: description) }
            var texts = trees.map { description.isDistinct ? $0.looseText : $0.text }
            if !description.isTotallyOrdered { texts.sort() }
            if texts != expected { return told("other rows:\n\(texts.joined(separator: "\n"))") }
            let count = try request.fetchCount(db)
            if count != expected.count { return told("fetchCount is \(count)") }
            let isEmpty = try request.isEmpty(db)
            if isEmpty != expected.isEmpty { return told("isEmpty is \(isEmpty)") }
            return nil
        } catch let error as DatabaseError where Self.isTooDeep(error) {
            return nil
        } catch {
            return told("\(error)")
        }
    }
}

extension Differential.Tree {
    fileprivate init(_ row: Row, ordered request: Differential.Request) {
        self.init(row, Differential.Tree.orderedKeys(request.relation))
    }

    private init(_ row: Row, _ orderedKeys: Set<String>) {
        columns = row.map { "\($0)=\(Differential.Value($1).text)" }
        for (name, scope) in row.scopes { scopes[name] = Differential.Tree(scope, orderedKeys) }
        for (name, rows) in row.prefetchedTree?.rows ?? [:] {
            let texts = rows.map { Differential.Tree($0, orderedKeys).text }
            prefetched[name] = orderedKeys.contains(name) ? texts : texts.sorted()
        }
    }

    /// The keys of the prefetched rows with a defined order.
    private static func orderedKeys(_ relation: Differential.Relation) -> Set<String> {
        var keys: Set<String> = []
        for prefetch in relation.prefetches {
            if !prefetch.rows.relation.orderings.isEmpty { keys.insert(prefetch.key) }
            keys.formUnion(orderedKeys(prefetch.rows.relation))
        }
        for join in relation.joins { keys.formUnion(orderedKeys(join.rows.relation)) }
        return keys
    }
}
