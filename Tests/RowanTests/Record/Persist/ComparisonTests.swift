import Foundation
import Rowan
import Testing

private struct Player: Codable, MutablePersistableRecord, FetchableRecord {
    var id: Int64?
    var name: String
    var score: Int
    var tags: [String] = []
}

private struct Score: Codable, PersistableRecord {
    static let databaseTableName = "player"
    var id: Int64?
    var score: Int
}

struct ComparisonTests {
    @Test func databaseEqualsComparesWhatIsStored() {
        let player = Player(id: 1, name: "Arthur", score: 10)
        #expect(player.databaseEquals(player))
        #expect(player.databaseEquals(Player(id: 1, name: "Arthur", score: 10)))
        #expect(!player.databaseEquals(Player(id: 2, name: "Arthur", score: 10)))
        #expect(!player.databaseEquals(Player(id: nil, name: "Arthur", score: 10)))
        #expect(!player.databaseEquals(Player(id: 1, name: "Arthur", score: 10, tags: ["a"])))
    }

    @Test func databaseEqualsTellsStorageClassesApart() {
        struct Number: EncodableRecord {
            var value: any DatabaseValueConvertible
            func encode(to container: inout PersistenceContainer) { container["value"] = value }
        }
        #expect(Number(value: 1).databaseEquals(Number(value: 1)))
        #expect(Number(value: Data("a".utf8)).databaseEquals(Number(value: Data("a".utf8))))
        #expect(!Number(value: "a").databaseEquals(Number(value: Data("a".utf8))))
        #expect(!Number(value: "1").databaseEquals(Number(value: 1)))
    }

    @Test func databaseChangesFromAnotherRecord() throws {
        let old = Player(id: 1, name: "Arthur", score: 100)
        let new = Player(id: 1, name: "Arthur", score: 1000, tags: ["x"])
        #expect(try new.databaseChanges(from: old) == ["score": 100.databaseValue, "tags": "[]".databaseValue])
        #expect(try new.databaseChanges(from: new) == [:])
        #expect(
            try new.databaseChanges(from: Player(id: nil, name: "A", score: 1000, tags: ["x"])) == [
                "id": .null, "name": "A".databaseValue,
            ])
    }

    @Test func databaseChangesBetweenTypes() throws {
        let player = Player(id: 1, name: "Arthur", score: 100)
        #expect(try Score(id: 1, score: 5).databaseChanges(from: player) == ["score": 100.databaseValue])
        #expect(try player.databaseChanges(from: Score(id: 1, score: 100)) == ["name": .null, "tags": .null])
    }

    @Test func databaseChangesInPlace() throws {
        var player = Player(id: 1, name: "Arthur", score: 100)
        let changes = try player.databaseChanges {
            $0.score += 1
            $0.name = "Barbara"
        }
        #expect(changes == ["score": 100.databaseValue, "name": "Arthur".databaseValue])
        #expect(player.score == 101)
        #expect(throws: CallbackFailure("x")) { try player.databaseChanges { _ in throw CallbackFailure("x") } }
    }

    @Test func databaseDictionary() throws {
        let dictionary = try Player(id: nil, name: "Arthur", score: 100, tags: ["a"]).databaseDictionary
        #expect(
            dictionary == [
                "id": .null, "name": "Arthur".databaseValue, "score": 100.databaseValue,
                "tags": #"["a"]"#.databaseValue,
            ])
    }

    @Test func columnNamesCompareCaseInsensitively() throws {
        struct Loud: EncodableRecord {
            func encode(to container: inout PersistenceContainer) {
                container["SCORE"] = 7
                container["score"] = 8
            }
        }
        #expect(try Loud().databaseDictionary == ["SCORE": 8.databaseValue])
        #expect(try Score(id: 1, score: 8).databaseChanges(from: Loud()) == ["id": .null])
    }

    @Test func whatCannotBeEncodedEqualsNothing() {
        struct Broken: EncodableRecord {
            func encode(to container: inout PersistenceContainer) throws { throw CallbackFailure("encode") }
        }
        #expect(!Broken().databaseEquals(Broken()))
        #expect(throws: CallbackFailure("encode")) { try Broken().databaseDictionary }
        #expect(throws: CallbackFailure("encode")) { try Broken().databaseChanges(from: Broken()) }
    }
}
