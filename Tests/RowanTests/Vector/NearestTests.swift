// Searches for the nearest vectors, as requests.

import Foundation
import Rowan
import RowanRecords
import Testing

@Record("item") private struct Item: Equatable {
    var id: Int64?
    var name: String
    static let vector = hasOne(ItemVector.self, using: ForeignKey(["id"], to: ["id"]))
}

@Record("item_vec") private struct ItemVector: Equatable {
    var id: Int64
    var owner: Int
    @Column(as: .vector) var embedding: [Float]
    var year: Int
    var summary: String?
    static let item = belongsTo(Item.self, using: ForeignKey(["id"], to: ["id"]))
}

@Selection private struct Found: Equatable {
    var id: Int64
    var distance: Double
}

@Selection private struct FoundItem: Equatable {
    var id: Int64
    var distance: Double
    var item: Item
}

@Suite(.needsVec)
struct NearestTests {
    /// Twenty vectors (0, 1), (1, 1), ... of two owners, in turn.
    private func withItems(_ distance: Vec0.Distance = .l2, _ body: (Database) throws -> Void) throws {
        try withVec { db in
            try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            try db.create(virtualTable: "item_vec", using: Vec0()) { t in
                t.primaryKey("id")
                t.column("owner", .integer).partitionKey()
                t.vector("embedding", dimension: 2, distance: distance)
                t.column("year", .integer)
                t.column("summary", .text).auxiliary()
            }
            for index in 0..<20 {
                var item = Item(id: Int64(index), name: "item \(index)")
                try item.insert(db)
                try ItemVector(
                    id: Int64(index), owner: index % 2, embedding: [Float(index), 1], year: 2000 + index, summary: "s"
                ).insert(db)
            }
            try body(db)
        }
    }

    private func ids(_ request: QueryInterfaceRequest<ItemVector>, _ db: Database) throws -> [Int64] {
        try request.fetchAll(db).map(\.id)
    }

    @Test func theSQL() throws {
        try withItems { db in
            let request = Table("item_vec").nearest(to: [4.2, 1], k: 3)
                .filter(Column("year") > 2004).annotated(with: Column.distance)
            let expected = """
                SELECT *, "distance" FROM "item_vec" WHERE ("embedding" MATCH ?) AND ("k" = ?) \
                AND ((+"distance") IS NOT NULL) AND ("year" > ?) ORDER BY "distance"
                """
            let (sql, arguments) = try (request.sql(db).sql, request.sql(db).arguments)
            #expect(sql == expected)
            #expect(arguments == [FloatVector([4.2, 1]), 3, 2004])
            try #expect(Row.fetchAll(db, request).map { $0["id"] } == [5, 6, 7])
        }
    }

    @Test func allStarts() throws {
        try withItems { db in
            try #expect(ids(ItemVector.nearest(to: [4.2, 1], k: 3), db) == [4, 5, 3])
            try #expect(ids(ItemVector.all().nearest(to: [4.2, 1], k: 3, by: "embedding"), db) == [4, 5, 3])
            try #expect(ids(Table<ItemVector>("item_vec").nearest(to: [4.2, 1], k: 3), db) == [4, 5, 3])
            try #expect(ids(ItemVector.order(\.year).reversed().nearest(to: [4.2, 1], k: 3), db) == [4, 5, 3])
            // Fewer rows than requested.
            try #expect(ids(ItemVector.nearest(to: [4.2, 1], k: 100), db).count == 20)
        }
    }

