import Rowan

// All connections have the same page caches, Rowan's defaults: 16 MB to write, 4 MB for the readers of a pool.

func makeConfiguration() -> Configuration {
    var configuration = Configuration()
    #if !HAS_CACHE_SIZES
    configuration.prepareDatabase { db in
        try db.execute(sql: "PRAGMA cache_size = \(db.configuration.readonly ? -4_096 : -16_384)")
    }
    #endif
    return configuration
}

func makeQueue(path: String) throws -> DatabaseQueue {
    try DatabaseQueue(path: path, configuration: makeConfiguration())
}

func makePool(path: String) throws -> DatabasePool {
    try DatabasePool(path: path, configuration: makeConfiguration())
}

/// A queue on a database that is already in WAL mode and does not wait for the disk at each commit.
func makeWriteAheadQueue(path: String) throws -> DatabaseQueue {
    var configuration = makeConfiguration()
    configuration.prepareDatabase { db in
        try db.execute(sql: "PRAGMA synchronous = NORMAL")
    }
    return try DatabaseQueue(path: path, configuration: configuration)
}

/// A pool on a database in WAL mode that does not wait for the disk at each commit.
///
/// - Parameter busyMode: the behavior of connections when another one holds a lock.
func makeWriteAheadPool(
    path: String, busyMode: Database.BusyMode = .immediateError
) throws -> DatabasePool {
    var configuration = makeConfiguration()
    configuration.busyMode = busyMode
    configuration.prepareDatabase { db in
        try db.execute(sql: "PRAGMA synchronous = NORMAL")
    }
    return try DatabasePool(path: path, configuration: configuration)
}

/// A pool on a database in WAL mode that waits for the disk at each commit. If the library supports it, simultaneous
/// writes of tasks share a commit.
func makeDurablePool(path: String) throws -> DatabasePool {
    var configuration = makeConfiguration()
    #if HAS_GROUP_COMMIT
    configuration.groupsAsyncWrites = true
    #endif
    let pool = try DatabasePool(path: path, configuration: configuration)
    // A pool sets the writer's mode to NORMAL when it opens, after the configuration's closures.
    try pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA synchronous = FULL") }
    return pool
}
