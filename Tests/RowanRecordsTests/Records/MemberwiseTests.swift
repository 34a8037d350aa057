// Records with a memberwise initializer from the macro.

public import Foundation
public import RowanRecords
import Testing

@Record("site", memberwise: true) public struct Site: Equatable {
    public var id: Int64?
    public var title: String
    public var rating = 3, isOpen = true
    @Column(as: .unixTime) public var created: Date = Date(timeIntervalSince1970: 0)
    @Ignored public var isSelected = false
    private var revision = 1
}

@MainActor @Record("desk", memberwise: true) struct Desk {
    @PrimaryKey var number: Int
    var owner: String?
}

@Suite("Memberwise initializers by macro")
struct MemberwiseTests {
    @Test func initialValuesAreDefaults() throws {
        var site = Site(title: "Minster")
        #expect(site == Site(id: nil, title: "Minster", rating: 3, isOpen: true, isSelected: false))
        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE site (id INTEGER PRIMARY KEY, title, rating, isOpen, created, revision)")
            try site.insert(db)
            #expect(try Site.fetchAll(db) == [Site(id: 1, title: "Minster", rating: 3)])
        }
    }

    @Test @MainActor func typesOfTheMainActor() throws {
        let desk = Desk(number: 1)
        #expect(desk.owner == nil && desk.number == 1)
    }
}
