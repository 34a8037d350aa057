// Requests with many conditions, added one at a time.

import Foundation
import Rowan
import Testing

struct LongChainTests {
    private let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, x INTEGER); INSERT INTO t VALUES (1, 7), (2, 70000)"

    /// The SQL contains the conditions in order, however many there are and however they were combined.
    @Test(arguments: [1, 2, 63, 64, 65, 128, 200, 499])
    func theSQLOfFilters(_ count: Int) throws {
        let x = Column("x")
        let filters = (0..<count).map { x != $0 }
        let chain = filters.reduce(Table("t").all()) { $0.filter($1) }
        let joined = Table("t").filter(filters.joined(operator: .and))
        try inLoggedDatabase(schema) { db, log throws in
            _ = try Row.fetchAll(db, chain)
            let sql = log.takeExpanded().last
            _ = try Row.fetchAll(db, joined)
            #expect(sql == log.takeExpanded().last)
            #expect(try chain.fetchCount(db) == (count > 7 ? 1 : 2))
        }
    }

    @Test func filtersOfAllKinds() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var request = Table("t").all()
            for number in 0..<300 {
                switch number % 5 {
                case 0: request = request.filter(Column("x") != number)
                case 1: request = request.filter(sql: "x <> ? OR x IS NULL", arguments: [number])
                case 2: request = request.filterWhenConnected { _ in Column("x") != number }
                case 3: request = request.filter(!keys(number))
                default: request = request.filter(true)
                }
            }
            #expect(try request.fetchCount(db) == 1)
            #expect(try Int.fetchAll(db, request.select(Column("id"))) == [2])
            // An OR in SQL text keeps its meaning.
            var all = Table("t").all()
            for _ in 0..<200 { all = all.filter(sql: "x = 7 OR x = 70000") }
            #expect(try all.fetchCount(db) == 2)
            #expect(try all.none().fetchCount(db) == 0)
            #expect(try request.deleteAll(db) == 1)
        }
    }

    private func keys(_ number: Int) -> SQLExpression { [number, -number].contains(Column("x")) }

    /// Earlier copies of a request are unchanged.
    @Test func keptRequests() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            var requests = [Table("t").all()]
            for number in 0..<200 { requests.append(requests[number].filter(Column("x") != number)) }
            let branch = requests[100].filter(Column("x") == 7)
            for (number, request) in requests.enumerated() {
                #expect(try request.fetchCount(db) == (number > 7 ? 1 : 2))
            }
            #expect(try branch.fetchCount(db) == 0)
        }
    }

    /// Twenty thousand conditions would take seconds if each one copied those before it.
    @Test func veryManyFilters() throws {
        var request = Table("t").all()
        for number in 0..<20_000 { request = request.filter(Column("x") != number) }
        let long = request
        try inLoggedDatabase(schema) { db, _ throws in
            #expect(try long.fetchCount(db) == 1)
        }
    }
}
