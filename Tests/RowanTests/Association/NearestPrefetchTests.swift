// A key may have prefetched rows in several scopes: the nearest scope is used, then the first one of the request.

import Rowan
import Testing

private struct Club: TableRecord { static let players = hasMany(Player.self, key: "members") }
private struct School: TableRecord { static let pupils = hasMany(Player.self, key: "members") }
private struct City: TableRecord { static let inhabitants = hasMany(Player.self, key: "members") }
private struct Player: TableRecord {
    static let club = belongsTo(Club.self)
    static let school = belongsTo(School.self)
    static let city = belongsTo(City.self)
    static let pivot = hasOne(Pivot.self)
}
private struct Pivot: TableRecord {
    static let club = belongsTo(Club.self)
}

private let schema = """
    CREATE TABLE club (id INTEGER PRIMARY KEY);
    CREATE TABLE school (id INTEGER PRIMARY KEY);
    CREATE TABLE city (id INTEGER PRIMARY KEY);
    CREATE TABLE player (id INTEGER PRIMARY KEY, clubId INTEGER REFERENCES club, schoolId INTEGER REFERENCES school,
        cityId INTEGER REFERENCES city);
    CREATE TABLE pivot (playerId INTEGER REFERENCES player, clubId INTEGER REFERENCES club);
    INSERT INTO club VALUES (1); INSERT INTO school VALUES (1); INSERT INTO city VALUES (1);
    INSERT INTO player VALUES (1, 1, 1, 1), (2, 1, NULL, NULL), (3, NULL, 1, NULL), (4, NULL, NULL, 1);
    INSERT INTO pivot VALUES (1, 1)
    """

@Suite struct NearestPrefetchTests {
    private func ids(_ db: Database, _ request: QueryInterfaceRequest<Player>) throws -> [Int]? {
        let row = try Row.fetchOne(db, request.filter(key: 1))
        return row?.prefetchedRows["members"]?.map { $0["id"] }.sorted()
    }

    /// The order of a dictionary depends on its history and on a random seed, so many shapes are tested.
    @Test func theFirstScopeOfTheRequestCounts() throws {
        let club = Player.club.including(all: Club.players)
        let school = Player.school.including(all: School.pupils)
        let city = Player.city.including(all: City.inhabitants)
        try inLoggedDatabase(schema) { db, _ throws in
            for _ in 0..<4 {
                #expect(try ids(db, Player.including(required: club).including(required: school)) == [1, 2])
                #expect(try ids(db, Player.including(required: school).including(required: club)) == [1, 3])
                #expect(
                    try ids(db, Player.including(required: city).including(required: club).including(required: school))
                        == [1, 4])
                #expect(
                    try ids(db, Player.including(required: school).including(required: city).including(required: club))
                        == [1, 3])
            }
        }
    }

    @Test func theNearestScopeCounts() throws {
        let deep = Player.pivot.including(required: Pivot.club.including(all: Club.players))
        let near = Player.school.including(all: School.pupils)
        try inLoggedDatabase(schema) { db, _ throws in
            for _ in 0..<4 {
                #expect(try ids(db, Player.including(required: deep).including(required: near)) == [1, 3])
                #expect(try ids(db, Player.including(required: near).including(required: deep)) == [1, 3])
            }
        }
    }
}
