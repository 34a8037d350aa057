// Runs the same tests on a cluster: if ROWAN_CLUSTER lists the addresses of nodes, `withDatabase` uses it. A test whose
// SQL a cluster rejects is cancelled, which the test runner reports.

import Foundation
import Rowan
import RowanCluster
import Synchronization
import Testing

extension Tag {
    /// A suite of accesses or observations that needs nothing that a cluster rejects: `.ci/run cluster` also runs it on
    /// one.
    @Tag static var runsOnClusters: Self
}

enum ClusterUnderTest {
    /// The nodes; nil for local databases.
    static let addresses: [String]? = ProcessInfo.processInfo.environment["ROWAN_CLUSTER"].map {
        $0.split(separator: ",").map(String.init)
    }

    /// Whether the tests of accesses also run on it.
    static var runsAccesses: Bool {
        isActive && ProcessInfo.processInfo.environment["ROWAN_CLUSTER_ACCESS"] != nil
    }

    /// Whether the tests run on a cluster.
    static var isActive: Bool { addresses != nil }

    private static let count = Mutex(0)

    /// Runs a test on a new database.
    static func run<T>(
        _ addresses: [String], _ configuration: Configuration, _ body: (Database) throws -> T
    ) throws -> T {
        let number = count.withLock { count in
            count += 1
            return count
        }
        var configuration = configuration
        configuration.busyMode = .timeout(5)
        let cluster = try refusing {
            try DatabaseCluster(
                addresses: addresses, database: "test-\(getpid())-\(number)", configuration: configuration)
        }
        defer {
            // A test may still retain a statement.
            try? cluster.close()
        }
        return try refusing { try cluster.writeWithoutTransaction(body) }
    }

    /// A connection to a database named after a file.
    static func make(_ path: String, _ configuration: Configuration) throws -> any DatabaseWriter {
        guard let addresses else { fatalError("ROWAN_CLUSTER is not set") }
        let name = "test-\(getpid())-\(path.utf8.reduce(5381) { ($0 &* 33) ^ UInt64($1) })"
        return try refusing {
            try DatabaseCluster(addresses: addresses, database: name, configuration: configuration)
        }
    }

    private static func refusing<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as DatabaseError where error.isRefusal {
            try Test.cancel("a cluster refuses this: \(error.message ?? "")")
        }
    }
}

extension DatabaseError {
    fileprivate var isRefusal: Bool {
        guard [.SQLITE_MISUSE, .SQLITE_TOOBIG].contains(resultCode), let message else { return false }
        return [
            "a cluster does not run", "a cluster runs the SQL", "which a cluster does not report",
            "at which a cluster would cut", "columns are too long for a cluster",
        ].contains(where: message.contains)
    }
}
