// The server: what its pages share.

import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Rowan
import RowanCommands
import ServiceLifecycle
import Synchronization
import UnixSignals

final class Inspector: Sendable {
    let file: InspectedFile
    let gate: Gate
    let feed: LiveFeed
    let history = QueryHistory()

    init(path: String, host: String) throws {
        file = try InspectedFile(path: path)
        gate = Gate(host: host)
        feed = try LiveFeed(path: path)
    }

    /// Serves until a signal.
    func run(port: Int) async throws {
        var logger = Logger(label: "rowan")
        logger.logLevel = .error
        let (host, gate, name) = (gate.host, gate, file.name)
        let application = Application(
            responder: Pages(inspector: self),
            configuration: .init(address: .hostname(host, port: port)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? port
                gate.serverDidStart(port: port)
                print("http://\(host.contains(":") ? "[\(host)]" : host):\(port)/?token=\(gate.token)")
                // The output may be a pipe.
                fflush(nil)
                if !Gate.isLoopback(host) {
                    Console.printError(
                        "warning: other machines can reach the page at \(host). The connection is not encrypted: anyone "
                            + "who sees the URL, or the traffic, can read the database")
                }
                Console.printError("\(name.onOneLine) is shown at this address until Ctrl-C")
            }, logger: logger)
        // The last one ends first: the server waits for its responses, and those of the feed are endless.
        var services = ServiceGroupConfiguration(
            services: [application, feed], gracefulShutdownSignals: [.sigint, .sigterm], logger: logger)
        // Downloads that still run are cancelled.
        services.maximumGracefulShutdownDuration = .seconds(1)
        let group = ServiceGroup(configuration: services)
        do { try await group.run() } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw Failure(message: "another program listens at port \(port): pass another --port, or none")
        } catch is SocketAddressError.UnknownHost {
            throw Failure(message: "there is no host \(host): pass an address of this machine as --host")
        } catch let error as IOError where error.errnoCode == EACCES || error.errnoCode == EADDRNOTAVAIL {
            throw Failure(
                message: "can't listen at \(host), port \(port): \(String(cString: strerror(error.errnoCode)))")
        }
    }
}

/// The last queries, in memory.
final class QueryHistory: Sendable {
    private static let maximumCount = 50
    private let entries = Mutex<[String]>([])

    var all: [String] { entries.withLock(\.self) }

    func add(_ sql: String) {
        entries.withLock { entries in
            entries.removeAll { $0 == sql }
            entries.insert(sql, at: 0)
            entries = Array(entries.prefix(Self.maximumCount))
        }
    }

    func clear() { entries.withLock { $0 = [] } }
}
