// The short way of the format that dates are stored in gives what the parser of all formats gives.

import Testing

@testable import Rowan

@Suite struct StoredDateTests {
    private func short(_ text: String) -> Double? {
        var copy = text
        return copy.withUTF8 { DateText.secondsSince1970(stored: $0) }
    }

    @Test func bothWaysAgreeOnRandomDates() {
        var generator = SystemRandomNumberGenerator()
        let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
        print("StoredDateTests seed: \(seed)")
        var state = seed
        func random(_ range: ClosedRange<Int>) -> Int {
            // A linear congruential generator: Knuth, MMIX.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return range.lowerBound + Int(state >> 33) % range.count
        }
        func digits(_ value: Int, _ count: Int) -> String {
            String(repeating: "0", count: max(0, count - String(value).count)) + String(value)
        }
        for _ in 0..<20_000 {
            // Days and hours that no calendar has are among them.
            let day = "\(digits(random(0...9_999), 4))-\(digits(random(0...13), 2))-\(digits(random(0...32), 2))"
            let time = "\(digits(random(0...25), 2)):\(digits(random(0...61), 2)):\(digits(random(0...61), 2))"
            let text = "\(day) \(time).\(digits(random(0...999), 3))"
            #expect(short(text) == DateText(parsing: text)?.secondsSince1970, "\(text)")
        }
    }

    @Test(arguments: [
        "2015-09-11T18:14:15.123", "2015-09-11 18:14:15.12", "2015-09-11 18:14:15.1234", "2015-09-11 18:14:15",
        "2015-09-11 18:14:15.12Z", "2015-09-11 18:14:15.12 ", "a015-09-11 18:14:15.123", "2015-0 -11 18:14:15.123",
        "2015-09-11 18:14:1/.123", "2015-02-29 18:14:15.123", "",
    ])
    func otherTextsAreLeftToTheParser(text: String) {
        #expect(short(text) == nil)
    }
}
