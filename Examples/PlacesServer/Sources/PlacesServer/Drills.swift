// Proves that the replica can be restored.

import Logging
import RowanDrills
import RowanLitestream
import RowanRecords

/// Drills of the replica, four times a day.
func replicaDrill(
    of replication: LitestreamReplication, _ database: DatabasePool, folder: String? = nil, _ logger: Logger
) -> RestoreDrill {
    var options = RestoreDrill.Options()
    options.interval = .seconds(6 * 3600)
    if let folder { options.folder = folder }
    return RestoreDrill(of: replication, database: database, options: options, logger: logger) { db in
        // What this program needs of its database.
        try db.checkForeignKeys()
        guard try migrator.hasCompletedMigrations(db) else { throw IncompleteBackup() }
    }
}

/// The restored database has another schema than the program.
struct IncompleteBackup: Error, CustomStringConvertible {
    var description: String { "migrations are missing" }
}
