// Refusals of a node, and their messages.

import Foundation
import Testing

@Suite(.serialized)
struct RefusalTests {
    let home: NodeHome

    init() throws { home = try NodeHome() }

    /// The message with which the program refuses its arguments.
    private func refusal(_ arguments: [String], code: Int32 = 1) throws -> String {
        let result = try Program(arguments).end()
        #expect(result.code == code)
        #expect(result.output == "")
        return result.errors
    }

    @Test func aSecondProcessInAFolder() throws {
        try home.start(1)
        #expect(try refusal(home.options(1)).contains("another process runs a node"))
    }

    @Test(arguments: ["0.0.0.0:9001", "10.1.2.3:9001"])
    func anAddressThatOthersReach(_ address: String) throws {
        let options = ["--id", "1", "--address", address, "--data", home.path(1)]
        #expect(try refusal(options).contains("--trusted-network"))
        let bound = ["--id", "1", "--address", home.address(1), "--bind", address, "--data", home.path(1)]
        #expect(try refusal(bound).contains("--trusted-network"))
    }

    @Test func aTrustedNetworkIsAllowed() throws {
        let node = try home.start(1, "--bind", "0.0.0.0:\(freePort())", "--trusted-network")
        #expect(node.end(by: SIGTERM) == 0)
    }

    @Test func aFirstNodeWithAnotherID() throws {
        let sentence = "the first node of a cluster has the id 1: pass --id 1, or --join"
        #expect(try refusal(home.options(2) + ["--start-new"]).contains(sentence))
    }

    @Test func anEmptyNodeWithoutAnOption() throws {
        let first = ["--id", "1", "--address", home.address(1), "--data", home.path(1)]
        #expect(try refusal(first).contains("For a new cluster, pass --start-new"))
        #expect(try refusal(home.options(2, join: nil)).contains("node2 is empty: pass --join to join a cluster"))
        // It has started nothing.
        try home.start(1)
    }

    @Test func aFirstNodeThatHasLostItsFolder() throws {
        try home.start(1)
        try home.start(2)
        try home.start(3)
        home.node(1)?.end(by: SIGTERM)
        try FileManager.default.removeItem(atPath: home.path(1))
        let options = [
            "--id", "1", "--address", home.address(1), "--data", home.path(1), "--join",
            "\(home.address(2)),\(home.address(3))",
        ]
        #expect(try refusal(options).contains("an empty node 1 can't join a cluster, only start one"))
        #expect(try refusal(options).contains("rowan-node remove --id 1. Then join with a new --id"))
        let other = "the node \(home.address(2)) belongs to a cluster, and --start-new would start another one"
        #expect(try refusal(options + ["--start-new"]).contains(other))
        // Nor does it start one if the others have no majority.
        home.node(3)?.end(by: SIGKILL)
        #expect(try refusal(options + ["--start-new"]).contains(other))
        try home.start(3)
        #expect(try home.status(2, 3).count == 3)
    }

    @Test func theFolderOfAnotherNode() throws {
        try home.start(1).end(by: SIGTERM)
        let other = ["--id", "2", "--address", home.address(1), "--data", home.path(1)]
        #expect(try refusal(other).contains("belongs to the node 1"))
        let moved = ["--id", "1", "--address", home.address(2), "--data", home.path(1)]
        #expect(try refusal(moved).contains("pass it as --address"))
    }

    @Test func aMemberThatHasLostItsFolder() throws {
        try home.start(1)
        try home.start(2)
        // The majority remains without the second one.
        try home.start(3)
        home.node(2)?.end(by: SIGTERM)
        try FileManager.default.removeItem(atPath: home.path(2))
        #expect(try refusal(home.options(2)).contains("rowan-node remove --id 2. Then join with a new --id"))
        // It has not participated, so its folder is still new.
        #expect(try refusal(home.options(2)).contains("rowan-node remove --id 2. Then join with a new --id"))
        #expect(try home.status(1, 3).count == 3)
    }

    @Test func anIDOrAddressOfAnotherMember() throws {
        try home.start(1)
        try home.start(2)
        let id = ["--id", "2", "--address", home.address(3), "--data", home.path(3), "--join", home.address(1)]
        #expect(try refusal(id).contains("has a member 2 already, at \(home.address(2))"))
        let address = ["--id", "4", "--address", home.address(2), "--bind", home.address(4)]
        #expect(
            try refusal(address + ["--data", home.path(4), "--join", home.address(1)]).contains(
                "is that of the member 2"))
    }

    @Test func anAddressThatIsTaken() throws {
        try home.start(1)
        let options = ["--id", "1", "--address", home.address(1), "--data", home.path(2), "--start-new"]
        #expect(try refusal(options).contains("Address already in use"))
    }

    @Test(arguments: [
        ([], "no command was given"), (["--id", "1"], "--address is missing"), (["--id", "0"], "whole number"),
        (["--id", "x"], "whole number"), (["--nope"], "unknown option --nope"), (["--id"], "needs a value"),
        (["word"], "not an option"), (["--id", "1", "--id", "2"], "twice"),
        (["--id", "1", "--address", "here"], "here"), (["--trusted-network=1"], "has no value"),
        (["status"], "--cluster is missing"), (["remove", "--cluster", "127.0.0.1:1"], "--id is missing"),
        (["backup", "--cluster", "127.0.0.1:1"], "--database is missing"),
        (["backup", "--cluster", "127.0.0.1:1", "--database", "app"], "--to is missing"),
        (
            [
                "backup", "--cluster", "127.0.0.1:1", "--database", "app", "--to", "f", "--from-leader",
                "--without-leader",
            ], "exclude each other"
        ),
        (["restore", "--cluster", "127.0.0.1:1", "--database", "app"], "--from is missing"),
    ])
    func wrongWords(_ arguments: [String], _ message: String) throws {
        let errors = try refusal(arguments, code: 64)
        #expect(errors.contains(message) && errors.contains("--help"))
    }

    @Test func helpAndVersion() throws {
        let help = try Program(["--help"]).end()
        #expect(help.code == 0 && help.output.contains("--trusted-network"))
        let version = try Program(["--version"]).end()
        #expect(version.code == 0 && version.output.hasPrefix("rowan-node "))
    }
}
