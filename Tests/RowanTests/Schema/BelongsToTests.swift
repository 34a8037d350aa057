import Rowan
import Testing

private func check(
    _ schema: String, options: TableOptions = [], _ sql: [String], sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (TableDefinition) throws -> Void
) throws {
    try inLoggedDatabase(schema) { db, log throws in
        try db.create(table: "book", options: options, body: body)
        #expect(log.take() == sql, sourceLocation: sourceLocation)
    }
}

struct BelongsToTests {
    private static let author = "CREATE TABLE author (id INTEGER PRIMARY KEY)"
    private static let country = "CREATE TABLE country (code TEXT NOT NULL, lang VARCHAR(2), PRIMARY KEY (lang, code))"

    @Test func columnsFollowThePrimaryKey() throws {
        try check(
            Self.author,
            [
                #"CREATE TABLE "book" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "authorId" INTEGER REFERENCES "author"("id"))"#,
                #"CREATE INDEX "book_on_authorId" ON "book"("authorId")"#,
            ]
        ) { t in
            t.autoIncrementedPrimaryKey("id")
            t.belongsTo("author")
        }
        try check(
            "CREATE TABLE author (uuid BLOB PRIMARY KEY)",
            [#"CREATE TABLE "book" ("authorUuid" BLOB REFERENCES "author"("uuid"))"#]
        ) { t in t.belongsTo("author", indexed: false) }
        try check(
            "CREATE TABLE author (id PRIMARY KEY)", [#"CREATE TABLE "book" ("authorId" REFERENCES "author"("id"))"#]
        ) { t in t.belongsTo("author", indexed: false) }
    }

    @Test func options() throws {
        try check(
            Self.author,
            [
                """
                CREATE TABLE "book" ("authorId" INTEGER NOT NULL UNIQUE REFERENCES "author"("id") ON DELETE CASCADE \
                ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED, "title" TEXT)
                """
            ]
        ) { t in
            t.belongsTo("author", onDelete: .cascade, onUpdate: .setNull, deferred: true).notNull().unique()
            t.column("title", .text)
        }
        try check(
            Self.author, options: .ifNotExists,
            [
                #"CREATE TABLE IF NOT EXISTS "book" ("authorId" INTEGER NOT NULL ON CONFLICT IGNORE REFERENCES "author"("id"))"#,
                #"CREATE INDEX IF NOT EXISTS "book_on_authorId" ON "book"("authorId")"#,
            ]
        ) { t in t.belongsTo("author").notNull(onConflict: .ignore) }
        try check(
            Self.author,
            [#"CREATE TABLE "book" ("authorId" INTEGER UNIQUE REFERENCES "author"("id"))"#]
        ) { t in t.belongsTo("author", indexed: false).unique() }
    }

    @Test func compositeKeys() throws {
        try check(
            Self.country,
            [
                """
                CREATE TABLE "book" ("title", "countryLang" VARCHAR(2) NOT NULL, "countryCode" TEXT NOT NULL, "year", \
                UNIQUE ("title"), FOREIGN KEY ("countryLang", "countryCode") REFERENCES "country"("lang", "code") \
                ON DELETE CASCADE)
                """,
                #"CREATE INDEX "index_book_on_countryLang_countryCode" ON "book"("countryLang", "countryCode")"#,
            ]
        ) { t in
            t.column("title")
            t.belongsTo("country", onDelete: .cascade).notNull()
            t.column("year")
            t.uniqueKey(["title"])
        }
    }

    /// The other table has the name of the foreign key, or its plural, unless the definition specifies one.
    @Test func otherTables() throws {
        try check(
            "CREATE TABLE authors (id INTEGER PRIMARY KEY)",
            [#"CREATE TABLE "book" ("authorId" INTEGER REFERENCES "authors"("id"))"#]
        ) { t in t.belongsTo("author", indexed: false) }
        try check(
            "\(Self.author); CREATE TABLE authors (id TEXT PRIMARY KEY)",
            [#"CREATE TABLE "book" ("authorId" INTEGER REFERENCES "author"("id"))"#]
        ) { t in t.belongsTo("author", indexed: false) }
        try check(
            "CREATE TABLE person (id INTEGER PRIMARY KEY)",
            [
                """
                CREATE TABLE "book" ("authorId" INTEGER REFERENCES "person"("id"), \
                "translatorId" INTEGER REFERENCES "person"("id") ON DELETE SET NULL)
                """,
                #"CREATE INDEX "book_on_authorId" ON "book"("authorId")"#,
                #"CREATE INDEX "book_on_translatorId" ON "book"("translatorId")"#,
            ]
        ) { t in
            t.belongsTo("author", inTable: "person")
            t.belongsTo("translator", inTable: "person", onDelete: .setNull)
        }
    }

    @Test func theTableUnderDefinition() throws {
        try check(
            "",
            [
                #"CREATE TABLE "book" ("id" TEXT PRIMARY KEY NOT NULL, "sequelId" TEXT REFERENCES "book"("id"))"#,
                #"CREATE INDEX "book_on_sequelId" ON "book"("sequelId")"#,
            ]
        ) { t in
            t.primaryKey("id", .text)
            t.belongsTo("sequel", inTable: "book")
        }
        try check(
            "",
            [
                """
                CREATE TABLE "book" ("bookA" INTEGER, "bookB" TEXT, "a" INTEGER NOT NULL, "b" TEXT NOT NULL, \
                PRIMARY KEY ("a", "b"), FOREIGN KEY ("bookA", "bookB") REFERENCES "book"("a", "b"))
                """
            ]
        ) { t in
            t.belongsTo("book", indexed: false)
            t.primaryKey {
                t.column("a", .integer)
                t.column("b", .text)
            }
        }
        try check("", [#"CREATE TABLE "book" ("id" INTEGER PRIMARY KEY, "next" INTEGER REFERENCES "book"("id"))"#]) {
            t in
            t.primaryKey("id", .integer)
            t.column("next", .integer).references("book")
        }
    }

    @Test func primaryKeysOfForeignKeys() throws {
        try check(
            "\(Self.author); \(Self.country)",
            [
                """
                CREATE TABLE "book" ("authorId" INTEGER NOT NULL REFERENCES "author"("id"), \
                "countryLang" VARCHAR(2) NOT NULL, "countryCode" TEXT NOT NULL, "number" INTEGER NOT NULL, "title", \
                PRIMARY KEY ("authorId", "countryLang", "countryCode", "number") ON CONFLICT REPLACE, \
                FOREIGN KEY ("countryLang", "countryCode") REFERENCES "country"("lang", "code"))
                """
            ]
        ) { t in
            t.primaryKey(onConflict: .replace) {
                t.belongsTo("author")
                t.belongsTo("country")
                t.column("number", .integer)
            }
            t.column("title")
        }
    }

    /// A foreign key refers to a key that itself consists of foreign keys.
    @Test func referencesToKeysOfForeignKeys() throws {
        try inLoggedDatabase(Self.author) { db, log throws in
            try db.create(table: "profile") { t in
                t.primaryKey { t.belongsTo("author") }
                t.belongsTo("previous", inTable: "profile", indexed: false)
            }
            try db.create(table: "picture") { t in t.belongsTo("profile", indexed: false) }
            #expect(
                log.take() == [
                    """
                    CREATE TABLE "profile" ("authorId" INTEGER NOT NULL REFERENCES "author"("id"), \
                    "previousAuthorId" INTEGER REFERENCES "profile"("authorId"), PRIMARY KEY ("authorId"))
                    """,
                    #"CREATE TABLE "picture" ("profileAuthorId" INTEGER REFERENCES "profile"("authorId"))"#,
                ])
        }
    }

    @Test func temporaryTables() throws {
        try inLoggedDatabase("\(Self.author); CREATE TEMPORARY TABLE person (id TEXT PRIMARY KEY)") { db, log throws in
            try db.create(table: "t", options: .temporary) { $0.belongsTo("person", indexed: false) }
            #expect(log.take() == [#"CREATE TEMPORARY TABLE "t" ("personId" TEXT REFERENCES "person"("id"))"#])
            // SQLite looks up the other table in the schema of the table.
            expectError(.SQLITE_ERROR) { try db.create(table: "u", options: .temporary) { $0.belongsTo("author") } }
            expectError(.SQLITE_ERROR) { try db.create(table: "v") { $0.belongsTo("person") } }
        }
    }

    @Test func errors() throws {
        try inLoggedDatabase("CREATE TABLE note (text); CREATE VIEW v AS SELECT 1") { db, log throws in
            expectError(
                .SQLITE_ERROR,
                """
                the foreign key author of table book refers to the missing table author or authors: \
                create it first, or name another one with inTable
                """
            ) { try db.create(table: "book") { $0.belongsTo("author") } }
            expectError(
                .SQLITE_ERROR,
                """
                the foreign key a of table book refers to the missing table person: \
                create it first, or name another one with inTable
                """
            ) { try db.create(table: "book") { $0.belongsTo("a", inTable: "person") } }
            expectError(
                .SQLITE_ERROR,
                """
                table note has no primary key for a foreign key of table book to refer to: \
                declare one, or name the referenced columns in the foreign key
                """
            ) { try db.create(table: "book") { $0.belongsTo("note") } }
            expectError(.SQLITE_ERROR) { try db.create(table: "book") { $0.belongsTo("x", inTable: "book") } }
            expectError(.SQLITE_ERROR) {
                try db.create(table: "book") { t in t.primaryKey { t.belongsTo("x", inTable: "book") } }
            }
            expectError(.SQLITE_ERROR) { try db.create(table: "book") { $0.belongsTo("v") } }
            #expect(log.take() == [])
        }
    }

    @Test func hostileNames() throws {
        for name in ["a\"b", "sélect", "group", "x y", "'", "日本"] {
            try inLoggedDatabase { db, _ throws in
                try db.create(table: name) { t in t.primaryKey("i\"d", .integer) }
                try db.create(table: "child of \(name)") { t in
                    t.autoIncrementedPrimaryKey("id")
                    t.belongsTo(name).notNull()
                }
                let foreignKey = try db.foreignKeys(on: "child of \(name)").first
                #expect(foreignKey?.destinationTable == name)
                #expect(foreignKey?.originColumns == ["\(name)I\"d"])
                #expect(try db.indexes(on: "child of \(name)").map(\.columns) == [["\(name)I\"d"]])
            }
        }
    }

    /// The documented associations need nothing else.
    @Test func associationsUseTheForeignKey() throws {
        struct Author: Codable, FetchableRecord, PersistableRecord {
            static let books = hasMany(Book.self)
            var id: Int64
        }
        struct Book: Codable, FetchableRecord, PersistableRecord, Equatable {
            static let author = belongsTo(Author.self)
            var id: Int64
            var authorId: Int64
        }
        try inLoggedDatabase(Self.author) { db, _ throws in
            try db.create(table: "book") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("author", onDelete: .cascade).notNull()
            }
            try Author(id: 1).insert(db)
            try Book(id: 7, authorId: 1).insert(db)
            expectError(.SQLITE_CONSTRAINT_FOREIGNKEY) { try Book(id: 8, authorId: 2).insert(db) }
            #expect(try Author(id: 1).request(for: Author.books).fetchAll(db) == [Book(id: 7, authorId: 1)])
            try Author(id: 1).delete(db)
            #expect(try Book.fetchCount(db) == 0)
        }
    }
}
