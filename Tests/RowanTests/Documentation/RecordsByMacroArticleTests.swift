import Foundation
import Rowan
import RowanRecords
import Testing

@Record("town") private struct Town {
    var id: Int64?
    var name: String
}

@Record("place") private struct Place {
    var id: Int64?
    var title: String
    var latitude = 0.0, longitude = 0.0
    @Column("remark") var note: String?
    @Column(as: .unixTime) var created: Date
    @References(Town.self) var townID: Int64?
    @Column(generated: true) var label: String?
    @Ignored var isSelected = false
}

@Record("membership") private struct Membership {
    @PrimaryKey var townID: Int64
    @PrimaryKey var person: String
    var since: Int
}

private struct CentStorage: ColumnStorage {
    func databaseValue(of value: Double) -> DatabaseValue { Int64((value * 100).rounded()).databaseValue }
    func value(from column: ColumnValue) -> Double? { column.int64.map { Double($0) / 100 } }
}

@Record("product") private struct Product {
    var id: Int64?
    @Column(as: CentStorage()) var price: Double
}

extension Town {
    static let places = hasMany(Place.self, using: ForeignKey(["townID"]))
}

@Selection private struct PlaceInfo {
    var place: Place
    var town: Town?
}

struct RecordsByMacroArticleTests {
    @Test func article() throws {
        nonisolated(unsafe) var statements: [String] = []
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    INSERT INTO town VALUES (1, 'Ulm');
                    CREATE TABLE place (
                        id INTEGER PRIMARY KEY, title TEXT NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL,
                        remark TEXT, created NUMERIC NOT NULL, townID INTEGER REFERENCES town ON DELETE CASCADE,
                        label TEXT GENERATED ALWAYS AS (title || '!'));
                    CREATE TABLE membership (townID, person, since, PRIMARY KEY (townID, person));
                    CREATE TABLE product (id INTEGER PRIMARY KEY, price INTEGER NOT NULL);
                    """)
            db.trace { if case .statement(let statement) = $0 { statements.append(statement.sql) } }
            try writeAndRead(db)
            try products(db)
            try joins(db)
            try Membership(townID: 1, person: "Ann", since: 2020).insert(db)
            #expect(try Membership.fetchOne(db, key: ["townID": 1, "person": "Ann"])?.since == 2020)
        }
        try Article("RecordsByMacro").check(ran: statements)
    }

    private func writeAndRead(_ db: Database) throws {
        // INSERT INTO "place" ("id", "title", "latitude", "longitude", "remark", "created", "townID")
        //   VALUES (?,?,?,?,?,?,?)
        var place = Place(id: nil, title: "Minster", note: nil, created: .now, townID: 1, label: nil)
        try place.insert(db)  // place.id is now 1

        // SELECT "id", "title", "latitude", "longitude", "remark", "created", "townID", "label" FROM "place"
        //   WHERE ("title" = ?) AND ("created" > ?)
        let places = try Place.filter { $0.title == "Minster" && $0.created > .distantPast }.fetchAll(db)
        #expect(place.id == 1)
        #expect(places.map(\.label) == ["Minster!"])
    }

    private func products(_ db: Database) throws {
        var product = Product(id: nil, price: 2.5)
        try product.insert(db)
        // SELECT "id", "price" FROM "product" WHERE "price" = ?
        let products = try Product.filter { $0.price == 2.5 }.fetchAll(db)  // the argument is 250
        #expect(products.map(\.price) == [2.5])
        #expect(try Int.fetchOne(db, sql: "SELECT price FROM product") == 250)
    }

    private func joins(_ db: Database) throws {
        // SELECT "place"."id", "place"."title", "place"."latitude", "place"."longitude", "place"."remark",
        //   "place"."created", "place"."townID", "place"."label", "town"."id", "town"."name"
        //   FROM "place" LEFT JOIN "town" ON "town"."id" = "place"."townID"
        let infos = try Place.including(optional: Place.town).asRequest(of: PlaceInfo.self).fetchAll(db)
        #expect(infos.map(\.town?.name) == ["Ulm"])
        #expect(infos.map(\.place.title) == ["Minster"])
    }
}
