// The log of a node: one line for each event.

import Foundation
import Testing

@Suite(.serialized)
struct LogTests {
    let home: NodeHome

    init() throws { home = try NodeHome() }

    /// The events of a log, each with its level and the fields that don't depend on the machine.
    private func events(_ log: String) -> [String] {
        log.split(separator: "\n").map { line in
            line.split(separator: " ").filter { word in
                !["version=", "dqlite=", "data=", "address="].contains(where: word.hasPrefix)
            }.joined(separator: " ")
        }
    }

    @Test func theLifeOfANode() throws {
        let first = try home.start(1)
        let second = try home.start(2)
        #expect(first.end(by: SIGTERM) == 0)
        let log = first.errors()
        #expect(
            events(log) == [
                "level=info event=starting id=1 state=new", "level=info event=ready id=1",
                "level=info event=stopping id=1", "level=info event=handed-over id=1", "level=info event=stopped id=1",
            ])
        #expect(log.contains(" address=\(home.address(1)) data=\(home.path(1)) state=new version="))
        second.end(by: SIGKILL)
        #expect(
            events(second.errors()) == [
                "level=info event=starting id=2 state=empty", "level=info event=joined id=2 role=voter",
                "level=info event=ready id=2",
            ])
    }

    @Test func anErrorIsOneLineWithASentence() throws {
        let path = home.folder.appendingPathComponent("a \"b\"").path
        let result = try Program(["--id", "2", "--address", home.address(2), "--data", path]).end()
        #expect(result.code == 1)
        let sentence = path.replacing("\"", with: "\\\"") + " is empty: pass --join to join a cluster"
        #expect(result.errors == "level=error event=failed error=\"\(sentence)\"\n")
    }
}
