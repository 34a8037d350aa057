// Pictures: where their parts are.

import Foundation
import Testing

@testable import RowanPictures

/// The same numbers in each run. Source: <https://prng.di.unimi.it/splitmix64.c>
struct FixedNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

@Suite struct PictureTests {
    @Test func markup() throws {
        let text = "<b a=\"1\" c='2'>&\0\u{1B}\u{7F}\u{202E}\u{85}\n\té🦉"
        let markup: Markup = "<i>\(text)\("<hr>" as Markup)\(nil as Markup?)\(["1", "2"] as [Markup])\(3)</i>"
        #expect(
            markup.text
                == "<i>&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;␀␛␡⟨U+202E⟩⟨U+85⟩\n\té🦉<hr>123</i>")
        let numbers: Markup = "\(1.0) \(-0.5) \(1.239) \(1e300) \(Double.nan)"
        #expect(numbers.text == "1 -0.5 1.24 1e+300 nan")
    }

    /// No box is on another one, or beyond the picture, and a box is to the right of those to which it has links, but for cycles.
    @Test(arguments: 0..<60) func layouts(seed: UInt64) {
        var generator = FixedNumbers(seed: seed)
        let count = Int.random(in: 1...70, using: &generator)
        let sizes = (0..<count).map { _ in
            LayeredLayout.Size(
                width: .random(in: 120...300, using: &generator), height: .random(in: 40...300, using: &generator))
        }
        let hasCycles = seed % 3 == 0
        let links = (0..<Int.random(in: 0...(2 * count), using: &generator)).map { _ in
            let (one, other) = (
                Int.random(in: 0..<count, using: &generator), Int.random(in: 0..<count, using: &generator)
            )
            return hasCycles ? (from: one, to: other) : (from: max(one, other), to: min(one, other))
        }
        let layout = LayeredLayout(sizes: sizes, links: links)
        for index in sizes.indices {
            let (position, size) = (layout.positions[index], sizes[index])
            #expect(position.x >= 0 && position.y >= 0)
            #expect(position.x + size.width <= layout.width && position.y + size.height <= layout.height)
            for other in sizes.indices where other > index {
                let (second, otherSize) = (layout.positions[other], sizes[other])
                let isApart =
                    position.x + size.width <= second.x || second.x + otherSize.width <= position.x
                    || position.y + size.height <= second.y || second.y + otherSize.height <= position.y
                #expect(isApart, "\(index) is on \(other)")
            }
        }
        for link in links where !hasCycles && link.from != link.to {
            #expect(layout.positions[link.from].x >= layout.positions[link.to].x + sizes[link.to].width)
        }
    }

    @Test func aChainOfManyTables() {
        let sizes = (0..<20_000).map { _ in LayeredLayout.Size(width: 100, height: 50) }
        let layout = LayeredLayout(sizes: sizes, links: sizes.indices.dropFirst().map { ($0, $0 - 1) })
        #expect(layout.positions[19_999].x > layout.positions[0].x)
    }

    /// The areas are in proportion to the values, and cover the picture.
    @Test(arguments: 0..<30) func treemaps(seed: UInt64) {
        var generator = FixedNumbers(seed: seed)
        let values = (0..<Int.random(in: 1...80, using: &generator)).map { _ in
            Double(Int.random(in: 0...1_000_000, using: &generator))
        }
        let map = Treemap(values.map { Treemap.Part(name: "a", value: $0, label: "b") })
        let rectangles = map.rectangles(width: 960, height: 540)
        let total = values.reduce(0, +)
        #expect(rectangles.count == values.filter { $0 > 0 }.count)
        for (part, area) in zip(map.parts, rectangles) {
            #expect(abs(area.width * area.height - part.value / total * 960 * 540) < 0.01)
            #expect(area.x >= 0 && area.y >= 0)
            #expect(area.x + area.width <= 960.001 && area.y + area.height <= 540.001)
        }
        for (index, one) in rectangles.enumerated() {
            for other in rectangles[(index + 1)...] {
                let width = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
                let height = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
                #expect(width < 0.001 || height < 0.001)
            }
        }
    }

    @Test func axes() {
        #expect(Chart.steps(0, 10, count: 6) == [0, 2, 4, 6, 8, 10])
        #expect(Chart.steps(-3, 97, count: 6) == [-20, 0, 20, 40, 60, 80, 100])
        #expect(
            Chart.steps(0.1, 0.35, count: 5).map { ($0 * 1e6).rounded() } == [
                100_000, 150_000, 200_000, 250_000, 300_000, 350_000,
            ])
        #expect(Chart.steps(5, 5, count: 6) == [5])
        #expect(Chart.steps(-.infinity, 5, count: 6) == [-.infinity])
        #expect(Chart.steps(-1e308, 1e308, count: 6) == [-1e308, -5e307, 0, 5e307, 1e308])
        #expect(Chart.steps(0, 1.797e308, count: 6) == [0, 5e307, 1e308, 1.5e308])
        #expect(
            [0, 12, 1_000, 9_999, 10_000, 2_500_000, 1e12, 0.25, 1e-9, 1e20].map(Chart.label) == [
                "0", "12", "1000", "9999", "10k", "2500k", "1000G", "0.25", "1e-09", "1e+20",
            ])
    }

    /// Values of all sizes are drawn inside the picture.
    @Test(arguments: Chart.Kind.allCases) func charts(_ kind: Chart.Kind) throws {
        let values: [[Double]] = [
            [1, 2, 3], [-5], [0, 0], [1e300, -1e300], [1e-300, 2e-300], [.infinity, 1, .nan], [1e15, 1e15 + 1],
            [.infinity], [1.797e308, 0], [-1.797e308, 1.797e308], [1e308], [.leastNonzeroMagnitude, 0],
        ]
        for values in values {
            for positions in [nil, values.map { $0.isFinite ? $0 : 0 }] {
                let chart = Chart(kind: kind, labels: values.map { "\($0)" }, positions: positions, values: values)
                let text = chart.picture(title: "t").file
                #expect(!text.contains("nan\"") && !text.contains("inf\""), "\(values)")
                let numbers = text.matches(of: /c?[xy]1?="(-?[0-9.e+]+)"/).compactMap { Double($0.output.1) }
                #expect(numbers.allSatisfy { $0 >= -1 && $0 <= 961 }, "\(values)")
            }
        }
    }

    @Test func filesAreXML() throws {
        let table = SchemaDiagram.Table(
            name: "<t> & \u{0}",
            columns: (0..<20).map { .init(name: "c\($0)", type: "\"T\"", isKey: $0 == 0, isReference: $0 == 19) },
            address: "/t?a=1&b=2")
        let diagram = SchemaDiagram(tables: [table], links: [.init(from: 0, fromColumn: 19, to: 0, toColumn: 0)])
        let plan = PlanTree([
            .init(
                text: "SCAN t", remark: "reads", rows: 12_345,
                children: [.init(text: "a", remark: nil, rows: 1, children: [])])
        ])
        for picture in [
            diagram.picture(title: "a & b"), plan.picture(title: "p"),
            Treemap([.init(name: "<", value: 1, label: "l")]).picture(title: "m"),
        ] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "python3", "-c", "import sys, xml.dom.minidom; xml.dom.minidom.parseString(sys.stdin.buffer.read())",
            ]
            let input = Pipe()
            process.standardInput = input
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: Data(picture.file.utf8))
            try input.fileHandleForWriting.close()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(picture.title)")
        }
        #expect(diagram.picture(title: "a").file.contains("and 8 more"))
        #expect(plan.lines.map(\.depth) == [0, 1])
        #expect(plan.picture(title: "p").body.text.contains("about 12.345k rows, reads"))
    }
}
