// The cost of a page does not depend on its position: steps of SQLite's virtual machine at the start, after a thousand
// rows, and near the end of a million.

import Testing

@testable import Rowan

private struct Item: TableRecord {}

private let count = 1_000_000

@Suite struct PageStepsTests {
    private let a = Column("a"), b = Column("b"), c = Column("c")

    /// Orders of up to three terms, each with an index: `a` has few values and NULL, `b` has many values and NULL, and
    /// `c` has many values.
    private var orders: [(index: String, terms: [any SQLOrderingTerm])] {
        [
            ("b", [b]), ("b", [b.desc]), ("b", [b.ascNullsLast]), ("b", [b.descNullsFirst]),
            ("a", [a]), ("a", [a.desc]), ("a", [a.ascNullsLast]), ("a", [a.descNullsFirst]),
            ("c", [c]), ("c", [c.desc]), ("c", [c.ascNullsLast]), ("c", [c.descNullsFirst]),
            ("a, b", [a, b]), ("a, b", [a.desc, b.desc]), ("a, b", [a.descNullsFirst, b.desc]),
            ("a, b DESC, id", [a, b.desc, Column("id")]),
            ("a, c DESC", [a, c.desc]), ("c, a", [c, a]),
        ]
    }

    @Test(.disabled(if: ClusterUnderTest.isActive, "the test counts the steps of the local SQLite"))
    func aPageCostsTheSameAnywhere() throws {
        try withDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER NOT NULL);
                    WITH n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < \(count))
                    INSERT INTO item
                    SELECT n, nullif(n % 5, 0), nullif(n * 7919 % 500000 / 2, 3) * iif(n % 10 = 0, NULL, 1), n * 31 % 99991
                    FROM n
                    """)
            var lastIndex = ""
            for (index, terms) in orders {
                if index != lastIndex {
                    try db.execute(sql: "DROP INDEX IF EXISTS i; CREATE INDEX i ON item(\(index))")
                    lastIndex = index
                }
                let request = Item.order(terms)
                for depth in [0, 1_000, count / 5 - 1, count - 100] {
                    let token = try token(db, request, depth)
                    var found: Page<Row>?
                    let cost = try db.steps {
                        found = try request.asRequest(of: Row.self).page(after: token, size: 20).fetch(db)
                    }
                    let text = try statementText(db, request).sql
                    // The most costly case is the start of an order with NULL last, for which SQLite reads the index
                    // twice.
                    #expect(cost < 2_500, "\(text) after \(depth) rows: \(cost) steps")
                    let ids = try Int.fetchAll(
                        db, request.select(Column("id")).order(terms + [last(terms)]).limit(20, offset: depth))
                    #expect(found?.elements.map { $0["id"] as Int } == ids, "\(text) after \(depth) rows")
                }
            }
        }
    }

    /// The key, in the same direction as the last term.
    private func last(_ terms: [any SQLOrderingTerm]) -> any SQLOrderingTerm {
        guard case .expression(_, let direction)? = terms.last?.sqlOrdering.node else { return Column("id") }
        return direction == .descending || direction == .descendingNullsFirst ? Column("id").desc : Column("id")
    }

    /// The position after a number of rows.
    private func token(
        _ db: Database, _ request: QueryInterfaceRequest<Item>, _ depth: Int
    ) throws -> PageToken? {
        guard depth > 0 else { return nil }
        let rows = request.asRequest(of: Row.self)
        let first = try #require(try rows.page(size: 1).fetch(db).next)
        let terms = request.relation.orderings
        let expressions: [any SQLSelectable] = terms.compactMap { term in
            if case .expression(let expression, _) = term.node { expression } else { nil }
        }
        let ordered = request.order(terms + [last(terms)]).select(expressions + [Column("id")])
        let row = try #require(try Row.fetchOne(db, ordered.limit(1, offset: depth - 1)))
        return PageToken(
            values: row.databaseValues.prefix(first.values.count).map { PageToken.Value(.owned($0, strict: false)) },
            order: first.order)
    }
}
