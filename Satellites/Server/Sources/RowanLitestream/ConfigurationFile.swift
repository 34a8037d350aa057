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

    /// What Litestream replicates.
    enum Source {
        case database(String)
        /// The databases of tenants in a folder, and the catalog that lists them.
        case tenants(folder: String, catalog: String, catalogURL: String)

        /// Litestream opens databases by URIs without escaping their paths: it would replicate another file.
        func check() throws {
            let path =
                switch self {
                case .database(let path): path
                case .tenants(let folder, _, _): folder
                }
            guard let character = path.first(where: "%?#".contains) else { return }
            throw LitestreamError(
                .invalidSetting,
                "the path \(path) contains the character \(character), with which Litestream would open another file: "
                    + "rename it")
        }
    }

    init(replica: LitestreamReplica, database: String, isSingleRun: Bool = false) throws {
        try self.init(replica: replica, source: .database(database), isSingleRun: isSingleRun)
    }

    /// - Parameter isSingleRun: whether Litestream exits by itself (`-once`).
    /// - Throws: ``LitestreamError/Kind/invalidSetting`` for a URL that YAML can't contain, and file system errors.
    init(
        replica: LitestreamReplica, source: Source, shutdownTimeout: Duration = .seconds(30), isSingleRun: Bool = false
    ) throws {
        try Self.checkScheme(of: replica.url)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("rl-\(UUID().uuidString.prefix(13))")
        // Litestream expands variables before it reads the YAML, so each value is a complete scalar.
        var variables = [
            "ROWAN_LITESTREAM_URL": try Self.scalar(replica.url, "the URL of the replica"),
            // This process determines the log level.
            "LOG_LEVEL": "info",
        ]
        let databases: String
        switch source {
        case .database(let path):
            variables["ROWAN_LITESTREAM_DATABASE"] = try Self.scalar(path, "the path of the database")
            databases = "  - path: ${ROWAN_LITESTREAM_DATABASE}"
        case .tenants(let folder, let catalog, let catalogURL):
            variables["ROWAN_LITESTREAM_FOLDER"] = try Self.scalar(folder, "the path of the folder")
            variables["ROWAN_LITESTREAM_CATALOG"] = try Self.scalar(catalog, "the path of the folder")
            variables["ROWAN_LITESTREAM_CATALOG_URL"] = try Self.scalar(catalogURL, "the URL of the replica")
            // Files whose names begin with a dot are being made or removed.
            databases = """
                  - path: ${ROWAN_LITESTREAM_CATALOG}
                    replica: {url: ${ROWAN_LITESTREAM_CATALOG_URL}, sync-interval: \(replica.syncInterval.litestream)}
                  - dir: ${ROWAN_LITESTREAM_FOLDER}
                    pattern: "[^.]*.sqlite"
                    watch: true
                """
        }
        environment = replica.environment.merging(variables) { $1 }
        var text = """
            logging: {type: json, level: info}
            shutdown-sync-timeout: \(shutdownTimeout.litestream)
            l0-retention: \(replica.detailedRetention.litestream)
            snapshot: {interval: \(replica.snapshotInterval.litestream), retention: \(replica.retention.litestream)}
            dbs:
            \(databases)
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
