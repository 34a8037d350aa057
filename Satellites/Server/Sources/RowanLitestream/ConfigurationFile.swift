// The file that Litestream reads. It refers to environment variables for all values that may be secret, or that YAML
// and the expansion of variables would change.

import Foundation

/// A folder of this process that contains the configuration of one Litestream process and its control socket.
struct ConfigurationFile: Sendable {
    let folder: URL
    /// The values of the variables in the file.
    let environment: [String: String]

    var path: String { folder.appendingPathComponent("c.yml").path }
    var socket: String { folder.appendingPathComponent("s").path }

    /// - Parameter isSingleRun: whether Litestream exits by itself (`-once`).
    /// - Throws: ``LitestreamError/Kind/invalidSetting`` for a URL that YAML can't contain, and file system errors.
    init(
        replica: LitestreamReplica, database: String, shutdownTimeout: Duration = .seconds(30),
        isSingleRun: Bool = false
    ) throws {
        try Self.checkScheme(of: replica.url)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rl-\(UUID().uuidString.prefix(13))")
        // Litestream expands variables before it reads the YAML, so each value is a complete scalar.
        environment = replica.environment.merging(
            [
                "ROWAN_LITESTREAM_DATABASE": try Self.scalar(database, "the path of the database"),
                "ROWAN_LITESTREAM_URL": try Self.scalar(replica.url, "the URL of the replica"),
                // This process determines the log level.
                "LOG_LEVEL": "info",
            ]) { $1 }
        var text = """
            logging: {type: json, level: info}
            shutdown-sync-timeout: \(shutdownTimeout.litestream)
            l0-retention: \(replica.detailedRetention.litestream)
            snapshot: {interval: \(replica.snapshotInterval.litestream), retention: \(replica.retention.litestream)}
            dbs:
              - path: ${ROWAN_LITESTREAM_DATABASE}
                replica: {url: ${ROWAN_LITESTREAM_URL}, sync-interval: \(replica.syncInterval.litestream)}

            """
        if !isSingleRun {
            text += """
                socket: {enabled: true, path: \(try Self.scalar(folder.appendingPathComponent("s").path, "TMPDIR"))}
                # Ends with the process that has started Litestream, even if that is killed; then Litestream ends.
                exec: "sh -c 'exec cat <&3 >/dev/null 2>&1'"

                """
        }
        // The limit of sockaddr_un on all systems.
        guard folder.appendingPathComponent("s").path.utf8.count < 104 else {
            throw LitestreamError(
                .invalidSetting,
                "the path of Litestream's socket would be too long: set TMPDIR to a folder with a shorter path")
        }
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    func remove() {
        // A folder in the temporary folder, where the system deletes what is left.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Litestream treats an unknown scheme as a path: a misspelled one would replicate to the disk of this machine.
    private static func checkScheme(of url: String) throws {
        let schemes = ["file", "s3", "gs", "abs", "sftp", "nats", "oss", "webdav", "webdavs"]
        let scheme = url.range(of: "://").map { url[..<$0.lowerBound] }
        guard let scheme, schemes.contains(String(scheme)) else {
            // The URL may contain a password.
            throw LitestreamError(
                .invalidSetting,
                "the URL of the replica begins with \(scheme.map { "\($0)://" } ?? "no scheme"). Litestream knows "
                    + schemes.map { "\($0)://" }.joined(separator: ", "))
        }
    }

    /// A JSON string, which is also a YAML scalar.
    private static func scalar(_ value: String, _ name: String) throws -> String {
        guard !value.isEmpty, !value.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            throw LitestreamError(.invalidSetting, "\(name) is empty, or contains control characters")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension Duration {
    /// The duration in milliseconds, in Litestream's syntax.
    var litestream: String { "\(milliseconds)ms" }

    var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
