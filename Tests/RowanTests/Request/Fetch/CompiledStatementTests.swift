import Testing

@testable import Rowan

/// A request that is rebuilt reuses its compiled statement.
struct CompiledStatementTests {
    private struct Player: TableRecord, FetchableRecord, Decodable {
        var name: String

        enum Columns {
            static let score = Column("score")
            static let team = Column("team")
        }
    }

    private func best(above score: Int) -> QueryInterfaceRequest<Player> {
        Player.filter { $0.score > score && $0.team == "Reds" }.order(\.score.desc).limit(10)
    }

    @Test func secondRunCompilesNothing() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (name TEXT, team TEXT, score INTEGER);
                    INSERT INTO player VALUES ('Arthur', 'Reds', 10), ('Barbara', 'Reds', 20), ('Craig', 'Blues', 30)
                    """)
            #expect(try best(above: 5).fetchAll(db).map(\.name) == ["Barbara", "Arthur"])
            let compiled = try ObjectIdentifier(best(above: 5).makePreparedRequest(db).statement)
            #expect(try best(above: 15).fetchAll(db).map(\.name) == ["Barbara"])
            let prepared = try best(above: 15).makePreparedRequest(db)
            #expect(ObjectIdentifier(prepared.statement) == compiled)
            #expect(prepared.statement.runCount == 2)
            #expect(prepared.statement.arguments == [15, "Reds"])
        }
    }
}
