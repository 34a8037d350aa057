// Objects are stored in the table of their dynamic class, whatever their static type.

import Rowan
import Testing

private class Animal: PersistableRecord {
    class var databaseTableName: String { "animal" }
    var id: Int64?
    var name: String

    init(id: Int64? = nil, name: String) {
        self.id = id
        self.name = name
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }

    func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private final class Cat: Animal {
    override class var databaseTableName: String { "cat" }
    var lives = 9

    override func encode(to container: inout PersistenceContainer) {
        super.encode(to: &container)
        container["lives"] = lives
    }
}

private let schema = """
    CREATE TABLE animal (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE cat (id INTEGER PRIMARY KEY, name TEXT, lives INTEGER)
    """

struct ClassTests {
    @Test func allOperationsUseTheTableOfTheObject() throws {
        try inLoggedDatabase(schema) { db, log throws in
            let tom: Animal = Cat(name: "Tom")
            try tom.insert(db)
            try tom.update(db)
            try tom.save(db)
            try tom.upsert(db)
            #expect(try tom.exists(db))
            _ = try tom.updateAndFetch(db, selection: [Column("lives")]) { try Int.fetchOne($0) }
            #expect(try tom.delete(db))
            #expect(missingKey { try tom.update(db) } == ["id": 1.databaseValue])
            for sql in log.take() { #expect(sql.contains(#""cat""#) && !sql.contains(#""animal""#)) }
        }
    }

    @Test func aMixOfClasses() throws {
        try inLoggedDatabase(schema) { db, _ throws in
            let animals = [Animal(name: "Rex"), Cat(name: "Tom"), Animal(name: "Laika"), Cat(name: "Felix")]
            for animal in animals { try animal.insert(db) }
            #expect(animals.map(\.id) == [1, 1, 2, 2])
            #expect(try String.fetchAll(db, sql: "SELECT name FROM cat") == ["Tom", "Felix"])
            let any: [any PersistableRecord] = animals
            for animal in any { try animal.update(db) }
            #expect(try Animal.fetchCount(db) == 2)
            #expect(try Cat.fetchCount(db) == 2)
        }
    }
}
