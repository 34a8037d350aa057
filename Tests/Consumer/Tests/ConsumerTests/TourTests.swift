import Rowan
import RowanRecords
import Testing

// The code of the tour (Guide/Start/Tour), as another package sees it.

@Record("place") struct Place {
    var id: Int64?  // comes from the database
    var title: String
    var isFavorite: Bool
}

struct Country: Codable, FetchableRecord, PersistableRecord {
    var code: String
    var name: String
}

@Record("visit") struct Visit {
    var id: Int64
    @References(Place.self) var placeId: Int64  // the association Visit.place
    var stars: Int
}

extension Place {
    static let visits = hasMany(Visit.self)
}

@Selection struct PlaceInfo {
    var place: Place
    var visits: [Visit]
    var averageVisitStars: Double?
}

struct TourTests {
    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { db in
            try db.create(table: "place") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text).notNull().unique()
                t.column("isFavorite", .boolean).notNull().defaults(to: false)
            }
        }
    }

    @Test func migrations() throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("places") { db in
            try db.create(table: "place") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text).notNull().unique()
            }
        }
        migrator.registerMigration("visits") { db in
            try db.create(table: "visit") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("place", onDelete: .cascade).notNull()  // placeId, its foreign key, and its index
                t.column("stars", .integer).notNull()
            }
        }
        try migrator.migrate(queue)
        let foreignKeys = try queue.read { db in try db.foreignKeys(on: "visit").map(\.originColumns) }
        #expect(foreignKeys == [["placeId"]])
    }

    @Test func fourLines() throws {
        let paris = try queue.write { db in try Place(title: "Paris", isFavorite: true).inserted(db) }
        let favorites = try queue.read { db in try Place.filter { $0.isFavorite == true }.fetchAll(db) }
        #expect(favorites.map(\.id) == [paris.id])
    }

    @Test func records() throws {
        try queue.write { db in
            var place = Place(title: "Paris", isFavorite: false)
            try place.insert(db)
            try place.updateChanges(db) { $0.isFavorite = true }
            let again = try Place.fetchOne(db, id: place.id)
            #expect(again?.isFavorite == true)
            #expect(try place.delete(db))
            #expect(try Place.fetchCount(db) == 0)
        }
    }

    @Test func requests() throws {
        try queue.write { db in
            for title in ["Lyon", "Nice", "Paris"] {
                _ = try Place(title: title, isFavorite: title != "Nice").inserted(db)
            }
            let page = try Place.filter { $0.isFavorite == true }.order { $0.title }.limit(10).fetchAll(db)
            #expect(page.map(\.title) == ["Lyon", "Paris"])
            #expect(try Place.filter { $0.title.like("P%") }.updateAll(db) { $0.isFavorite.set(to: false) } == 1)
            #expect(try Place.filter { $0.isFavorite == false }.deleteAll(db) == 2)
        }
    }

    @Test func associations() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE visit (id INTEGER PRIMARY KEY, placeId INTEGER REFERENCES place, stars INTEGER);
                    INSERT INTO place VALUES (1, 'Lyon', 1), (2, 'Nice', 0);
                    INSERT INTO visit VALUES (1, 1, 4), (2, 1, 5), (3, 2, 1)
                    """)
            let infos =
                try Place
                .annotated(with: Place.visits.average(\.stars))
                .including(all: Place.visits)
                .asRequest(of: PlaceInfo.self)
                .fetchAll(db)
            #expect(infos.map(\.averageVisitStars) == [4.5, 1])
            #expect(infos.map { $0.visits.map(\.id) } == [[1, 2], [3]])
            let visits = try Visit.joining(required: Visit.place.filter { $0.isFavorite == true }).fetchAll(db)
            #expect(visits.map(\.id) == [1, 2])
        }
    }

    @Test func beyond() throws {
        try queue.write { db in
            try db.create(table: "visit") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("place", onDelete: .cascade).notNull()
                t.column("stars", .integer).notNull()
            }
            for title in ["Lyon", "Nice"] { _ = try Place(title: title, isFavorite: true).inserted(db) }
            let visits = [
                Visit(id: 1, placeId: 1, stars: 2), Visit(id: 2, placeId: 1, stars: 5),
                Visit(id: 3, placeId: 2, stars: 4),
            ]
            try Visit.insertAll(db, visits)
            let best = try Visit.all().latest(per: \.placeId, by: \.stars.desc)
                .join(Place.all()) { visit, place in place.id == visit.placeId }
                .fetchAll(db)
            #expect(best.map { "\($0.1.title) \($0.0.stars)" }.sorted() == ["Lyon 5", "Nice 4"])
            let first = try Visit.order(\.stars.desc).page(size: 2).fetch(db)
            let second = try Visit.order(\.stars.desc).page(after: first.next, size: 2).fetch(db)
            #expect(first.map(\.id) == [2, 3])
            #expect(second.map(\.id) == [1])
            let pair = average(Column("stars")).over(orderBy: [Column("id")], frame: .rows(from: .preceding(1)))
            let averages = try Visit.order(\.id).select(pair, as: Double.self).fetchAll(db)
            #expect(averages == [2, 3.5, 4.5])
            let plan = try Visit.filter { $0.placeId == 1 }.explain(db)
            #expect(plan.indexes == ["visit_on_placeId"])
            #expect(plan.fullScans == [])
        }
    }

    @Test func sql() throws {
        try queue.write { db in
            try db.execute(sql: "INSERT INTO place (title) VALUES (?)", arguments: ["Oslo"])
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM place")
            #expect(count == 1)
            for row in try Row.fetchAll(db, sql: "SELECT id, title FROM place") {
                let title: String = row["title"]
                #expect(title == "Oslo")
            }
            let title = "Oslo"
            let request: SQLRequest<Place> = "SELECT * FROM place WHERE title = \(title)"
            #expect(try request.fetchOne(db)?.title == "Oslo")
        }
    }

    @Test func errors() throws {
        _ = try queue.write { db in try Place(title: "Paris", isFavorite: false).inserted(db) }
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { db in
                _ = try Place(title: "Rome", isFavorite: false).inserted(db)
                _ = try Place(title: "Paris", isFavorite: false).inserted(db)
            }
        }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        #expect(try queue.read(Place.fetchCount) == 1)
    }

    @Test func asyncAccess() async throws {
        let count = try await queue.read { db in try Place.fetchCount(db) }
        #expect(count == 0)
    }

    @Test func observation() async throws {
        let observation = ValueObservation.tracking { db in try Place.fetchCount(db) }
        var counts: [Int] = []
        for try await count in observation.values(in: queue) {
            counts.append(count)
            if count == 1 { break }
            _ = try await queue.write { db in try Place(title: "Paris", isFavorite: false).inserted(db) }
        }
        #expect(counts == [0, 1])
    }
}
