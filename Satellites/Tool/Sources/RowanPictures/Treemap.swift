// Sizes as areas.

/// Rectangles whose areas are proportional to values, and which are as square as possible.
///
/// Source: Bruls, Huizing, van Wijk, Squarified Treemaps, 2000
package struct Treemap: Sendable {
    package struct Part: Sendable {
        package var name: String
        package var value: Double
        /// The text of the value.
        package var label: String
        /// A class of the picture's styles: second or free.
        package var style: String
        package var address: String?

        package init(name: String, value: Double, label: String, style: String = "", address: String? = nil) {
            (self.name, self.value, self.label) = (name, value, label)
            (self.style, self.address) = (style, address)
        }
    }

    struct Rectangle: Equatable { var x, y, width, height: Double }

    package var parts: [Part]

    package init(_ parts: [Part]) { self.parts = parts.filter { $0.value > 0 }.sorted { $0.value > $1.value } }

    package func picture(title: String, width: Double = 960, height: Double = 540) -> Picture {
        let tiles = zip(parts, rectangles(width: width, height: height)).map { part, area -> Markup in
            let characters = Int((area.width - 16) / 7.3)
            let showsName = area.height >= 22 && characters >= 3
            let texts: Markup = """
                \(showsName ? "<text class=\"name\" x=\"\(area.x + 8)\" y=\"\(area.y + 18)\">\(part.name.shortened(to: characters))</text>" as Markup : "")\
                \(showsName && area.height >= 40 ? "<text class=\"quiet\" x=\"\(area.x + 8)\" y=\"\(area.y + 34)\">\(part.label.shortened(to: characters))</text>" as Markup : "")
                """
            let tile: Markup = """
                <g><title>\(part.name): \(part.label)</title><rect class="tile \(part.style)" x="\(area.x)" y="\(area.y)" \
                width="\(area.width)" height="\(area.height)"/>\(texts)</g>
                """
            return part.address.map { "<a href=\"\($0)\">\(tile)</a>" } ?? tile
        }
        return Picture(title: title, width: width, height: height, body: "\(tiles)")
    }

    func rectangles(width: Double, height: Double) -> [Rectangle] {
        let total = parts.reduce(0) { $0 + $1.value }
        guard total > 0 else { return [] }
        let areas = parts.map { $0.value * width * height / total }
        var free = Rectangle(x: 0, y: 0, width: width, height: height)
        var result: [Rectangle] = []
        var start = 0
        while start < areas.count {
            // A row along the shorter side grows as long as its worst rectangle becomes more square.
            let side = min(free.width, free.height)
            var end = start + 1
            var sum = areas[start]
            var worst = Self.worst(areas[start], areas[start], sum, side)
            while end < areas.count {
                let next = Self.worst(areas[start], areas[end], sum + areas[end], side)
                guard next <= worst else { break }
                (worst, sum, end) = (next, sum + areas[end], end + 1)
            }
            let thickness = side > 0 ? sum / side : 0
            var offset = 0.0
            for area in areas[start..<end] {
                let length = thickness > 0 ? area / thickness : 0
                result.append(
                    free.width >= free.height
                        ? Rectangle(x: free.x, y: free.y + offset, width: thickness, height: length)
                        : Rectangle(x: free.x + offset, y: free.y, width: length, height: thickness))
                offset += length
            }
            if free.width >= free.height {
                (free.x, free.width) = (free.x + thickness, max(0, free.width - thickness))
            } else {
                (free.y, free.height) = (free.y + thickness, max(0, free.height - thickness))
            }
            start = end
        }
        return result
    }

    /// The worst ratio of sides in a row.
    private static func worst(_ largest: Double, _ smallest: Double, _ sum: Double, _ side: Double) -> Double {
        let (square, sideSquare) = (sum * sum, side * side)
        guard square > 0, smallest > 0, sideSquare > 0 else { return .infinity }
        return max(sideSquare * largest / square, square / (sideSquare * smallest))
    }
}
