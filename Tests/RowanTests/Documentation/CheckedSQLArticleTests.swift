import Foundation
import RowanRecords
import Testing

@Record("place") private struct Place: Equatable {
    var id: Int64?
    var title: String
}

private func places(titled title: String) -> SQLRequest<Place> {
    // SELECT * FROM place WHERE title = ?
    #sql("SELECT * FROM place WHERE title = \(title)")
}

struct CheckedSQLArticleTests {
    @Test func article() throws {
        nonisolated(unsafe) var statements: [String] = []
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sql")
        // The system deletes leftover temporary files.
        defer { try? FileManager.default.removeItem(at: file) }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", sql: "CREATE TABLE place (id INTEGER PRIMARY KEY, title TEXT NOT NULL)")
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        try queue.write { db in
            db.trace { if case .statement(let statement) = $0 { statements.append(statement.sql) } }
            for title in ["Minster", "Market"] { _ = try Place(title: title).inserted(db) }
            let ids = [2, 3]
            let minster = try places(titled: "Minster").fetchOne(db)
            // DELETE FROM "place" WHERE id IN (?,?)
            try db.execute(literal: #sql("DELETE FROM \(Place.self) WHERE id IN \(ids)"))
            let found = try Int64.fetchAll(db, SQLRequest(literal: #sql("SELECT id FROM place")))
            #expect(found == [1])
            #expect(minster == Place(id: 1, title: "Minster"))
            #expect(try Place.fetchCount(db) == 1)
        }
        try migrator.writeSchema(to: file)
        try migrator.verifySchema(in: file)
        #expect(
            try String(contentsOf: file, encoding: .utf8)
                .hasSuffix("CREATE TABLE place (id INTEGER PRIMARY KEY, title TEXT NOT NULL);\n"))
        try Article("CheckedSQL").check(ran: statements)
    }
}
