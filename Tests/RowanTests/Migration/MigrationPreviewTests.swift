// The effects that migrations would have, without running them.

import Rowan
import Testing

struct MigrationPreviewTests {
    @Test(arguments: ConnectionKind.allCases) func previews(kind: ConnectionKind) throws {
        let folder = try TemporaryFolder()
        let writer = try kind.make(in: folder)
        var migrator = libraryMigrator()
        try migrator.migrate(writer, upTo: "authors")
        try writer.write { try $0.execute(sql: "INSERT INTO author (name) VALUES ('O''Brien')") }
        migrator.registerMigration("drop") { db in
            try db.execute(sql: "UPDATE author SET name = ? WHERE id = ?", arguments: ["x'y", 1])
            try db.drop(table: "book")
        }
        let preview = try migrator.preview(writer)
        #expect(preview.steps.map(\.identifier) == ["books", "years", "drop"])
        #expect(
            preview.description == """
                -- books
                CREATE TABLE "book" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "authorId" INTEGER NOT NULL REFERENCES "author"("id") ON DELETE CASCADE, "title" TEXT NOT NULL);
                CREATE INDEX "book_on_authorId" ON "book"("authorId");
                -- years
                ALTER TABLE "author" ADD COLUMN "birthYear" INTEGER;
                -- drop
                UPDATE author SET name = 'x''y' WHERE id = 1;
                DROP TABLE "book";
                -- Changes of the schema:
                --   changes table author: CREATE TABLE "author" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL, "birthYear" INTEGER)
                """)
        #expect(
            try migrator.preview(writer, upTo: "books").differences.map(\.description) == [
                "table book is not expected", "index book_on_authorId is not expected",
            ])
        #expect(try writer.read(migrator.appliedMigrations) == ["authors"])
        #expect(try writer.string("SELECT name FROM author") == "O'Brien")
        expectThrown(MigrationError.unknownTarget("x")) { _ = try migrator.preview(writer, upTo: "x") }
        withExtendedLifetime(folder) {}
    }

    /// A statement that begins with a comment is not part of a trigger.
    @Test func previewsOfCommentedSQL() throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1", sql: "-- first\nCREATE TABLE a (x);-- second\nCREATE TABLE b (x)")
        let statements = try migrator.preview(DatabaseQueue()).steps.first?.statements
        #expect(statements?.count == 2)
        #expect(statements?.first == "-- first\nCREATE TABLE a (x)")
    }
}
