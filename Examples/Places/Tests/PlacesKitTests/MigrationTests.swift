import PlacesKit
import Rowan
import Testing

struct MigrationTests {
    /// The first version of the program created its tables without migrations.
    @Test func aFileOfTheFirstVersionKeepsItsPlaces() throws {
        let folder = try TemporaryFolder()
        let old = try DatabasePool(path: folder.database)
        try old.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE country (code TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL);
                    CREATE TABLE place (id INTEGER PRIMARY KEY AUTOINCREMENT, zone TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
                        isFavorite BOOLEAN NOT NULL DEFAULT 0, countryCode TEXT NOT NULL REFERENCES country,
                        latitude DOUBLE NOT NULL, longitude DOUBLE NOT NULL);
                    CREATE TABLE placeCountry (placeId INTEGER NOT NULL REFERENCES place ON DELETE CASCADE,
                        countryCode TEXT NOT NULL REFERENCES country, PRIMARY KEY (placeId, countryCode));
                    INSERT INTO country VALUES ('FR', 'France');
                    INSERT INTO place VALUES (1, 'Europe/Paris', 'Paris', 1, 'FR', 48.8, 2.3);
                    """)
        }
        try old.close()
        let pool = try PlacesDatabase.open(at: folder.database)
        try pool.read { db throws in
            #expect(try Place.find(zone: "Europe/Paris", db).isFavorite)
            #expect(try PlacesDatabase.migrator.hasCompletedMigrations(db))
            #expect(try db.indexes(on: "place").contains { $0.columns == ["countryCode"] })
            #expect(try Place.search("par", limit: 1, db).map(\.markedTitle) == ["[Paris]"])
        }
    }

    @Test func aNewFileHasTheSchemaOfItsMigrations() throws {
        let folder = try TemporaryFolder()
        let pool = try PlacesDatabase.open(at: folder.database)
        #expect(try pool.read(PlacesDatabase.migrator.schemaDifferences) == [])
    }
}
