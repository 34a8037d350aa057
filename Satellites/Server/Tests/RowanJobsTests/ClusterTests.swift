// Jobs of a cluster, whose database has other clients.

import Foundation
import Logging
import Rowan
import RowanCluster
import RowanJobs
import RowanJobsTestKit
import Testing

/// A cluster of one node, which ends with its input.
private struct Node {
    static let program = ProcessInfo.processInfo.environment["ROWAN_NODE"].flatMap { path in
        FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }
    let address = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).\(Int.random(in: 1...254)):9001"
    private let process = Process()

    init(data: String) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: Node.program!)
        process.arguments = ["--id", "1", "--address", address, "--data", data, "--end-with-input", "--start-new"]
        process.standardInput = Pipe()
        process.standardOutput = output
        try process.run()
        // It prints a line once it accepts clients.
        while let data = try output.fileHandleForReading.read(upToCount: 1), data != Data([10]) {}
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}

@Suite(.enabled(if: Node.program != nil, "ROWAN_NODE has the path of rowan-node: run Scripts/node"))
struct ClusterTests {
    @Test func jobsRunAndSeveralServicesShareThem() async throws {
        try await withPath { path in
            let node = try Node(data: path)
            defer { node.stop() }
            func client() throws -> DatabaseCluster { try DatabaseCluster(addresses: [node.address], database: "jobs") }
            var test = try await JobTest(client()) { $0.register(Work.self) { _, _ in throw FailJob("no") } }
            try await test.enqueue(Note(text: "a"), .priority(1))
            try await test.enqueue(Note(text: "b"), .priority(2))
            try await test.enqueue(Work())
            try await test.enqueue(Note(text: "c"), .after(.seconds(10)))
            let report = try await test.runAll()
            #expect(report.succeeded == 2 && report.errors.map(\.error) == ["no"])
            try await #expect(Set(test.notes) == ["a", "b"])
            try await #expect(test.rows("SELECT error FROM rowan_job_failed") == ["\"no\""])

            // Two other clients run what this one enqueues.
            test.jobs.clock = SystemJobClock()
            try await test.database.write { try $0.execute(sql: "DELETE FROM note; DELETE FROM rowan_job") }
            let jobs = test.jobs
            let services = try (0..<2).map { _ in
                JobService(
                    jobs, database: try client(), logger: Logger(label: "jobs") { _ in SwiftLogNoOpLogHandler() })
            }
            let tasks = services.map { service in Task { try await service.run() } }
            for number in 0..<30 { try await test.enqueue(Note(text: "\(number)")) }
            try await eventually { try await test.rows("SELECT id FROM rowan_job").isEmpty }
            try await #expect(test.notes.sorted() == (0..<30).map { "\($0)" }.sorted())
            for task in tasks { task.cancel() }
            for task in tasks { try await task.value }
            try await #expect(test.rows("SELECT id FROM rowan_job_worker").isEmpty)
        }
    }
}
