import Foundation
import Testing

@testable import PlacesKit

struct TabFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func lines(of path: String) throws -> [[String]] {
        var lines: [[String]] = []
        try TabFile(path: path).forEachLine { lines.append($0) }
        return lines
    }

    @Test func splitsLinesIntoColumns() throws {
        let path = try folder.write("# comment\na\tb\n\nc\t\td\r\n#x\ty\nlast", to: "table.tab")
        #expect(try lines(of: path) == [["a", "b"], ["c", "", "d"], ["last"]])
    }

    @Test func tellsWhichLineIsMalformed() throws {
        let path = try folder.write("# comment\n\nfirst\nsecond\n", to: "table.tab")
        #expect(throws: MalformedLine(file: path, line: 4, reason: .zoneName("second"))) {
            try TabFile(path: path).forEachLine { columns in
                if columns == ["second"] { throw MalformedLine.Reason.zoneName("second") }
            }
        }
    }

    @Test func tellsWhichLineIsNotText() throws {
        let path = try folder.write(Data("fine\n".utf8) + Data([0x46, 0xFF, 0x0A]), to: "table.tab")
        #expect(throws: MalformedLine(file: path, line: 2, reason: .notUTF8)) { try lines(of: path) }
    }

    @Test(arguments: ["", "\n", "# only a comment\n"])
    func refusesATableWithoutLines(text: String) throws {
        let path = try folder.write(text, to: "table.tab")
        #expect(throws: ZoneinfoError.empty(file: path)) { try lines(of: path) }
    }

    @Test func tellsThatAFileIsMissing() throws {
        let path = folder.url.path + "/missing.tab"
        let error = #expect(throws: ZoneinfoError.self) { try lines(of: path) }
        #expect("\(try #require(error))".hasPrefix("\(path): cannot be read: "))
    }

    @Test func aMalformedLineReadsLikeACompilersError() {
        let error = MalformedLine(file: "zone1970.tab", line: 7, reason: .columns(found: 2, expected: 3...4))
        #expect("\(error)" == "zone1970.tab:7: 3 to 4 columns separated by tabs are expected, 2 found")
    }
}