    @Test func distances() throws {
        try withItems { db in
            let request = ItemVector.nearest(to: [4.25, 1], k: 2).select(Column("id"), Column.distance)
            try #expect(
                Row.fetchAll(db, request).map { [$0[0] as Double, $0[1]] } == [[4, 0.25], [5, 0.75]])
            let found = ItemVector.nearest(to: [4.25, 1], k: 2).select({ [$0.id, Column.distance] }, as: Found.self)
            try #expect(found.fetchAll(db) == [Found(id: 4, distance: 0.25), Found(id: 5, distance: 0.75)])
            // A maximum distance restricts the rows.
            let near = ItemVector.nearest(to: [4.25, 1], k: 5).filter(Column.distance < 1)
            try #expect(ids(near, db) == [4, 5])
        }
    }

    @Test func filtersChooseBeforeTheSearch() throws {
        try withItems { db in
            let nearest = ItemVector.nearest(to: [4.2, 1], k: 3)
            try #expect(ids(nearest.filter { $0.owner == 1 }, db) == [5, 3, 7])
            try #expect(ids(nearest.filter { $0.year >= 2010 }, db) == [10, 11, 12])
            try #expect(ids(nearest.filter { $0.year != 2004 }, db) == [5, 3, 6])
            try #expect(ids(nearest.filter { (2008...2015).contains($0.year) }, db) == [8, 9, 10])
            try #expect(ids(nearest.filter { [2001, 2019].contains($0.year) }, db) == [1, 19])
            try #expect(ids(nearest.filter(keys: [1, 2, 19, 18]), db) == [2, 1, 18])
            // A subquery on another table.
            let named = Item.filter { $0.name > "item 6" }.select(\.id, as: Int64.self)
            try #expect(ids(nearest.filter { named.contains($0.id) }, db) == [7, 8, 9])
            // k rows for each partition in a list.
            try #expect(ids(nearest.filter { [0, 1].contains($0.owner) }, db).count == 6)
            try #expect(ids(nearest.filter { [0, 1].contains($0.owner) }.limit(3), db) == [4, 5, 3])
        }
    }

    @Test func expressionsFilterAfterTheSearch() throws {
        try withItems { db in
            let nearest = ItemVector.nearest(to: [4.2, 1], k: 3)
            try #expect(ids(nearest.filter { $0.year + 0 > 2004 }, db) == [5])
            // Sqlite-vec accepts lists of keys, but not a single key.
            try #expect(ids(nearest.filter(key: 12), db) == [])
            try #expect(ids(nearest.filter(keys: [5]), db) == [5])
        }
    }

    /// Since 3.41, SQLite passes limits to sqlite-vec, which rejects them.
    @Test func limitsAndCounts() throws {
        try withItems { db in
            let nearest = ItemVector.nearest(to: [4.2, 1], k: 3)
            try #expect(nearest.fetchOne(db)?.id == 4)
            try #expect(ids(nearest.limit(2), db) == [4, 5])
            try #expect(ids(nearest.limit(2, offset: 1), db) == [5, 3])
            try #expect(nearest.fetchCount(db) == 3)
            try #expect(nearest.isEmpty(db) == false)
            try #expect(nearest.filter { $0.owner == 9 }.isEmpty(db))
            try #expect(nearest.select(\.id).fetchSet(db) == [3, 4, 5])
        }
    }

    @Test func joins() throws {
        try withItems { db in
            let request = ItemVector.nearest(to: [4.25, 1], k: 2).select(Column("id"), Column.distance)
                .including(required: ItemVector.item)
            let found = try FoundItem.fetchAll(db, request)
            #expect(found.map(\.item.name) == ["item 4", "item 5"])
            #expect(found.map(\.distance) == [0.25, 0.75])
            // A filter on the other table applies after the search.
            let filtered = ItemVector.nearest(to: [4.25, 1], k: 2)
                .joining(required: ItemVector.item.filter { $0.name != "item 4" })
            try #expect(ids(filtered, db) == [5])
            // Items ordered by the distance of their vectors.
            let items = Item.joining(required: Item.vector.nearest(to: [4.25, 1], k: 2))
            try #expect(Set(items.fetchAll(db).map(\.name)) == ["item 4", "item 5"])
            let subquery = ItemVector.nearest(to: [4.25, 1], k: 2).select(\.id, as: Int64.self)
            try #expect(Item.filter { subquery.contains($0.id) }.fetchCount(db) == 2)
        }
    }

    @Test func metrics() throws {
        for (metric, expected) in [(Vec0.Distance.l2, 2.0.squareRoot()), (.l1, 2), (.cosine, 1 - 0.5.squareRoot())] {
            try withItems(metric) { db in
                let request = ItemVector.nearest(to: [2, 0], k: 20).filter(key: 1).select(
                    Column.distance, as: Double.self)
                let distance = try #require(try request.fetchOne(db))
                #expect(abs(distance - expected) < 1e-6, "\(metric)")
            }
        }
    }

    /// The zero vector has no direction: sqlite-vec would return rows without a distance.
    @Test func vectorsWithoutADirection() throws {
        try withItems(.cosine) { db in
            try #expect(ids(ItemVector.nearest(to: [0, 0], k: 3), db) == [])
        }
    }

    @Test func badSearches() throws {
        try withItems { db in
            func refuse(_ code: ResultCode, _ part: String, _ request: QueryInterfaceRequest<ItemVector>) {
                let error = expectError(code) { try request.fetchAll(db) }
                #expect(error?.message?.contains(part) == true, "\(error?.message ?? "")")
            }
            refuse(.SQLITE_MISUSE, "no vector is nearest to an empty one", ItemVector.nearest(to: [], k: 3))
            for k in [0, -1, Int.min] {
                refuse(.SQLITE_MISUSE, "can't find the \(k) nearest vectors", ItemVector.nearest(to: [1, 1], k: k))
            }
            for k in [4_097, Int.max] {
                refuse(.SQLITE_ERROR, "k value in knn query too large", ItemVector.nearest(to: [1, 1], k: k))
            }
            for element in [Float.nan, .infinity] {
                refuse(.SQLITE_MISMATCH, "infinite, or not a number", ItemVector.nearest(to: [element, 1], k: 3))
            }
            refuse(.SQLITE_ERROR, "Expected 2 dimensions but received 3", ItemVector.nearest(to: [1, 1, 1], k: 3))
            refuse(
                .SQLITE_ERROR, "auxiliary column", ItemVector.nearest(to: [1, 1], k: 3).filter { $0.summary == "s" })
            refuse(.SQLITE_ERROR, "no such column: ", ItemVector.nearest(to: [1, 1], k: 3, by: "other"))
            let error = expectError(.SQLITE_ERROR) { try Item.nearest(to: [1, 1], k: 3).fetchAll(db) }
            #expect(error?.message?.hasPrefix("item has no vectors: ") == true)
        }
    }

    @Test func tablesWithSeveralVectors() throws {
        try withVec { db in
            try db.create(virtualTable: "two", options: .temporary, using: Vec0()) { t in
                t.vector("title", dimension: 1)
                t.vector("body", dimension: 1)
            }
            try db.execute(sql: "INSERT INTO two (title, body) VALUES ('[1]', '[2]'), ('[2]', '[1]')")
            let error = expectError(.SQLITE_ERROR) { try Table("two").nearest(to: [1], k: 1).fetchAll(db) }
            #expect(error?.message == "two has several vectors: choose one of title, body with nearest(to:k:by:)")
            let rowID = Table("two").nearest(to: [1], k: 1, by: "body").select(Column.rowID, as: Int64.self)
            try #expect(rowID.fetchAll(db) == [2])
        }
    }

    @Test func distancesInOtherTables() throws {
        try withVec { db in
            try db.execute(sql: "CREATE TABLE plain (id INTEGER PRIMARY KEY, embedding BLOB)")
            for index in 1...3 {
                try db.execute(
                    sql: "INSERT INTO plain VALUES (?, ?)", arguments: [index, FloatVector([Float(index), 1])])
            }
            let (column, vector) = (Column("embedding"), FloatVector([3, 1]))
            for distance in [
                vecDistanceL2(column, vector), vecDistanceL1(column, vector), vecDistanceCosine(column, vector),
            ] {
                let request = Table("plain").order(distance).select(Column("id"), as: Int.self)
                try #expect(request.fetchAll(db) == [3, 2, 1])
            }
            let l1 = Table("plain").select(vecDistanceL1(column, vector), as: Double.self)
            try #expect(l1.fetchAll(db) == [2, 1, 0])
        }
    }

    /// The result equals that of a search in Swift.
    @Test func equalsABruteForceSearch() throws {
        var generator = SeededGenerator(seed: 5)
        func vector(_ dimension: Int) -> [Float] { (0..<dimension).map { _ in .random(in: -1...1, using: &generator) } }
        for metric in [Vec0.Distance.l2, .l1, .cosine] {
            let dimension = Int.random(in: 1...24, using: &generator)
            try withVec { db in
                try db.create(virtualTable: "v", using: Vec0()) { t in
                    t.vector("embedding", dimension: dimension, distance: metric)
                    t.column("group", .integer)
                    t.chunkSize = 8
                }
                var all: [(id: Int64, group: Int, elements: [Float])] = []
                for id in 1...Int64.random(in: 1...200, using: &generator) {
                    let (group, elements) = (Int.random(in: 0..<3, using: &generator), vector(dimension))
                    all.append((id, group, elements))
                    try db.execute(
                        sql: #"INSERT INTO v (rowid, embedding, "group") VALUES (?, ?, ?)"#,
                        arguments: [id, FloatVector(elements), group])
                }
                // Deleted rows are not found.
                for id in all.map(\.id) where id % 7 == 0 {
                    try db.execute(sql: "DELETE FROM v WHERE rowid = ?", arguments: [id])
                }
                all.removeAll { $0.id % 7 == 0 }
                for _ in 0..<20 {
                    let (query, k) = (vector(dimension), Int.random(in: 1...30, using: &generator))
                    let group = Int.random(in: 0..<4, using: &generator)
                    var request = Table("v").nearest(to: query, k: k)
                    if group < 3 { request = request.filter(Column("group") == group) }
                    let found = try Row.fetchAll(db, request.select(Column.rowID, Column.distance))
                    let candidates = all.filter { group == 3 || $0.group == group }
                    let expected = candidates.map { metric.distance($0.elements, query) }.sorted().prefix(k)
                    #expect(found.count == expected.count)
                    for (row, distance) in zip(found, expected) {
                        // Rows with equal distances may be in any order, but each row must have its reported distance.
                        #expect(abs(row[1] - distance) < 1e-4)
                        let elements = try #require(candidates.first { $0.id == row[0] }).elements
                        #expect(abs(row[1] - metric.distance(elements, query)) < 1e-4)
                    }
                    #expect(Set(found.map { $0[0] as Int64 }).count == found.count)
                }
            }
        }
    }
}

extension Vec0.Distance {
    /// The distance, calculated in Swift.
    fileprivate func distance(_ a: [Float], _ b: [Float]) -> Double {
        let pairs = zip(a.map(Double.init), b.map(Double.init))
        func dot(_ pairs: some Sequence<(Double, Double)>) -> Double { pairs.reduce(0) { $0 + $1.0 * $1.1 } }
        return switch self {
        case .l2: pairs.reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
        case .l1: pairs.reduce(0) { $0 + abs($1.0 - $1.1) }
        case .cosine:
            1 - dot(pairs)
                / (dot(zip(a, a).map { (Double($0), Double($1)) }) * dot(zip(b, b).map { (Double($0), Double($1)) }))
                .squareRoot()
        }
    }
}
