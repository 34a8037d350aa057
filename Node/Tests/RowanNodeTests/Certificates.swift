// Certificates for tests, by the commands that the README shows.

import Foundation
import RowanClusterTLS
import Testing

/// An authority in a folder, and the certificates that it signs.
struct Certificates {
    let folder: URL

    /// - Parameter address: the IP address in the certificate of the node.
    init(_ folder: URL, node address: String) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../README.md")
        let lines = try String(contentsOf: readme, encoding: .utf8).split(separator: "\n")
        let commands = lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0.hasPrefix("openssl ") }
        try #require(commands.count == 5)
        for command in commands { try run(command.replacing("10.0.0.1", with: address)) }
    }

    func run(_ command: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(command)")
    }

    /// Signs the request of a name again.
    func sign(_ name: String, days: Int) throws {
        try run(
            "openssl x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -days \(days) -copy_extensions copy -out \(name).pem"
        )
    }

    func path(_ file: String) -> String { folder.appendingPathComponent(file).path }

    /// The options of a program.
    func options(_ name: String, authority: String? = nil) -> [String] {
        ["--certificate", path("\(name).pem"), "--key", path("\(name).key"), "--ca", authority ?? path("ca.pem")]
    }

    func client(_ name: String = "client", authority: String? = nil) throws -> ClusterTLS {
        try ClusterTLS(
            certificate: path("\(name).pem"), key: path("\(name).key"), authority: authority ?? path("ca.pem"))
    }
}
