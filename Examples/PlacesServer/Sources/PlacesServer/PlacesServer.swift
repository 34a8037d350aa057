// The program: settings from the environment, the database, and the server.

import Foundation
import Hummingbird
import Logging
import RowanJobs
import RowanLifecycle
import RowanLitestream
import RowanLogging
import RowanMetrics
import RowanRecords
import RowanTenants
import RowanTracing
import ServiceLifecycle

@main
struct PlacesServer {
    static func main() async throws {
        let settings = try Settings(ProcessInfo.processInfo.environment)
        var logger = Logger(label: "places")
        logger.logLevel = settings.logLevel
        var configuration = Configuration()
        configuration.label = "places"
        configuration.readerTimeout = .seconds(5)
        // Asynchronous writes that wait simultaneously share a commit.
        configuration.groupsAsyncWrites = true
        // Jobs that another process enqueues start at once.
        configuration.observesOtherProcesses = true
        // The program sets up the backends of metrics and spans: see MetricsSystem and InstrumentationSystem.
        configuration.instruments = [LogInstrument(logger), MetricsInstrument(), TracingInstrument()]
        let replica = settings.replicaURL.map { LitestreamReplica($0, program: settings.litestream) }
        configuration.replicatedByLitestream = replica != nil
        var options = DatabaseService.Options()
        options.shutdownTimeout = .seconds(4)
        options.optimizeInterval = .seconds(6 * 3600)
        let database = try await DatabaseService.open(
            path: settings.path, configuration: configuration, migrator: migrator, logger: logger, options: options
        ) { [logger] path in
            // A new machine restores the database and continues.
            if let outcome = try await replica?.restoreIfMissing(to: path) { logger.info("replica: \(outcome)") }
        }
        let replication = replica?.replication(of: settings.path, shutdownTimeout: .seconds(4), logger: logger)
        let jobs = placeJobs()
        var jobOptions = JobService.Options()
        jobOptions.shutdownTimeout = .seconds(3)
        let workers = JobService(jobs, database: database.pool, options: jobOptions, logger: logger)
        let visitors = try visitorDirectory(folder: settings.visitors, logger: logger)
        let application = Application(
            router: router(database.pool, jobs, visitors),
            configuration: .init(address: .hostname(settings.host, port: settings.port)), logger: logger)
        var group = ServiceGroupConfiguration(
            // The server stops first, then the databases of the visitors, the jobs, the drills, the database, and the
            // replication, which sends the remaining changes.
            services: (replication.map { [$0] } ?? []) + [database]
                + (replication.map { [replicaDrill(of: $0, database.pool, logger)] } ?? [])
                + [workers, visitors, application],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(10)
        try await ServiceGroup(configuration: group).run()
    }
}

/// All routes.
func router(
    _ database: any DatabaseWriter, _ jobs: Jobs, _ visitors: DatabaseDirectory? = nil,
    heartbeat: Duration = .seconds(15)
) -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: ErrorAnswers())
    router.get("health") { _, _ in HTTPResponse.Status.ok }
    ListPage.add(to: router)
    PlaceRoutes(database: database, jobs: jobs).add(to: router)
    CountryRoutes(database: database).add(to: router)
    JobsPage(database: database, jobs: jobs).add(to: router)
    EventFeed(database: database, heartbeat: heartbeat).add(to: router)
    if let visitors { VisitorRoutes(visitors: visitors).add(to: router) }
    return router
}

/// The settings from the environment.
struct Settings: Equatable {
    var host = "127.0.0.1"
    var port = 8080
    var path = "places.sqlite"
    /// The folder of the databases of visitors; by default beside the database.
    var visitors: String
    var logLevel = Logger.Level.info
    /// The URL to which Litestream replicates the database; nil for no replication.
    var replicaURL: String?
    /// The Litestream program.
    var litestream = LitestreamProgram.inPath

    /// A variable with an invalid value.
    struct InvalidVariable: Error, CustomStringConvertible {
        let description: String
    }

    init(_ environment: [String: String]) throws {
        if let value = environment["HOST"] { host = value }
        if let value = environment["DATABASE"] { path = value }
        visitors =
            environment["VISITORS"]
            ?? URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("visitors").path
        replicaURL = environment["REPLICA"]
        if let value = environment["LITESTREAM"] { litestream = .at(value) }
        if let value = environment["PORT"] {
            guard let port = Int(value), (0...65535).contains(port) else {
                throw InvalidVariable(description: "PORT is \(value): set it to a number from 0 to 65535")
            }
            self.port = port
        }
        if let value = environment["LOG_LEVEL"] {
            guard let level = Logger.Level(rawValue: value) else {
                let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw InvalidVariable(description: "LOG_LEVEL is \(value): set it to one of \(levels)")
            }
            logLevel = level
        }
    }
}
