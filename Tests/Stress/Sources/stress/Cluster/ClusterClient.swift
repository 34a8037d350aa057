// A client in a process of its own, whose clock is wrong, and which is stopped now and then: also inside a write.

import Foundation
import RowanCluster

/// A process that writes like the other clients.
final class ClusterClient: Sendable {
    private let process: Process
    private let output: FileHandle
    private let name: String

    /// Starts the process.
    init(_ nodes: ClusterNodes, _ run: Run, clockOffset: Int64, until end: Date) throws {
        name = "child\(clockOffset)"
        let machine = try Machine(path: run.folder.path(name), clockOffset: clockOffset)
        // A duration, because the clock of the process is wrong.
        (process, output) = try Children.start(
            [
                "child-cluster", nodes.addresses.joined(separator: ","), name, "\(run.random.next())",
                "\(end.timeIntervalSinceNow)",
            ], environment: machine.environment())
    }

    /// Stops and continues the process, and takes over what it knows in the end.
    func run(_ bank: ClusterBank, _ seed: UInt64, until end: Date) async throws {
        var random = SplitMix64(seed: seed)
        while Date() < end {
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...2_000, using: &random)))
            kill(process.processIdentifier, SIGSTOP)
            // Some pauses are longer than a node waits for a client in a transaction.
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...7_000, using: &random)))
            kill(process.processIdentifier, SIGCONT)
            bank.count("clients stopped")
        }
        let report = await onThread { self.output.readDataToEndOfFile() }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            let reason = String(decoding: report.suffix(600), as: UTF8.self)
            throw StressFailure("\(name) ended with \(process.terminationStatus): \(reason)")
        }
        try bank.merge(report)
    }

    /// The process.
    static func run(_ arguments: [String]) async throws {
        Children.endWithParent()
        let bank = ClusterBank()
        let end = Date(timeIntervalSinceNow: Double(arguments[3])!)
        let addresses = arguments[0].split(separator: ",").map(String.init)
        var made: DatabaseCluster?
        while made == nil, Date() < end {
            do { made = try Part.client(addresses) } catch let error where ClusterBank.isExpected(error) {
                // There is no leader now.
            }
        }
        guard let client = made else { return try FileHandle.standardOutput.write(contentsOf: bank.report()) }
        await bank.write(client, arguments[1], UInt64(arguments[2])!, until: end)
        try FileHandle.standardOutput.write(contentsOf: bank.report())
    }
}
