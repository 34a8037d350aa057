// The service of systemd: what Scripts/install-node installs, and whether the unit's command runs a node.

import Foundation
import Testing

@Suite(.serialized)
struct InstallTests {
    let home: NodeHome
    private let root: String

    init() throws {
        home = try NodeHome()
        root = home.folder.appendingPathComponent("root").path
    }

    private static let script: URL = {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder.appendingPathComponent("Scripts/install-node")
    }()

    @discardableResult
    private func install() throws -> String {
        let result = try Program(
            ["-c", "DESTDIR=\"$1\" \"$2\" \"$3\"", "sh", root, Self.script.path, Program.url.path],
            executable: URL(fileURLWithPath: "/bin/sh")
        ).end()
        #expect(result.code == 0, "\(result.errors)")
        return result.output
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: root + path, encoding: .utf8) }

    /// The lines `NAME=value` of a file.
    private func settings(_ path: String) throws -> [String: String] {
        let pairs = try text(path).split(separator: "\n").filter { !$0.hasPrefix("#") && $0.contains("=") }
            .map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) }
        return Dictionary(pairs.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
    }

    /// The unit's command, as systemd expands it, with the files below the root.
    private func command() throws -> [String] {
        let variables = try settings("/etc/rowan-node.conf")
        let line = try #require(settings("/etc/systemd/system/rowan-node.service")["ExecStart"])
        return line.split(separator: " ").flatMap { word -> [String] in
            if word.hasPrefix("${") { return [variables[String(word.dropFirst(2).dropLast())] ?? ""] }
            if word.hasPrefix("$") {
                return (variables[String(word.dropFirst())] ?? "").split(separator: " ").map(String.init)
            }
            return [word.hasPrefix("/") ? root + word : String(word)]
        }
    }

    @Test func theUnitStartsANode() throws {
        #expect(try install().contains("edit \(root)/etc/rowan-node.conf"))
        let example = try text("/etc/rowan-node.conf")
        let edited = example.replacing("10.0.0.1:9001", with: home.address(1))
            .replacing("10.0.0.2:9001,10.0.0.3:9001", with: "\(home.address(2)),\(home.address(3)) --start-new")
        try edited.write(toFile: root + "/etc/rowan-node.conf", atomically: true, encoding: .utf8)
        // systemd creates the folder of the node: see StateDirectory.
        try FileManager.default.createDirectory(atPath: root + "/var/lib", withIntermediateDirectories: true)
        let words = try command()
        let program = URL(fileURLWithPath: words[0])
        let node = try Program(words.dropFirst() + ["--end-with-input"], executable: program)
        #expect(node.line() == "ready \(home.address(1))")

        // An upgrade replaces the running program, and keeps the settings.
        #expect(try install().contains("kept \(root)/etc/rowan-node.conf"))
        #expect(try text("/etc/rowan-node.conf") == edited)
        #expect(node.end(by: SIGTERM) == 0)
        let upgraded = try Program(command().dropFirst() + ["--end-with-input"], executable: program)
        #expect(upgraded.line() == "ready \(home.address(1))")
        #expect(upgraded.end(by: SIGTERM) == 0)
    }

    private static let units = "/usr/lib/systemd/system"
    private static let analyze = "/usr/bin/systemd-analyze"
    private static let hasSystemd = [units, analyze].allSatisfy(FileManager.default.fileExists(atPath:))

    @Test(.enabled(if: hasSystemd, "systemd isn't installed")) func systemdAcceptsTheUnit() throws {
        try install()
        // The targets that the unit names.
        try FileManager.default.createDirectory(atPath: root + "/usr/lib/systemd", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: Self.units, toPath: root + Self.units)
        let result = try Program(
            ["verify", "--root=\(root)", "--man=no", "rowan-node.service"],
            executable: URL(fileURLWithPath: Self.analyze)
        ).end()
        #expect(result.code == 0)
        #expect(result.errors == "")
    }

    @Test func aProgramThatDoesNotRunIsNotInstalled() throws {
        let result = try Program(
            ["-c", "DESTDIR=\"$1\" \"$2\" /bin/false", "sh", root, Self.script.path],
            executable: URL(fileURLWithPath: "/bin/sh")
        ).end()
        #expect(result.code == 1 && result.errors.contains("/bin/false does not run on this machine"))
        #expect(!FileManager.default.fileExists(atPath: root))
    }
}
