// Three nodes on this machine.

import Foundation

/// Three processes of rowan-node.
final class Nodes {
    private let program: String
    private let folder: URL
    private let host = "127.0.\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
    private var processes: [Process?] = [nil, nil, nil]

    var addresses: [String] { (1...3).map { "\(host):900\($0)" } }

    /// - Parameter isSecure: whether the nodes speak TLS.
    init(program: String, isSecure: Bool = false) throws {
        self.program = program
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("cluster-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if isSecure { certificates = try Certificates(in: folder, host: host) }
        for index in 0..<3 { try start(index) }
    }

    /// Certificates for the nodes and the clients, if the nodes speak TLS.
    private(set) var certificates: Certificates?

    deinit {
        for process in processes.compactMap(\.self) { kill(process.processIdentifier, SIGKILL) }
        // The folder of a temporary run. The system deletes leftovers.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Starts a node, and waits until it is a member.
    func start(_ index: Int) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            "--id", "\(index + 1)", "--address", addresses[index], "--data",
            folder.appendingPathComponent("\(index + 1)").path, "--latency", "20",
        ]
        process.arguments? += index == 0 ? ["--start-new"] : ["--join", addresses[0]]
        if let certificates {
            process.arguments? += [
                "--certificate", certificates.certificate, "--key", certificates.key, "--ca", certificates.authority,
            ]
        }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        processes[index] = process
        var text = ""
        while !text.contains("ready") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw Failure(description: "node \(index + 1) does not start") }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    /// Kills a node, like a crash.
    func crash(_ index: Int) {
        guard let process = processes[index] else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        processes[index] = nil
    }
}

/// An authority, and a certificate for a host and its clients.
struct Certificates {
    let certificate: String
    let key: String
    let authority: String

    init(in folder: URL, host: String) throws {
        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
        func openssl(_ arguments: String...) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["openssl"] + arguments
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw Failure(description: "openssl \(arguments[0]) failed") }
        }
        (certificate, key, authority) = (path("node.pem"), path("node.key"), path("ca.pem"))
        try openssl(
            "req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "2", "-subj", "/CN=Rowan", "-keyout",
            path("ca.key"), "-out", authority)
        try openssl(
            "req", "-newkey", "ed25519", "-nodes", "-subj", "/CN=node", "-addext", "subjectAltName=IP:\(host)",
            "-addext", "extendedKeyUsage=serverAuth,clientAuth", "-keyout", key, "-out", path("node.csr"))
        try openssl(
            "x509", "-req", "-in", path("node.csr"), "-CA", authority, "-CAkey", path("ca.key"), "-days", "2",
            "-copy_extensions", "copy", "-out", certificate)
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
}
