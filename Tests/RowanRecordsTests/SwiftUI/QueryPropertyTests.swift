// The property wrapper of the article "Models of observed rows", whose code is that of this file.

import RowanRecords
import Testing

@Record("player") struct Player: Identifiable {
    @PrimaryKey var id: Int64?
    var name: String
    var score: Int
}

struct DatabaseKey: EnvironmentKey {
    static let defaultValue: (any DatabaseReader)? = nil
}

extension EnvironmentValues {
    /// The database of the views.
    var database: (any DatabaseReader)? {
        get { self[DatabaseKey.self] }
        set { self[DatabaseKey.self] = newValue }
    }
}

/// The rows of a request in the database of the environment.
@MainActor @propertyWrapper
struct Query<Element: FetchableRecord & Sendable>: @preconcurrency DynamicProperty {
    @Environment(\.database) private var database
    @State private var model = Model()
    private let request: QueryInterfaceRequest<Element>

    init(_ request: QueryInterfaceRequest<Element>) { self.request = request }

    var wrappedValue: [Element] { model.query?.value ?? [] }
    var projectedValue: ObservedQuery<Element>? { model.query }

    /// Runs before each body of the view.
    func update() { model.observe(database, request) }

    /// What is kept between the bodies.
    @MainActor private final class Model {
        private weak var database: (any DatabaseReader)?
        var query: ObservedQuery<Element>?

        func observe(_ database: (any DatabaseReader)?, _ request: QueryInterfaceRequest<Element>) {
            guard database !== self.database else { return }
            self.database = database
            query = database.map { ObservedQuery($0, request) }
        }
    }
}

struct PlayerList: View {
    @Query(Player.order(\.score.desc)) var players

    var body: some View {
        List(players) { Text($0.name) }
    }
}

extension PlayerList {
    /// The rows of the body, as SwiftUI makes it.
    var names: [String] {
        _players.update()
        return (body as? List<Player>)?.rows.map(\.text) ?? ["no list"]
    }
}

@Suite("A property wrapper for SwiftUI") @MainActor
struct QueryPropertyTests {
    private func database(_ names: String...) throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL)")
            for (score, name) in names.enumerated() { _ = try Player(name: name, score: score).inserted(db) }
        }
        return queue
    }

    private func environment(_ database: DatabaseQueue) -> EnvironmentValues {
        var values = EnvironmentValues()
        values.database = database
        return values
    }

    @Test("A view has the rows of the environment's database, and those of a later one")
    func rows() async throws {
        let list = PlayerList()
        #expect(list.names == [] && list.$players == nil)
        let first = try database("Ada", "Bo")
        EnvironmentValues.$current.withValue(environment(first)) { #expect(list.names == ["Bo", "Ada"]) }
        let query = list.$players
        EnvironmentValues.$current.withValue(environment(first)) {
            #expect(list.names == ["Bo", "Ada"])
            #expect(list.$players === query, "the observation continues")
        }
        try await first.write { _ = try Player(name: "Cy", score: 5).inserted($0) }
        let deadline = ContinuousClock.now + .seconds(60)
        while list.players.count < 3, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(2)) }
        #expect(list.players.map(\.name) == ["Cy", "Bo", "Ada"])
        let second = try database("Dee")
        EnvironmentValues.$current.withValue(environment(second)) { #expect(list.names == ["Dee"]) }
    }
}
