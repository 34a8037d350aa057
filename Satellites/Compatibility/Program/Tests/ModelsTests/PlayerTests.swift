import Foundation
import GRDB
import Models
import Testing

@Suite struct PlayerTests {
    @Test func aProgramForTheOtherModule() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "players-\(UUID()).sqlite").path
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        for store in [try PlayerStore(), try PlayerStore(path: path)] {
            let arthur = try await store.save(Player(name: "Arthur", score: 10))
            let barbara = try await store.save(Player(name: "Barbara", score: 20))
            #expect(arthur.id == 1)
            #expect(try store.best() == [barbara, arthur])
            #expect(try store.doubled(21) == 42)
            for try await count in store.counts() {
                #expect(count == 2)
                break
            }
        }
    }

    @Test func errorsHaveTheirTypes() async throws {
        let store = try PlayerStore()
        _ = try await store.save(Player(name: "Arthur", score: 1))
        do {
            _ = try await store.save(Player(name: "Arthur", score: 2))
            Issue.record("two players have one name")
        } catch let error as GRDB.DatabaseError {
            #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        }
    }

    @Test func theCAPI() async throws {
        #expect(PlayerStore.sqliteVersion.hasPrefix("3."))
        let store = try PlayerStore()
        let before = try store.changes()
        for name in ["Arthur", "Barbara"] { _ = try await store.save(Player(name: name, score: 1)) }
        #expect(try store.changes() == before + 2)
    }
}
