// The progress of imports.

import Foundation
import Testing

@testable import RowanCommands

@Suite struct ProgressTests {
    private let tool = try! Tool()

    @Test func progressOfImports() throws {
        let rows = (1...20_000).map { "\($0),name \($0)\n" }
        let (path, file) = (tool.path("d.sqlite"), try tool.write("id,name\n" + rows.joined(), "players.csv"))
        let terminal = try Terminal(tool, ["import", path, "player", file])
        let end = terminal.finish()
        #expect(end.text == "imported 20000 rows into the new table player" && end.code == 0)
        #expect(terminal.log.hasPrefix("\rplayers.csv"))
        #expect(terminal.log.contains(" MB  finding types") && terminal.log.contains("\r\u{1B}[Kimported"))
    }

    /// Ten lines per second, of which all fit in a terminal.
    @Test func progressLines() throws {
        var now = ContinuousClock.now
        var texts: [String] = []
        let line = ProgressLine(now: { now }, write: { texts.append($0) })
        let file = try tool.write(String(repeating: "x", count: 3_000_000), "a file with a long name.csv")
        line.begin(URL(filePath: file))
        for step in 0..<100 {
            line.show(byteCount: step * 15_000, rowCount: step * 100, isFindingTypes: step < 40)
            now += .milliseconds(20)
        }
        line.clear()
        line.clear()
        #expect(texts.count == 21)
        #expect(texts[0] == "\ra file with a l… ░░░░░░░░   0 %  0.0 of 3.0 MB  finding types\u{1B}[K")
        #expect(texts[10] == "\ra file with a l… ██░░░░░░  25 %  0.8 of 3.0 MB  5000 rows  5000 rows/s\u{1B}[K")
        #expect(texts[20] == "\r\u{1B}[K")
    }
}
