// Compares the statements and output of an article's code with those that the article shows.

import Foundation
import RowanRecords
import Synchronization
import Testing

/// The run of an article.
final class Guide: Sendable {
    /// The article's file.
    private let article: String
    let dbQueue: DatabaseQueue
    /// The folder of the article's databases, deleted at the end.
    let folder: URL

    private struct State {
        var ran: [String] = []
        var shown: [(sql: String, line: Int)] = []
        var printed: [String] = []
        /// The number of lines already compared with a text block.
        var compared = 0
        var expected: [(line: String, place: Int)] = []
    }

    private let state = Mutex(State())

    init(_ article: String) throws {
        self.article = article
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("Guide-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let log = Log()
        dbQueue = try DatabaseQueue(configuration: log.configuration(Configuration()))
        self.log = log
    }

    private let log: Log

    /// Records the statements of all connections with its configuration.
    private final class Log: Sendable {
        let statements = Mutex<[String]>([])

        func configuration(_ configuration: Configuration) -> Configuration {
            var configuration = configuration
            configuration.prepareDatabase { db in
                db.trace { event in
                    if case .statement(let statement) = event {
                        let (plain, expanded) = (statement.sql, statement.expandedSQL)
                        self.statements.withLock { $0 += [plain, expanded] }
                    }
                }
            }
            return configuration
        }
    }

    /// A configuration whose statements are recorded.
    func configuration(_ configuration: Configuration = Configuration()) -> Configuration {
        log.configuration(configuration)
    }

    /// The path of a file in the article's folder.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func print(_ items: [Any], _ separator: String) {
        let text = items.map { String(describing: $0) }.joined(separator: separator)
        state.withLock { $0.printed += text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
    }

    /// The root of the repository.
    private static let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    /// The library of sqlite-vec, which `Scripts/extensions` installs; nil if missing.
    static let vec: String? = {
        let path = root.appendingPathComponent(".build/extensions/sqlite_vec/vec0.so").path
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }()

    /// Loads sqlite-vec into the article's connection, as if it were linked.
    func loadVec() throws {
        let library = try #require(dlopen(Self.vec, RTLD_NOW))
        let symbol = try #require(dlsym(library, "sqlite3_vec_init"))
        let entryPoint = unsafeBitCast(symbol, to: SQLiteExtensionEntryPoint.self)
        try dbQueue.inDatabase { try $0.loadExtension(entryPoint: entryPoint) }
    }

    /// rowan-node, built by `Scripts/node`; nil if missing. `ROWAN_NODE` overrides the path.
    static let node: String? = {
        let path =
            ProcessInfo.processInfo.environment["ROWAN_NODE"]
            ?? root.appendingPathComponent(".build/debug/rowan-node").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// Starts a cluster with one node, which stops at the end of the article or of the tests.
    ///
    /// - Returns: the addresses of its nodes.
    func startCluster() throws -> [String] {
        let program = try #require(Self.node)
        // A loopback host of its own.
        let host = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).\(Int.random(in: 1...254))"
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            "--id", "1", "--address", "\(host):9001", "--data", path("node"), "--start-new", "--end-with-input",
        ]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        // The node prints a line when it is ready.
        guard !output.fileHandleForReading.availableData.isEmpty else { throw CocoaError(.executableLoad) }
        endings.withLock { $0.append { try? input.fileHandleForWriting.close() } }  // The node then exits.
        return ["\(host):9001"]
    }

    /// The cleanup of what the article has started.
    private let endings = Mutex<[@Sendable () -> Void]>([])

    /// Runs a statement shown in the article.
    func run(_ sql: String) throws { try dbQueue.writeWithoutTransaction { try $0.execute(sql: sql) } }

    /// Expects that a statement has run by the end of the article.
    func show(_ sql: String, line: Int) { state.withLock { $0.shown.append((sql, line)) } }

    /// Expects that a line has been printed by the end of the article.
    func expectLine(_ line: String, line place: Int) { state.withLock { $0.expected.append((line, place)) } }

    /// Expects exactly the lines printed since the last text block.
    func expectOutput(_ text: String, line: Int) {
        let printed = state.withLock { state in
            defer { state.compared = state.printed.count }
            return state.printed[state.compared...].joined(separator: "\n")
        }
        #expect(printed == text, "\(article):\(line)")
    }

    func end() throws {
        for ending in endings.withLock({ $0 }) { ending() }
        defer { try? FileManager.default.removeItem(at: folder) }  // The system deletes leftovers.
        let ran = Set(log.statements.withLock { $0 }.map(Self.normalized))
        let (shown, printed, expected) = state.withLock { ($0.shown, $0.printed, $0.expected) }
        for (sql, line) in shown {
            #expect(ran.contains(Self.normalized(sql)), "\(article):\(line): did not run: \(sql)\nran: \(ran.sorted())")
        }
        var rest = printed[...]
        for (line, place) in expected {
            guard let index = rest.firstIndex(of: line) else {
                Issue.record("\(article):\(place): '\(line)' was not printed: \(rest)")
                continue
            }
            rest = rest[(index + 1)...]
        }
    }

    /// A statement on one line, without a trailing semicolon.
    private static func normalized(_ sql: String) -> String {
        let text = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.hasSuffix(";") ? String(text.dropLast()) : text
    }
}
