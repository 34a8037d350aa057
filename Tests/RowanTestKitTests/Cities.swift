// The records and the migrations of these tests.

import Foundation
import Rowan
import RowanRecords
import Synchronization

@Record("city") struct City: Equatable {
    var id: Int64?
    var name: String
    var population: Int

    static let streets = hasMany(Street.self)
}

@Record("street") struct Street: Equatable {
    var id: Int64?
    @References(City.self) var cityID: Int64
    var name: String
}

@Selection struct CityInfo: Equatable {
    var city: City
    var streets: [Street]
}

/// The number of runs of the migration in this process.
let runCount = Mutex(0)

let migrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("cities") { db in
        runCount.withLock { $0 += 1 }
        try db.execute(
            sql: """
                CREATE TABLE city (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, population INTEGER NOT NULL);
                CREATE TABLE street (id INTEGER PRIMARY KEY, cityID INTEGER NOT NULL REFERENCES city, name TEXT NOT NULL);
                CREATE INDEX street_city ON street(cityID);
                """)
    }
    return migrator
}()

let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("fixtures.sql")
