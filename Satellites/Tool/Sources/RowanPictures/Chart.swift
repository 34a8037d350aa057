// Rows as bars, lines or points.

import Foundation

/// A chart of one number per row.
package struct Chart: Sendable {
    package enum Kind: String, CaseIterable, Sendable { case bars, lines, points }

    package var kind: Kind
    /// What stands below each value, for bars, and if ``positions`` is nil.
    package var labels: [String]
    /// The horizontal positions, for lines and points.
    package var positions: [Double]?
    package var values: [Double]

    package init(kind: Kind, labels: [String], positions: [Double]?, values: [Double]) {
        (self.kind, self.labels, self.values) = (kind, labels, values)
        self.positions = kind == .bars ? nil : positions
    }

    /// The steps of an axis: the largest of 1, 2 and 5 times a power of ten that gives at most `count` steps.
    static func steps(_ low: Double, _ high: Double, count: Int) -> [Double] {
        guard low.isFinite, high.isFinite, high > low else { return [low] }
        let raw = high / Double(count) - low / Double(count)
        let power = pow(10, log10(raw).rounded(.down))
        let step = ([1, 2, 5, 10].first { $0 * power >= raw } ?? 10) * power
        guard step > 0 else { return [low] }
        let (first, last) = ((low / step).rounded(.down), (high / step).rounded(.up))
        // The last step may be larger than the largest number.
        return (0...Int(last - first)).map { (first + Double($0)) * step }.filter(\.isFinite)
    }

    /// The place of a value on an axis, from 0 to 1. Values beyond the axis, whose range no number could express, are at its end.
    private static func share(_ value: Double, _ low: Double, _ high: Double) -> Double {
        let length = high / 2 - low / 2
        return length > 0 ? min(max(0, (value / 2 - low / 2) / length), 1) : 0.5
    }

    /// A number for an axis.
    static func label(_ value: Double) -> String {
        let magnitude = abs(value)
        guard magnitude < 1e15, magnitude == 0 || magnitude >= 1e-4 else { return "\(value)" }
        for (unit, name) in [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")]
        where magnitude >= 10 * unit {
            return label(value / unit) + name
        }
        let rounded = (value * 10_000).rounded() / 10_000
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    package func picture(title: String, width: Double = 960, height: Double = 420) -> Picture {
        let finite = values.filter(\.isFinite)
        let base = kind == .bars ? 0 : finite.min() ?? 0
        let vertical = Self.steps(min(base, finite.min() ?? 0), max(base, finite.max() ?? 1), count: 6)
        let left = 16 + (vertical.map { Self.label($0).pictureWidth }.max() ?? 0)
        let (top, bottom, right) = (16.0, height - 40, width - 16)
        let (low, high) = (vertical[0], vertical.last.map { $0 > vertical[0] ? $0 : vertical[0] + 1 } ?? 1)
        func y(_ value: Double) -> Double { bottom - Self.share(value, low, high) * (bottom - top) }
        let rules = vertical.map { value -> Markup in
            """
            <line class="grid" x1="\(left)" x2="\(right)" y1="\(y(value))" y2="\(y(value))"/>\
            <text class="quiet end" x="\(left - 6)" y="\(y(value) + 4)">\(Self.label(value))</text>
            """
        }
        let horizontal = positions.map { Self.steps($0.min() ?? 0, $0.max() ?? 1, count: 8) }
        let labelWidth = 20 + 7.3 * Double(labels.map { min($0.count, Self.maximumLabel) }.max() ?? 0)
        let slot = (right - left) / Double(max(1, values.count))
        func x(_ index: Int) -> Double {
            guard let positions, let horizontal, let first = horizontal.first, let last = horizontal.last, last > first
            else { return left + slot * (Double(index) + 0.5) }
            return left + Self.share(positions[index], first, last) * (right - left)
        }
        let marks: [Markup] =
            if let horizontal, let first = horizontal.first, let last = horizontal.last, last > first {
                horizontal.map {
                    mark(Self.label($0), left + Self.share($0, first, last) * (right - left), bottom)
                }
            } else {
                // Only as many labels as fit.
                stride(from: 0, to: labels.count, by: max(1, Int((labelWidth / slot).rounded(.up)))).map {
                    mark(labels[$0].shortened(to: max(3, Int(max(slot, labelWidth) / 7.3) - 1)), x($0), bottom)
                }
            }
        let indices = values.indices.filter { values[$0].isFinite }
        return Picture(
            title: title, width: width, height: height,
            body: """
                \(rules)<line class="axis" x1="\(left)" x2="\(right)" y1="\(bottom)" y2="\(bottom)"/>\(marks)\
                \(body(indices, x, y, slot))
                """)
    }

    private static let maximumLabel = 16
    private static let maximumBar = 72.0

    private func mark(_ text: String, _ x: Double, _ bottom: Double) -> Markup {
        "<text class=\"quiet middle\" x=\"\(x)\" y=\"\(bottom + 18)\">\(text)</text>"
    }

    private func body(
        _ indices: [Int], _ x: (Int) -> Double, _ y: (Double) -> Double, _ slot: Double
    ) -> Markup {
        switch kind {
        case .bars:
            let barWidth = min(slot * 0.8, Self.maximumBar)
            let bars = indices.map { index -> Markup in
                let (zero, end) = (y(0), y(values[index]))
                return """
                    <rect class="bar" x="\(x(index) - barWidth / 2)" y="\(min(zero, end))" width="\(barWidth)" \
                    height="\(abs(zero - end))"><title>\(labels[index]): \(Self.label(values[index]))</title></rect>
                    """
            }
            return "\(bars)"
        case .lines:
            let sorted = indices.sorted { (x($0), $0) < (x($1), $1) }
            let points: [Markup] = sorted.map { "\(x($0)),\(y(values[$0])) " }
            return "<polyline class=\"curve\" points=\"\(points)\"/>"
        case .points:
            let points = indices.map { index -> Markup in
                """
                <circle class="dot" cx="\(x(index))" cy="\(y(values[index]))" r="4"><title>\(labels[index]): \
                \(Self.label(values[index]))</title></circle>
                """
            }
            return "\(points)"
        }
    }
}
