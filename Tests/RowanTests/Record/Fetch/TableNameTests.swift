import Rowan
import Testing

private struct Place: TableRecord {}
private struct Country: TableRecord {}
private struct PostalAddress: TableRecord {}
private struct HTTPRequest: TableRecord {}
private struct TOEFL: TableRecord {}
private struct URLs2: TableRecord {}
private struct A: TableRecord {}
private struct player: TableRecord {}
private struct _Hidden: TableRecord {}
private struct Élève: TableRecord {}
private struct SQLite3Table: TableRecord {}
private struct Box<Content>: TableRecord {}
private class Animal: TableRecord {}
private final class Cat: Animal {}
private enum Zoo { struct Cage: TableRecord {} }
private enum Farm<Element> { struct Barn: TableRecord {} }
private struct Renamed: TableRecord { static let databaseTableName = "location" }

struct TableNameTests {
    @Test func isTheTypeNameWithItsFirstWordInLowerCase() {
        #expect(Place.databaseTableName == "place")
        #expect(Country.databaseTableName == "country")
        #expect(PostalAddress.databaseTableName == "postalAddress")
        #expect(HTTPRequest.databaseTableName == "httpRequest")
        #expect(TOEFL.databaseTableName == "toefl")
    }

    @Test func keepsOddNames() {
        #expect(A.databaseTableName == "a")
        #expect(player.databaseTableName == "player")
        #expect(_Hidden.databaseTableName == "_Hidden")
        #expect(Élève.databaseTableName == "élève")
    }

    @Test func isThatOfGenericAndNestedTypes() {
        #expect(Box<Int>.databaseTableName == "box")
        #expect(Box<[String: Place]>.databaseTableName == "box")
        #expect(Zoo.Cage.databaseTableName == "cage")
        #expect(Farm<Int>.Barn.databaseTableName == "barn")
    }

    @Test func isThatOfTheClassItself() {
        #expect(Animal.databaseTableName == "animal")
        #expect(Cat.databaseTableName == "cat")
    }

    @Test func isThatOfTypesInFunctions() {
        struct LocalPlace: TableRecord {}
        #expect(LocalPlace.databaseTableName == "localPlace")
    }

    @Test func canBeChosen() throws {
        #expect(Renamed.databaseTableName == "location")
        try inLoggedDatabase("CREATE TABLE location (id INTEGER PRIMARY KEY)") { db, log throws in
            #expect(try Renamed.fetchCount(db) == 0)
            #expect(log.take() == [#"SELECT COUNT(*) FROM "location""#])
        }
    }
}
