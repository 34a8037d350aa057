// Second processes for the parts that need one: the same program with another first argument.

import Foundation
import Rowan

enum Children {
    static var executable: URL { URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath() }

    static func start(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (process: Process, output: FileHandle) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = pipe
        try process.run()
        // Otherwise the reader would never reach the end.
        try pipe.fileHandleForWriting.close()
        return (process, pipe.fileHandleForReading)
    }

    /// Exits soon after the process that started this one.
    static func endWithParent() {
        let parent = getppid()
        Thread.detachNewThread {
            while getppid() == parent { usleep(200_000) }
            _exit(9)
        }
    }

    static func run(_ name: String, _ arguments: [String]) async {
        do {
            switch name {
            case "child-writer":
                try Writer(path: arguments[0], kind: Kind(rawValue: arguments[1])!, synchronous: arguments[2])
                    .run(seed: UInt64(arguments[3])!)
            case "child-migrations":
                try Migrations.migrate(path: arguments[0], kind: Kind(rawValue: arguments[1])!)
            case "child-transfers":
                try Bank.transfer(path: arguments[0], seed: UInt64(arguments[1])!, seconds: Double(arguments[2])!)
            case "child-jobs": try await JobProcess.run(path: arguments[0], seed: UInt64(arguments[1])!)
            case "child-tenants":
                try await TenantProcess.run(
                    folder: arguments[0], seed: UInt64(arguments[1])!, owner: Int(arguments[2])!)
            case "child-litestream":
                let pauses = Int(arguments[2])!...Int(arguments[3])!
                try await LitestreamWriter(path: arguments[0], url: arguments[1], pauses: pauses)
                    .run(seed: UInt64(arguments[4])!)
            case "child-cluster": try await ClusterClient.run(arguments)
            case "child-blocked-tasks": try await Crossing(arguments: arguments).run()
            default: throw CocoaError(.featureUnsupported)
            }
        } catch {
            say("error \(error)")
            exit(3)
        }
    }
}
